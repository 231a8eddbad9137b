# SPDX-License-Identifier: MIT
#
# Each test runs twice: with restartable sequences where the machine has them
# (`:rseq`) and with locked slots (`:locked`), which must work the same.

# usermm_add_test(NAME COMMAND... [ENVIRONMENT VAR=value...])
function(usermm_add_test name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND;ENVIRONMENT")
	foreach(mode rseq locked)
		set(options "")
		if(mode STREQUAL locked)
			set(options rseq=off)
		endif()
		add_test(NAME ${name}:${mode} COMMAND ${arg_COMMAND})
		set_tests_properties(${name}:${mode} PROPERTIES TIMEOUT 120
			ENVIRONMENT "USERMM_OPTIONS=${options};${arg_ENVIRONMENT}")
	endforeach()
endfunction()

# Adds the executable of tests/LAYER/FILE and answers its target name.
function(usermm_test_executable out source)
	cmake_path(GET source STEM stem)
	cmake_path(GET source PARENT_PATH folder)
	cmake_path(GET folder FILENAME layer)
	set(target ${layer}_${stem})
	add_executable(${target} ${source})
	set_target_properties(${target} PROPERTIES OUTPUT_NAME ${stem}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${layer})
	target_include_directories(${target} PRIVATE tests)
	target_link_libraries(${target} PRIVATE usermm_flags Threads::Threads m)
	set(${out} ${target} PARENT_SCOPE)
	set(test_name ${layer}/${stem} PARENT_SCOPE)
endfunction()

# Unit tests: one executable a file, with all of the core in it, so that a test
# reaches what the library hides.
file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
add_library(test_support OBJECT ${support_sources})
target_include_directories(test_support PUBLIC tests include/kernel)
target_link_libraries(test_support PUBLIC usermm_core Threads::Threads m)
foreach(layer base os percpu mm page slab quicklist stats)
	file(GLOB sources CONFIGURE_DEPENDS tests/${layer}/test_*.c)
	foreach(source ${sources})
		usermm_test_executable(target ${source})
		target_link_libraries(${target} PRIVATE test_support usermm_core)
		usermm_add_test(${test_name} COMMAND ${target})
	endforeach()
endforeach()

if(USERMM_SANITIZE)
	return()
endif()

# Tests of malloc are ordinary programs that know nothing of usermm; the library
# is preloaded under them.
file(GLOB sources CONFIGURE_DEPENDS tests/malloc/test_*.c tests/malloc/test_*.cc)
foreach(source ${sources})
	usermm_test_executable(target ${source})
	# The compiler may neither drop calls nor judge their arguments.
	target_compile_options(${target} PRIVATE -fno-builtin)
	add_dependencies(${target} usermm_malloc)
	usermm_add_test(${test_name} COMMAND ${target}
		ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:usermm_malloc>)
endforeach()

# The archive in a program that uses the library's inner names for its own things.
add_executable(link_test_link tests/link/test_link.cc)
add_dependencies(link_test_link usermm_static)
target_include_directories(link_test_link PRIVATE include)
target_compile_options(link_test_link PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wpedantic>)
target_link_libraries(link_test_link PRIVATE ${archive} usermm_flags Threads::Threads)
set_target_properties(link_test_link PROPERTIES OUTPUT_NAME test_link
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/link)
usermm_add_test(link/test_link COMMAND link_test_link)

find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_test(NAME style/layers
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_layers.py)

# What cannot be seen by running: the protocols between CPUs, in every order. The
# models are not built, so one flavour is enough.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
	add_test(NAME models/percpu_stop
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/models/run_models.py)
	set_tests_properties(models/percpu_stop PROPERTIES TIMEOUT 300)

	# The kernel's own tests of rseq, where its source is installed.
	file(GLOB kernel_sources /usr/src/linux-source-*.tar.xz)
	if(kernel_sources)
		add_test(NAME kernel/rseq_selftests
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/kernel_rseq/run_selftests.py --short
				--build ${PROJECT_BINARY_DIR}/kernel_rseq)
		# Its tests spin for one another, so others' load would be most of the time.
		set_tests_properties(kernel/rseq_selftests PROPERTIES TIMEOUT 300
			PROCESSORS 2)
	endif()
endif()

# Real programs, with and without the library under them.
add_executable(preload_maxrss tests/preload/maxrss.c)
target_link_libraries(preload_maxrss PRIVATE usermm_flags)
set_target_properties(preload_maxrss PROPERTIES OUTPUT_NAME maxrss
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/preload)
foreach(mode rseq locked)
	set(options "")
	if(mode STREQUAL locked)
		set(options rseq=off)
	endif()
	add_test(NAME preload:${mode}
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/preload/run_preload.py
			--library $<TARGET_FILE:usermm_malloc>
			--maxrss $<TARGET_FILE:preload_maxrss>
			--options=${options})
	set_tests_properties(preload:${mode} PROPERTIES TIMEOUT 600)
endforeach()
