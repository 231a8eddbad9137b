# SPDX-License-Identifier: MIT
#
# `usermm inspect` and `usermm top`, where they are built.

if(NOT TARGET usermm-inspect)
	return()
endif()

# Programs to be inspected: with the library preloaded, linked, and static.
add_executable(inspect_leaky tests/inspect/leaky.c)
add_executable(inspect_leaky_static tests/inspect/leaky.c)
add_executable(inspect_main_thread_ended tests/inspect/main_thread_ended.c)
add_executable(inspect_busy tests/inspect/busy.c)
foreach(target inspect_leaky inspect_leaky_static inspect_main_thread_ended inspect_busy)
	target_compile_options(${target} PRIVATE -fno-builtin)
	target_link_libraries(${target} PRIVATE usermm_flags Threads::Threads)
	set_target_properties(${target} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/inspect)
endforeach()
add_dependencies(inspect_leaky_static usermm_malloc_static)
target_link_libraries(inspect_leaky_static PRIVATE ${malloc_object})
target_link_options(inspect_leaky_static PRIVATE -static)
add_executable(inspect_quicklists tests/inspect/quicklists.c)
target_link_libraries(inspect_quicklists PRIVATE usermm_core usermm_flags Threads::Threads)
set_target_properties(inspect_quicklists PROPERTIES
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/inspect)
set(inspected $<TARGET_FILE:usermm> $<TARGET_FILE:inspect_leaky> $<TARGET_FILE:usermm_malloc>)

foreach(name run_leaks run_inspect run_damaged run_damaged_live run_gdb)
	add_test(NAME inspect/${name} COMMAND Python3::Interpreter
		${PROJECT_SOURCE_DIR}/tests/inspect/${name}.py ${inspected})
	set_tests_properties(inspect/${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
# The reader by itself, which reads the test.
foreach(name test_caches test_live)
	usermm_test_executable(target tests/inspect/${name}.c)
	target_link_libraries(${target} PRIVATE usermm_inspect_reader test_support usermm_kunit
		usermm_core)
	usermm_add_test(${test_name} COMMAND ${target} ONCE)
endforeach()
add_test(NAME inspect/damaged_live_for_long COMMAND Python3::Interpreter
	${PROJECT_SOURCE_DIR}/tests/inspect/run_damaged_live.py --rounds 1000 ${inspected})
set_tests_properties(inspect/damaged_live_for_long PROPERTIES TIMEOUT 900)
add_test(NAME inspect/memcheck COMMAND Python3::Interpreter
	${PROJECT_SOURCE_DIR}/tests/inspect/run_leaks.py --valgrind ${inspected})
set_tests_properties(inspect/memcheck PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
