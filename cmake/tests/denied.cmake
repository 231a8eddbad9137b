# SPDX-License-Identifier: MIT
#
# usermm where restartable sequences are refused, somebody else's, or registered by
# usermm itself; and statically linked.

# The core as it is under a libc that offers no area: the symbols that glibc has do not
# exist. glibc itself has to leave the threads alone.
add_library(registration_own OBJECT src/percpu/rseq/registration.c)
target_include_directories(registration_own PRIVATE src include)
set(absent __rseq_offset=usermm_absent_rseq_offset __rseq_size=usermm_absent_rseq_size
	USERMM_LIBC_MAY_LACK_RSEQ)
target_compile_definitions(registration_own PRIVATE ${absent})
target_link_libraries(registration_own PRIVATE usermm_flags)
add_library(usermm_own_core INTERFACE)
target_include_directories(usermm_own_core INTERFACE src include
	$<TARGET_PROPERTY:usermm_kunit,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(usermm_own_core INTERFACE KUNIT_PLAIN)
target_link_libraries(usermm_own_core INTERFACE Threads::Threads m)
target_sources(usermm_own_core INTERFACE
	$<FILTER:$<TARGET_OBJECTS:usermm_core>,EXCLUDE,percpu/rseq/registration>
	$<TARGET_OBJECTS:registration_own> $<TARGET_OBJECTS:test_support>
	$<TARGET_OBJECTS:usermm_kunit>)
set(libc_leaves_threads_alone GLIBC_TUNABLES=glibc.pthread.rseq=0)

foreach(source tests/owner/test_owner.c tests/owner/test_odd_area.c
	tests/percpu/test_thread_life.c tests/percpu/test_registration.c
	tests/percpu/test_stress.c tests/slab/stress/test_threads.c
	tests/denied/test_no_syscalls.c)
	cmake_path(GET source STEM stem)
	usermm_layer_of_test(layer ${source})
	set(target own_${layer}_${stem})
	add_executable(${target} ${source})
	set_target_properties(${target} PROPERTIES OUTPUT_NAME ${layer}_${stem}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/own)
	target_include_directories(${target} PRIVATE tests)
	target_compile_definitions(${target} PRIVATE ${absent})
	target_link_libraries(${target} PRIVATE usermm_own_core usermm_flags)
	add_test(NAME own/${layer}_${stem} COMMAND ${target})
	set_tests_properties(own/${layer}_${stem} PROPERTIES TIMEOUT ${hang_seconds}
		ENVIRONMENT "USERMM_OPTIONS=;${libc_leaves_threads_alone}")
	if(CMAKE_CROSSCOMPILING)
		set_property(TEST own/${layer}_${stem} APPEND PROPERTY ENVIRONMENT
			USERMM_TEST_DIVISOR=${divisor_in_part})
	endif()
endforeach()

# Statically linked. What the archive and the core do there is what they do elsewhere,
# but libc's area and its getcpu(2) come from another start-up.
foreach(source tests/percpu/test_percpu.c tests/percpu/test_registration.c
	tests/percpu/test_stress.c tests/percpu/test_thread_life.c tests/page/test_page_alloc.c
	tests/slab/test_slab.c tests/slab/kmalloc/test_kmalloc.c tests/quicklist/test_quicklist.c
	tests/denied/test_no_syscalls.c)
	cmake_path(GET source STEM stem)
	usermm_layer_of_test(layer ${source})
	set(target static_${layer}_${stem})
	add_executable(${target} ${source})
	set_target_properties(${target} PROPERTIES OUTPUT_NAME ${layer}_${stem}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/static)
	target_include_directories(${target} PRIVATE tests)
	target_link_libraries(${target} PRIVATE test_support usermm_kunit usermm_core usermm_flags
		Threads::Threads m)
	target_link_options(${target} PRIVATE -static)
	usermm_add_test(static/${layer}_${stem} COMMAND ${target})
endforeach()

# From here on with C++, the command, and what can run on the build machine alone; one
# flavour is enough.
if(CMAKE_CROSSCOMPILING OR NOT TARGET usermm OR CMAKE_BUILD_TYPE STREQUAL Debug)
	return()
endif()

add_executable(static_link tests/link/test_link.cc)
add_dependencies(static_link usermm_static)
target_include_directories(static_link PRIVATE include)
target_link_libraries(static_link PRIVATE ${archive} usermm_flags Threads::Threads)
target_link_options(static_link PRIVATE -static)
set_target_properties(static_link PROPERTIES OUTPUT_NAME link_test_link
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/static)
usermm_add_test(static/link_test_link COMMAND static_link)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_executable(denied_deny tests/denied/deny.c)
target_link_libraries(denied_deny PRIVATE usermm_flags)
set_target_properties(denied_deny PROPERTIES OUTPUT_NAME deny
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/denied)
set(run_denied Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/denied/run_denied.py
	${PROJECT_BINARY_DIR})
set(denied_conditions rseq_ENOSYS rseq_EPERM rseq_EINVAL membarrier_ENOSYS membarrier_EPERM
	membarrier_EINVAL both_ENOSYS tunable valgrind)
foreach(condition IN LISTS denied_conditions)
	add_test(NAME denied/${condition} COMMAND ${run_denied} ${condition} --jobs 1)
	set_tests_properties(denied/${condition} PROPERTIES TIMEOUT 1200)
endforeach()
