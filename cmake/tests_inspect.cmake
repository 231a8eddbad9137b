# SPDX-License-Identifier: MIT
#
# `usermm inspect` and `usermm top`, where they are built.

if(NOT TARGET usermm-inspect)
	return()
endif()

# Programs to be inspected: with the library preloaded, linked, and static.
add_executable(inspect_leaky tests/inspect/leaky.c)
add_executable(inspect_leaky_static tests/inspect/leaky.c)
foreach(target inspect_leaky inspect_leaky_static)
	target_compile_options(${target} PRIVATE -fno-builtin)
	target_link_libraries(${target} PRIVATE usermm_flags Threads::Threads)
	set_target_properties(${target} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/inspect)
endforeach()
add_dependencies(inspect_leaky_static usermm_malloc_static)
target_link_libraries(inspect_leaky_static PRIVATE ${malloc_object})
target_link_options(inspect_leaky_static PRIVATE -static)
set(inspected $<TARGET_FILE:usermm> $<TARGET_FILE:inspect_leaky> $<TARGET_FILE:usermm_malloc>)

foreach(name run_leaks run_inspect run_damaged run_gdb)
	add_test(NAME inspect/${name} COMMAND Python3::Interpreter
		${PROJECT_SOURCE_DIR}/tests/inspect/${name}.py ${inspected})
	set_tests_properties(inspect/${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
add_test(NAME inspect/memcheck COMMAND Python3::Interpreter
	${PROJECT_SOURCE_DIR}/tests/inspect/run_leaks.py --valgrind ${inspected})
set_tests_properties(inspect/memcheck PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
