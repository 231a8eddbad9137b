# SPDX-License-Identifier: MIT
#
# Each test runs twice: with restartable sequences where the machine has them
# (`:rseq`) and with locked slots (`:locked`), which must work the same. Tests of
# what stands on slots also run with the index that a machine with one memory node
# does not choose by itself (`:cpu_id`), and with more CPUs than it has (`:many`).
set(options_rseq "")
set(options_locked "rseq=off")
set(options_cpu_id "rseq=cpu_id")
set(options_many "simulated_cpus=64")
set(options_freelist "slab_cpu_cache=slab")

# In the release tests of slab also run with the other way in which CPUs keep objects
# (`:freelist`), and with what stands on slab with two nodes, on a CPU of the second one, which
# has nothing of its own at first (`:nodes`).
set(options_nodes "nodes=2:rseq=cpu_id")
set(launcher_nodes taskset -c 1)
execute_process(COMMAND ${launcher_nodes} true RESULT_VARIABLE has_no_second_cpu
	OUTPUT_QUIET ERROR_QUIET)

# In the release what happens to processes and threads, and what all of malloc's calls have to
# answer, also runs where blocks are watched (`:hardened`, `:guarded`). Each guarded object costs
# system calls, so where there are millions of objects fewer of them are (`:seldom_guarded`). An
# eighth of the steps shows it.
# Not here: test_background, test_decay, test_rest, test_sandbox and test_trim wait for memory that
# stays after it was freed, of which hardened=1 leaves too little; what counts calls, mappings,
# faults or bytes of the stack knows those of the default (test_no_syscalls, test_start, test_stack,
# test_limits, ...); and the rest sets such options itself.
set(options_hardened "hardened=1")
set(options_guarded "kfence_sample=2:profile=64K")
set(options_seldom_guarded "kfence_sample=20:profile=64K")
# Heaps have caches of their own, to which these options apply as to a program's.
set(options_all_guarded "kfence_sample=1")
set(options_debug "slab_debug=FZPU")
set(watched_heaps hardened guarded all_guarded debug)
set(watched_hardened align api cancel content dlopen early empty fork fork_handlers info new signal
	signal_malloc static_init threads vfork)
set(watched_guarded align api content early empty fork info new static_init)
set(watched_seldom_guarded cancel dlopen fork_handlers signal signal_malloc threads vfork)
set(divisor_watched 8)

# In the release what takes more than ten seconds of processor time, and can do with fewer steps,
# has a part of them in `make test` (`:part`), and all of them in `make test-long` (`:rseq`).
set(options_part "")
set(divisor_part 8)
set(partly_run malloc/test_fault_calls malloc/test_fork malloc/test_limits malloc/test_mallocx
	malloc/test_scattered malloc/test_signal_malloc malloc/test_sized malloc/test_vfork
	slab/test_bulk)

# COST is about the seconds that a test takes: those that take long begin first, so that the
# last one is not waited for.

# Stress tests make all their steps where two things come together: what is shipped, and a way
# to the slots that differs. What the other flavours look for, a wrong access or an assertion,
# shows in a quarter of them, and what hangs on the values of flags in less.
set(modes_in_full "")
set(divisor_in_full 1)
set(divisor_in_part 4)
if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo AND NOT USERMM_PERMUTED_GFP AND NOT USERMM_MUSL)
	set(modes_in_full rseq locked)
endif()
if(USERMM_PERMUTED_GFP)
	set(divisor_in_part 8)
endif()
# An emulator is slow.
if(CMAKE_CROSSCOMPILING)
	set(divisor_in_full 8)
	set(divisor_in_part 8)
endif()

# A test that takes longer hangs; one that takes half a minute on two idle processors may take
# minutes on a slow machine with much else to do. Those who look for hangs themselves, child by
# child, allow less (tests/support/child.c, tests/malloc/harness/harness.h).
set(hang_seconds 400)

