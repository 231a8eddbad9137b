# SPDX-License-Identifier: MIT
#
# How libraries of the project come together in a process: archives in plugins, and several
# libraries side by side.

# The archives in a plugin that is closed and opened again under running threads.
usermm_test_executable(stays ${PROJECT_SOURCE_DIR}/tests/link/test_plugin_stays.c)
target_link_libraries(${stays} PRIVATE ${CMAKE_DL_LIBS})
set(plugin_api ${archive})
set(plugin_malloc ${malloc_archive})
set(plugin_object ${malloc_object})
foreach(kind api malloc object)
	set(target link_plugin_${kind})
	add_library(${target} MODULE tests/link/plugin.c)
	add_dependencies(${target} usermm_static usermm_malloc_static)
	target_include_directories(${target} PRIVATE include)
	target_link_libraries(${target} PRIVATE ${plugin_${kind}} usermm_flags Threads::Threads)
	set_target_properties(${target} PROPERTIES OUTPUT_NAME plugin_${kind} PREFIX ""
		LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/link)
	usermm_add_test(link/test_plugin_stays_${kind} COMMAND ${stays} $<TARGET_FILE:${target}>)
	# Where the library registers its threads itself.
	add_test(NAME link/test_plugin_stays_${kind}:own
		COMMAND ${stays} $<TARGET_FILE:${target}>)
	set_tests_properties(link/test_plugin_stays_${kind}:own PROPERTIES
		TIMEOUT ${hang_seconds} ENVIRONMENT "GLIBC_TUNABLES=glibc.pthread.rseq=0")
	if(CMAKE_CROSSCOMPILING)
		set_tests_properties(link/test_plugin_stays_${kind}:own PROPERTIES
			LABELS needs_kernel)
	endif()
endforeach()

# One allocator in a process, in whatever order its libraries were linked or preloaded. By names,
# as people write them.
add_library(link_user_of_api MODULE tests/link/user_of_api.c)
target_include_directories(link_user_of_api PRIVATE include)
target_link_libraries(link_user_of_api PRIVATE usermm_shared usermm_flags)
set_target_properties(link_user_of_api PROPERTIES OUTPUT_NAME user_of_api PREFIX ""
	LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/link)

# usermm_add_one_allocator_test(NAME [PRELOAD] LINKED...)
function(usermm_add_one_allocator_test name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "PRELOAD" "" "")
	set(target link_one_${name})
	add_executable(${target} tests/link/test_one_allocator.c)
	add_dependencies(${target} usermm_shared usermm_malloc usermm_static usermm_malloc_static
		link_user_of_api)
	if(TARGET usermm_kernel)
		add_dependencies(${target} usermm_kernel)
	endif()
	target_include_directories(${target} PRIVATE include)
	target_compile_options(${target} PRIVATE -fno-builtin)
	target_link_options(${target} PRIVATE -L${PROJECT_BINARY_DIR}
		-Wl,-rpath,${PROJECT_BINARY_DIR})
	target_link_libraries(${target} PRIVATE usermm_flags ${arg_UNPARSED_ARGUMENTS}
		Threads::Threads)
	set_target_properties(${target} PROPERTIES OUTPUT_NAME one_${name}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/link)
	set(preload "")
	if(arg_PRELOAD)
		set(preload ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:usermm_malloc>)
	endif()
	# A plugin finds the names of a program that has an archive only if they are exported.
	set(others $<TARGET_FILE:link_user_of_api> $<TARGET_FILE:usermm_needed>)
	if(name STREQUAL "exported_object")
		set(others $<TARGET_FILE:link_user_of_api>)
	elseif(name MATCHES "archive")
		set(others "")
	endif()
	usermm_add_test(link/one_allocator_${name} COMMAND ${target} ${others} ${preload})
endfunction()
usermm_add_one_allocator_test(api_first "-Wl,--no-as-needed;-lusermm;-lusermm_malloc")
usermm_add_one_allocator_test(malloc_first "-Wl,--no-as-needed;-lusermm_malloc;-lusermm")
usermm_add_one_allocator_test(as_needed "-Wl,--as-needed;-lusermm;-lusermm_malloc")
usermm_add_one_allocator_test(malloc_alone -lusermm_malloc)
usermm_add_one_allocator_test(preloaded PRELOAD -lusermm)
usermm_add_one_allocator_test(archives_api_first ${archive} ${malloc_archive})
usermm_add_one_allocator_test(archives_malloc_first ${malloc_archive} ${archive})
usermm_add_one_allocator_test(object_behind_archive ${archive} ${malloc_object})
usermm_add_one_allocator_test(exported_object "-rdynamic;${malloc_object}")
if(TARGET usermm_kernel)
	usermm_add_one_allocator_test(kernel_first
		"-Wl,--no-as-needed;-lusermm_kernel;-lusermm;-lusermm_malloc")
	usermm_add_one_allocator_test(malloc_before_kernel
		"-Wl,--no-as-needed;-lusermm_malloc;-lusermm_kernel;-lusermm")
	usermm_add_one_allocator_test(kernel_preloaded PRELOAD
		"-Wl,--no-as-needed;-lusermm_kernel;-lusermm")
