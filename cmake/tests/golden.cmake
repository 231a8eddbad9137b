# SPDX-License-Identifier: MIT
#
# Machine code of the fast paths; included by tests.cmake.

# What the fast paths execute, against the table of the release and Debian 12's gcc.
set(recorders "")
foreach(part api malloc percpu)
	set(target golden_record_${part})
	add_executable(${target} tests/golden/record.c tests/golden/record_${part}.c)
	target_include_directories(${target} PRIVATE tests bench include src)
	target_link_libraries(${target} PRIVATE usermm_flags)
	set_target_properties(${target} PROPERTIES OUTPUT_NAME record_${part}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/golden)
	list(APPEND recorders $<TARGET_FILE:${target}>)
endforeach()
target_sources(golden_record_api PRIVATE tests/golden/why_not.c)
target_link_libraries(golden_record_api PRIVATE usermm_shared)
target_sources(golden_record_malloc PRIVATE tests/golden/why_not.c)
target_link_libraries(golden_record_malloc PRIVATE usermm_malloc)
target_compile_options(golden_record_malloc PRIVATE -fno-builtin)
target_link_libraries(golden_record_percpu PRIVATE usermm_core)
set(check_fast_paths ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_fast_paths.py
	--golden ${PROJECT_SOURCE_DIR}/tests/golden/fast_paths_debian12_gcc.txt)
add_test(NAME style/fast_paths COMMAND ${check_fast_paths} ${recorders})
set_tests_properties(style/fast_paths PROPERTIES SKIP_RETURN_CODE 77
	ENVIRONMENT USERMM_OPTIONS=)

# Being a module costs nothing on them: the same calls, compiled as a module is.
if(TARGET usermm_kernel)
	add_library(golden_module_calls OBJECT tests/golden/record_api.c)
	target_include_directories(golden_module_calls PRIVATE tests)
	target_link_libraries(golden_module_calls PRIVATE usermm_kernel)
	# Of a Linux that has the bulk calls for lists, as the library's own headers have.
	target_compile_definitions(golden_module_calls PRIVATE __KERNEL__=1 MODULE=1
		KBUILD_MODNAME="record_api" LINUX_VERSION_CODE=0x060c00)
	target_compile_options(golden_module_calls PRIVATE -fno-strict-aliasing
		-Wno-pointer-sign)
	foreach(header module mm slab quicklist)
		target_compile_options(golden_module_calls PRIVATE
			"SHELL:-include linux/${header}.h")
	endforeach()
	add_executable(golden_record_module tests/golden/record.c
		tests/golden/why_not.c)
	set_target_properties(golden_record_module PROPERTIES
		OUTPUT_NAME record_module
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/golden)
	target_include_directories(golden_record_module PRIVATE tests bench include src)
	target_link_libraries(golden_record_module PRIVATE golden_module_calls
		usermm_kernel usermm_flags)
	add_test(NAME style/fast_paths_module
		COMMAND ${SYSTEM_PYTHON}
			${PROJECT_SOURCE_DIR}/tools/check_fast_paths.py --same
			$<TARGET_FILE:golden_record_api>
			$<TARGET_FILE:golden_record_module>)
	set_tests_properties(style/fast_paths_module PROPERTIES
		SKIP_RETURN_CODE 77 ENVIRONMENT USERMM_OPTIONS=)
endif()
add_custom_target(update_fast_paths COMMAND ${check_fast_paths} --update ${recorders}
	DEPENDS golden_record_api golden_record_malloc golden_record_percpu VERBATIM)