# Answers LAYER for tests/LAYER/FILE and tests/LAYER/FOLDER/FILE. The names of tests and of their
# targets have no FOLDER, so a test may move to another one.
function(usermm_layer_of_test out source)
	cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
	cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
	string(REGEX REPLACE "/.*" "" layer ${source})
	set(${out} ${layer} PARENT_SCOPE)
endfunction()

# What user emulation cannot show, so that a cross build's tests need a machine with
# a kernel (tests/qemu): an emulator tells on the test's stderr when a child aborts,
# shows its own mappings in a child's /proc/PID/maps, has no limits of the address
# space, does not start a program from within another, gives no memory back when told
# to, has page faults of its own, does not tell a handler what is a write, may hang in
# fork() with threads, does not get to the end of loading and unloading under them,
# lets handlers return by code that is in no object, and gives no program privileges.
set(needs_kernel "")
if(CMAKE_CROSSCOMPILING)
	list(APPEND needs_kernel
		mm/test_views os/test_file os/test_memory os/test_process
		page/test_background page/test_parked page/test_release pgtable/test_live
		slab/test_decay slab/test_kfence stats/test_doctor stats/test_process
		link/test_plugin_stays_api
		link/test_plugin_stays_malloc link/test_plugin_stays_object
		link/test_secure_shared link/test_secure_static)
	file(GLOB_RECURSE sources tests/malloc/test_*)
	foreach(source IN LISTS sources)
		cmake_path(GET source STEM stem)
		list(APPEND needs_kernel malloc/${stem})
	endforeach()
	# Those whose children abort with one line on stderr, or that limit addresses.
	file(GLOB_RECURSE sources tests/test_*.c)
	foreach(source IN LISTS sources)
		file(STRINGS ${source} reasons REGEX "CHILD_EXPECT_DEATH|RLIMIT_AS")
		if(reasons)
			usermm_layer_of_test(layer ${source})
			cmake_path(GET source STEM stem)
			list(APPEND needs_kernel ${layer}/${stem})
		endif()
	endforeach()
endif()

# usermm_add_test(NAME COMMAND... [ENVIRONMENT VAR=value...] [SLOTS] [ONCE])
# ONCE is for what another way to the slots would not show anything new of.
function(usermm_add_test name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "SLOTS;ONCE" "" "COMMAND;ENVIRONMENT")
	set(modes rseq locked)
	if(arg_SLOTS)
		list(APPEND modes many)
	endif()
	# What an assertion or a sanitizer finds does not depend on the index, but where the
	# index is made.
	if(arg_SLOTS AND (name MATCHES "^percpu/" OR NOT CMAKE_BUILD_TYPE STREQUAL Debug))
		list(APPEND modes cpu_id)
	endif()
	if(name MATCHES "^slab/" AND modes_in_full)
		list(APPEND modes freelist)
	endif()
	if(name MATCHES "^(slab|quicklist|malloc_core)/" AND modes_in_full AND
	   NOT has_no_second_cpu AND NOT CMAKE_CROSSCOMPILING)
		list(APPEND modes nodes)
	endif()
	if(arg_ONCE)
		set(modes rseq)
	endif()
	set(watched "")
	if(modes_in_full AND NOT CMAKE_CROSSCOMPILING AND name MATCHES "^malloc/test_(.*)$")
		set(stem ${CMAKE_MATCH_1})
		foreach(mode hardened guarded seldom_guarded)
			if(stem IN_LIST watched_${mode})
				list(APPEND watched ${mode})
			endif()
		endforeach()
	endif()
	if(modes_in_full AND NOT CMAKE_CROSSCOMPILING AND
	   name MATCHES "^malloc_core/test_heap(_life)?$")
		list(APPEND watched ${watched_heaps})
	endif()
	list(APPEND modes ${watched})
	if(modes_in_full AND name IN_LIST partly_run)
		list(APPEND modes part)
	endif()
	# Linked statically it is the same test.
	string(REGEX REPLACE "^static/([a-z]+)_test_" "\\1/test_" source ${name})
	foreach(mode IN LISTS modes)
		set(options ${options_${mode}})
		set(divisor ${divisor_in_part})
		if(mode IN_LIST modes_in_full)
			set(divisor ${divisor_in_full})
		elseif(mode IN_LIST watched)
			set(divisor ${divisor_watched})
		elseif(mode STREQUAL part)
			set(divisor ${divisor_part})
		endif()
		set(command ${arg_COMMAND})
		if(launcher_${mode})
			# Behind another program a target's name is not looked up.
			list(POP_FRONT command target)
			list(PREPEND command ${launcher_${mode}} $<TARGET_FILE:${target}>)
		endif()
		add_test(NAME ${name}:${mode} COMMAND ${command})
		set_tests_properties(${name}:${mode} PROPERTIES TIMEOUT ${hang_seconds}
			ENVIRONMENT "USERMM_OPTIONS=${options}")
		set_property(TEST ${name}:${mode} APPEND PROPERTY ENVIRONMENT
			USERMM_TEST_DIVISOR=${divisor} ${arg_ENVIRONMENT})
		if(source IN_LIST needs_kernel)
			set_tests_properties(${name}:${mode} PROPERTIES LABELS needs_kernel)
		endif()
	endforeach()