endif()

# usermm_malloc() and its relatives: beside libc's malloc, or as malloc.
function(usermm_add_api_malloc_test kind expected)
	set(target link_test_api_malloc_${kind})
	add_executable(${target} tests/link/test_api_malloc.c)
	target_compile_options(${target} PRIVATE -fno-builtin)
	target_link_libraries(${target} PRIVATE ${ARGN} usermm_flags Threads::Threads)
	set_target_properties(${target} PROPERTIES OUTPUT_NAME test_api_malloc_${kind}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/link)
	usermm_add_test(link/test_api_malloc_${kind} COMMAND ${target} ${expected})
endfunction()
usermm_add_api_malloc_test(shared apart usermm::usermm)
usermm_add_api_malloc_test(static apart usermm::static)
usermm_add_api_malloc_test(malloc same usermm::malloc)
usermm_add_api_malloc_test(both same usermm::usermm usermm::malloc)
usermm_add_api_malloc_test(object same usermm::malloc_object)
usermm_add_api_malloc_test(archives same usermm::static usermm::malloc_static)
usermm_add_test(link/test_api_malloc_preloaded COMMAND link_test_api_malloc_shared same
	ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:usermm_malloc>)

# Blocks of usermm/malloc.h and heaps in a program that has malloc(), free() and so on of its own.
foreach(kind shared malloc)
	set(target link_test_api_own_family_${kind})
	add_executable(${target} tests/link/test_api_own_family.c)
	target_compile_options(${target} PRIVATE -fno-builtin)
	target_link_options(${target} PRIVATE -rdynamic)
	set_target_properties(${target} PROPERTIES OUTPUT_NAME test_api_own_family_${kind}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/link)
	usermm_add_test(link/test_api_own_family_${kind} COMMAND ${target})
endforeach()
target_link_libraries(link_test_api_own_family_shared PRIVATE usermm::usermm usermm_flags
	Threads::Threads)
target_link_libraries(link_test_api_own_family_malloc PRIVATE usermm::malloc usermm_flags
	Threads::Threads)

# Two copies of which the second is called all the same: it refuses in one line.
add_executable(link_test_two_copies tests/link/test_two_copies.c)
add_dependencies(link_test_two_copies usermm_malloc)
target_include_directories(link_test_two_copies PRIVATE tests)
target_link_libraries(link_test_two_copies PRIVATE usermm_flags ${CMAKE_DL_LIBS})
set_target_properties(link_test_two_copies PROPERTIES OUTPUT_NAME test_two_copies
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/link)
usermm_add_test(link/test_two_copies COMMAND link_test_two_copies
	$<TARGET_FILE:usermm_core_shared> ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:usermm_malloc>)

# An archive in a program that is run under the library: it says so, and both go on.
add_test(NAME link/archive_preloaded COMMAND link_test_link)
set_tests_properties(link/archive_preloaded PROPERTIES TIMEOUT ${hang_seconds}
	PASS_REGULAR_EXPRESSION "two allocators: .*test_link has one of its own"
	FAIL_REGULAR_EXPRESSION "not ok|abort"
	ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:usermm_malloc>)

# The same behind a program whose names are seen: the library is the spare one, and tells nothing.
add_test(NAME link/exported_object_preloaded
	COMMAND link_one_exported_object $<TARGET_FILE:link_user_of_api>)
set_tests_properties(link/exported_object_preloaded PROPERTIES TIMEOUT ${hang_seconds}
	PASS_REGULAR_EXPRESSION "executable=.*passed, 0 failed"
	FAIL_REGULAR_EXPRESSION "executable=.*executable="
	ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:usermm_malloc>;USERMM_OPTIONS=stats=1")

# By what is installed, with each compiler and linker of the build machine.
if(modes_in_full AND NOT CMAKE_CROSSCOMPILING)
	find_package(Python3 REQUIRED COMPONENTS Interpreter)
	add_test(NAME link/linkers
		COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/link/run_linkers.py
			${CMAKE_COMMAND} ${PROJECT_BINARY_DIR})
	set_tests_properties(link/linkers PROPERTIES TIMEOUT 1200 COST 50)
endif()