endfunction()

# Adds the executable of a test's source and answers its target name.
function(usermm_test_executable out source)
	cmake_path(GET source STEM stem)
	usermm_layer_of_test(layer ${source})
	set(target ${layer}_${stem})
	add_executable(${target} ${source})
	set_target_properties(${target} PROPERTIES OUTPUT_NAME ${stem}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${layer})
	target_include_directories(${target} PRIVATE tests)
	target_link_libraries(${target} PRIVATE usermm_flags Threads::Threads m)
	# Lines for reports; the flavour debug has the rest, for who debugs a test.
	if(modes_in_full)
		target_compile_options(${target} PRIVATE -g1)
	endif()
	set(${out} ${target} PARENT_SCOPE)
	set(test_name ${layer}/${stem} PARENT_SCOPE)
endfunction()

# Tests that unwind (tests/support/unwinding.h) also ask libunwind, if it is installed.
find_path(LIBUNWIND_INCLUDE libunwind.h)
find_library(LIBUNWIND unwind)
mark_as_advanced(LIBUNWIND_INCLUDE LIBUNWIND)
function(usermm_use_libunwind target)
	if(LIBUNWIND AND LIBUNWIND_INCLUDE AND NOT CMAKE_CROSSCOMPILING AND NOT USERMM_MUSL)
		target_compile_definitions(${target} PRIVATE HAVE_LIBUNWIND)
		target_include_directories(${target} PRIVATE ${LIBUNWIND_INCLUDE})
		target_link_libraries(${target} PRIVATE ${LIBUNWIND})
	endif()
endfunction()

# Unit tests: one executable a file, with all of the core in it, so that a test
# reaches what the library hides.
file(GLOB_RECURSE support_sources CONFIGURE_DEPENDS tests/support/*.c)
add_library(test_support OBJECT ${support_sources})
target_include_directories(test_support PUBLIC tests kernel)
target_link_libraries(test_support PUBLIC usermm_core usermm_kunit Threads::Threads m)

# ThreadSanitizer gives up where the kernel scatters mappings more than it expects.
set(unit_launcher "")
if(USERMM_TSAN)
	execute_process(COMMAND setarch -R true RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
	if(NOT refused)
		set(unit_launcher setarch -R)
	endif()
endif()

include(cmake/tested_malloc.cmake)

# Has the source what a flavour is there to see? Without ThreadSanitizer all have.
function(usermm_is_for_flavour out source)
	set(${out} YES PARENT_SCOPE)
	if(USERMM_TSAN AND NOT source MATCHES "/(percpu|kernel)/")
		# With one thread, and no handler, it has nothing to see.
		set(more_than_one "pthread_create|threads_run|kswapd|background|fork")
		string(APPEND more_than_one "|storm|sigaction|selftest/|/take_number.h")
		file(STRINGS ${source} found REGEX "${more_than_one}")
		list(FILTER found EXCLUDE REGEX "background=off")
		if(NOT found)
			set(${out} NO PARENT_SCOPE)
		endif()
	endif()
endfunction()

# Answers ONCE, or nothing. The sanitize flavour has assertions too, and makes all tests in all
# ways: where there are assertions alone, once shows whether they do without the sanitizers as
# well, but of what the test leaves out there.
function(usermm_once_is_enough out source)
	file(STRINGS ${source} left_out REGEX "__SANITIZE_ADDRESS__|ADDRESSES_MAY_BE_FEW")
	if(CMAKE_BUILD_TYPE STREQUAL Debug AND NOT USERMM_SANITIZE AND NOT USERMM_TSAN AND
	   NOT left_out)
		set(${out} ONCE PARENT_SCOPE)
	else()
		set(${out} "" PARENT_SCOPE)
	endif()
endfunction()

set(unit_layers base os percpu mm page slab quicklist pgtable stats api selftest malloc_core denied
	bench)
if(TARGET usermm_kernel_objects)
	list(APPEND unit_layers kernel)
endif()
# What knows no GFP flags is the same with other values.
if(USERMM_PERMUTED_GFP)
	list(REMOVE_ITEM unit_layers base os percpu mm selftest denied bench)
endif()
foreach(layer IN LISTS unit_layers)
	file(GLOB_RECURSE sources CONFIGURE_DEPENDS tests/${layer}/test_*.c)
	foreach(source ${sources})
		usermm_is_for_flavour(wanted ${source})
		if(NOT wanted)
			continue()
		endif()
		usermm_test_executable(target ${source})
		cmake_path(GET source STEM stem)
		target_link_libraries(${target} PRIVATE test_support usermm_proofs usermm_kunit
			usermm_core)
		if(layer MATCHES "^(malloc_core|api)$")
			target_link_libraries(${target} PRIVATE tested_malloc)
		elseif(layer STREQUAL kernel)
			target_link_libraries(${target} PRIVATE usermm_kernel_objects)
		elseif(layer STREQUAL bench)
			target_link_libraries(${target} PRIVATE usermm_loads)
			if(stem STREQUAL test_lines)
				target_sources(${target} PRIVATE bench/measure/lines.c
					bench/measure/capstone.c)
				usermm_use_capstone(${target})
			elseif(stem STREQUAL test_json)
				target_sources(${target} PRIVATE bench/json.c bench/json_read.c)
			elseif(stem STREQUAL test_machine)
				target_sources(${target} PRIVATE bench/measure/machine.c)
			endif()
			target_compile_definitions(${target} PRIVATE
				TRACE_MAY_BE_ABSENT=$<BOOL:${CMAKE_CROSSCOMPILING}>)
			add_dependencies(${target} usermm_traces)
		endif()
		if(source MATCHES "/slab/test_unwind.c$")
			usermm_use_libunwind(${target})
		endif()
		set(slots "")
		if(layer MATCHES "percpu|page|slab|quicklist|pgtable|malloc_core|denied|bench")
			set(slots SLOTS)
		endif()
		usermm_once_is_enough(once ${source})
		# A target that comes first is run by the emulator of a cross build.
		set(program ${target})
		if(unit_launcher)
			set(program $<TARGET_FILE:${target}>)
		endif()
		usermm_add_test(${test_name} COMMAND ${unit_launcher} ${program}
			${slots} ${once})
	endforeach()
endforeach()

if(USERMM_SANITIZE OR USERMM_TSAN)
	return()
endif()

if(NOT USERMM_PERMUTED_GFP)
	include(cmake/tests/denied.cmake)
endif()

# clang before 19 knows sized delete only if it is asked to; it is C++14's.
set_source_files_properties(tests/malloc/interpose/test_own_new.cc PROPERTIES
	COMPILE_OPTIONS -fsized-deallocation)

# Tests of malloc are ordinary programs that run without usermm, too; the library
# is preloaded under them, and some ask it what it knows of the machine.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS tests/malloc/test_*.c tests/malloc/test_*.cc)
if(USERMM_MUSL)
	list(FILTER sources EXCLUDE REGEX "\\.cc$")
endif()
foreach(source ${sources})
	usermm_test_executable(target ${source})
	target_include_directories(${target} PRIVATE include tests/malloc/harness)
	# The compiler may neither drop calls nor judge their arguments.
	target_compile_options(${target} PRIVATE -fno-builtin)
	add_dependencies(${target} usermm_malloc)
	if(source MATCHES "/test_unwind.c$")
		target_include_directories(${target} PRIVATE src bench)
		usermm_use_libunwind(${target})
	endif()
	# These wait for time to pass, or for other processes or threads: once is enough.
	if(test_name MATCHES "test_(background|cancel|decay|surroundings)$" AND NOT modes_in_full)
		continue()
	endif()
	usermm_add_test(${test_name} COMMAND ${target}
		ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:usermm_malloc>)
endforeach()

# The one object of malloc in programs, with libc's archives and without; "runtime" is with
# the C++ runtime's alone.
function(usermm_add_object_test name source)
	foreach(kind shared static ${ARGN})
		set(target link_${name}_${kind})
		add_executable(${target} ${source})
		add_dependencies(${target} usermm_malloc_static)
		target_include_directories(${target} PRIVATE include tests tests/malloc/harness)
		target_compile_options(${target} PRIVATE -fno-builtin)
		# In front of the program's objects it is the one that others' groups give way to.
		if(kind MATCHES first)
			target_link_options(${target} PRIVATE ${malloc_object})
		else()
			target_link_libraries(${target} PRIVATE ${malloc_object})
		endif()
		target_link_libraries(${target} PRIVATE usermm_flags Threads::Threads)
		if(kind STREQUAL "static_pie")
			target_compile_options(${target} PRIVATE -fPIE)
			target_link_options(${target} PRIVATE -static-pie)
		elseif(kind STREQUAL "runtime")
			target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
		elseif(kind MATCHES static)
			# A warning of the linker's would be one for every program.
			target_link_options(${target} PRIVATE -static -Wl,--fatal-warnings)
		endif()
		set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}_${kind}
			POSITION_INDEPENDENT_CODE OFF
			RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/link)
		usermm_add_test(link/${name}_${kind} COMMAND ${target})
	endforeach()
endfunction()
# A static program that is loaded anywhere: musl's compiler wrapper has none, nor has glibc on some
# processors (s390x).
include(CheckLinkerFlag)
check_linker_flag(C -static-pie USERMM_LINKS_STATIC_PIE)
set(static_pie)
if(USERMM_LINKS_STATIC_PIE AND NOT USERMM_MUSL)
	set(static_pie static_pie)
endif()
usermm_add_object_test(test_malloc_object tests/link/test_malloc_object.c ${static_pie})
# What takes stacks does so from libc's first allocation on.
foreach(kind static ${static_pie})
	add_test(NAME link/test_malloc_object_${kind}:debug COMMAND link_test_malloc_object_${kind})
	add_test(NAME link/test_malloc_object_${kind}:guard COMMAND link_test_malloc_object_${kind})
	set_tests_properties(link/test_malloc_object_${kind}:debug PROPERTIES
		TIMEOUT ${hang_seconds} ENVIRONMENT "USERMM_OPTIONS=slab_debug=FZPU:page_owner=1")
	set_tests_properties(link/test_malloc_object_${kind}:guard PROPERTIES
		TIMEOUT ${hang_seconds} ENVIRONMENT "USERMM_OPTIONS=kfence_sample=1")
endforeach()
usermm_add_object_test(test_secure tests/link/test_secure.c)
foreach(mode rseq locked)
	set_tests_properties(link/test_secure_shared:${mode} link/test_secure_static:${mode}
		PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

# The rest is in C++, needs the command, or loads the archive in a plugin, whose
# initial-exec variables musl's loader refuses.
if(USERMM_MUSL)
	return()
endif()

# The archive in a program that uses the library's inner names for its own things.
add_executable(link_test_link tests/link/test_link.cc)
add_dependencies(link_test_link usermm_static)
target_include_directories(link_test_link PRIVATE include)
target_compile_options(link_test_link PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wpedantic>)
target_link_libraries(link_test_link PRIVATE ${archive} usermm_flags Threads::Threads)
set_target_properties(link_test_link PROPERTIES OUTPUT_NAME test_link
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/link)
usermm_add_test(link/test_link COMMAND link_test_link)

usermm_add_object_test(test_new_object tests/link/test_new_object.cc first first_static)
usermm_add_object_test(test_new_bare tests/link/test_new_bare.cc runtime ${static_pie})
usermm_add_object_test(test_new_handler tests/link/test_new_handler.cc runtime ${static_pie})
usermm_add_object_test(test_own_new tests/malloc/interpose/test_own_new.cc)
usermm_add_object_test(test_own_mallctl tests/link/test_own_mallctl.c)

include(cmake/tests/link.cmake)
include(cmake/tests/cpp.cmake)

include(cmake/tests/style.cmake)

# From here on programs of the build machine take part. Where they cannot, the proofs
# judge themselves.
if(CMAKE_CROSSCOMPILING)
	if(TARGET usermm)
		add_test(NAME selftest/percpu COMMAND usermm selftest percpu --patience 1500)
		set_tests_properties(selftest/percpu PROPERTIES TIMEOUT 1200 LABELS needs_kernel)
	endif()
	return()
endif()

if(TARGET usermm_kernel)
	# Each header for kernel sources alone, and all of them in any order.
	add_test(NAME style/kernel_headers
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/kernel/headers/check_headers.py
			--compiler ${CMAKE_C_COMPILER})
	set_tests_properties(style/kernel_headers PROPERTIES TIMEOUT 1200 COST 30)

	# A module of an old kernel shares structures with the library.
	add_test(NAME style/kernel_layouts
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/kernel/headers/check_layouts.py
			--compiler ${CMAKE_C_COMPILER})
	set_tests_properties(style/kernel_layouts PROPERTIES TIMEOUT 1200)

	# Each of libc's headers with these in front.
	add_test(NAME style/libc_headers
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/kernel/headers/check_libc_headers.py
			--compiler ${CMAKE_C_COMPILER})
	set_tests_properties(style/libc_headers PROPERTIES TIMEOUT 1200 COST 10)

	# The list of supported names, in the newest kernel, and in each.
	add_test(NAME style/kernel_names
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/kernel/headers/check_names.py
			--compiler ${CMAKE_C_COMPILER})
	add_test(NAME style/kernel_names_each
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/kernel/headers/check_names.py
			--long --compiler ${CMAKE_C_COMPILER})
	set_tests_properties(style/kernel_names style/kernel_names_each PROPERTIES
		TIMEOUT 1200 COST 30)
	add_test(NAME style/test_compiling
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/tools/test_compiling.py)

	# Locks and per-CPU data with more CPUs than the machine has, and with one.
	foreach(cpus 1 16 64)
		foreach(what cpus work)
			usermm_add_test(kernel/test_${what}_${cpus} COMMAND kernel_test_${what}
				ENVIRONMENT USERMM_KERNEL_CPUS=${cpus})
		endforeach()
	endforeach()
endif()

# What is the same in every flavour, so one is enough. First what cannot be seen by
# running: the protocols between CPUs, in every order.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
	add_test(NAME models/percpu_stop
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/models/run_models.py)
	set_tests_properties(models/percpu_stop PROPERTIES TIMEOUT 1200 COST 50)

	# The kernel's own tests of rseq, where its source is installed.
	file(GLOB kernel_sources /usr/src/linux-source-*.tar.xz)
	if(kernel_sources)
		add_test(NAME kernel/rseq_selftests
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/kernel_rseq/run_selftests.py --short
				--build ${PROJECT_BINARY_DIR}/kernel_rseq)
		# Its tests spin for one another, so others' load would be most of the time.
		set_tests_properties(kernel/rseq_selftests PROPERTIES TIMEOUT 1200
			PROCESSORS 2 COST 30)
	endif()

	# The proofs want the processors for themselves: their storm has to hit something.
	foreach(what proofs refusals)
		add_test(NAME selftest/percpu:${what}
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/selftest/run_selftest.py
				$<TARGET_FILE:usermm> ${what})
		set_tests_properties(selftest/percpu:${what} PROPERTIES TIMEOUT 1200
			RUN_SERIAL TRUE)
	endforeach()
endif()

include(cmake/tests/inspect.cmake)
include(cmake/tests/command.cmake)

# Real programs, with and without the library under them.
add_executable(preload_maxrss tests/preload/maxrss.c)
target_link_libraries(preload_maxrss PRIVATE usermm_flags)
set_target_properties(preload_maxrss PROPERTIES OUTPUT_NAME maxrss
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/preload)
foreach(mode rseq locked)
	add_test(NAME preload/programs:${mode}
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/preload/run_preload.py
			--library $<TARGET_FILE:usermm_malloc>
			--maxrss $<TARGET_FILE:preload_maxrss> --options=${options_${mode}})
	set_tests_properties(preload/programs:${mode} PROPERTIES TIMEOUT 900 COST 30)
endforeach()
# Without inlining, and with assertions, often run code calls small functions of seldom's files.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
	add_test(NAME preload/seldom
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/preload/run_seldom.py
			$<TARGET_FILE:usermm_malloc>)
	set_tests_properties(preload/seldom PROPERTIES SKIP_RETURN_CODE 77)
endif()

# The heap's profile, read by the tool that it is for.
add_test(NAME malloc/pprof
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/malloc/profile/run_pprof.py
		$<TARGET_FILE:usermm_malloc> $<TARGET_FILE:malloc_test_profile>)
set_tests_properties(malloc/pprof PROPERTIES SKIP_RETURN_CODE 77)
# A debugger that stops anywhere in malloc().
add_test(NAME malloc/gdb
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/malloc/run_gdb.py
		$<TARGET_FILE:usermm_malloc>)
set_tests_properties(malloc/gdb PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${hang_seconds})
# What tracers see of the samples.
add_test(NAME malloc/probes
	COMMAND ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tests/malloc/profile/run_probes.py
		${PROJECT_BINARY_DIR} $<$<BOOL:${CMAKE_CROSSCOMPILING}>:--cross>)
set_tests_properties(malloc/probes PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${hang_seconds})
# What jemalloc's names tell, by a program that asks for them.
if(TARGET usermm)
	add_test(NAME malloc/redis_mallctl
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/malloc/interpose/run_mallctl.py
			$<TARGET_FILE:usermm>)
	set_tests_properties(malloc/redis_mallctl PROPERTIES SKIP_RETURN_CODE 77)
endif()

include(cmake/tests/programs.cmake)
if(modes_in_full)
	include(cmake/tests/bindings.cmake)
endif()

# The rest compiles modules, which would have to know of the other values, or compares
# machine code.
if(USERMM_PERMUTED_GFP)
	return()
endif()

if(TARGET usermm)
	include(cmake/tests/modules.cmake)
endif()

if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo AND CMAKE_C_COMPILER_ID STREQUAL GNU
   AND processor STREQUAL x86_64)
	include(cmake/tests/golden.cmake)
endif()
