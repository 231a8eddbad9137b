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
# has no limits of the address space, does not start a program from within another,
# gives no memory back when told to, has page faults of its own, does not tell a handler
# what is a write, may hang in fork() with threads, does not get to the end of loading and
# unloading under them, lets handlers return by code that is in no object, and gives no program
# privileges.
set(needs_kernel "")
if(CMAKE_CROSSCOMPILING)
	list(APPEND needs_kernel
		mm/test_views os/test_file os/test_memory os/test_process
		page/test_background page/test_parked page/test_release
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
	include(cmake/tests_denied.cmake)
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

include(cmake/tests_link.cmake)
include(cmake/tests_cpp.cmake)

# By its path: a cross build takes a target for a program of the other machine.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_test(NAME style/layers
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers.py)
add_test(NAME style/lines
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_lines.py)
# README.md and docs/: do links lead somewhere, do the named things exist?
add_test(NAME style/docs
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tools/check_docs.py)

# Has each source file a test of its name, or a line that says what tests it?
add_test(NAME style/test_names
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tools/check_test_names.py)

# Has each folder a README, and at most 30 sources?
add_test(NAME style/folders
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tools/check_folders.py)

# Are names that were replaced gone, and do sentences begin with their subject?
add_test(NAME style/words
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tools/check_words.py)

# The page of options, against the table that the parser is made from.
if(TARGET usermm_pages AND NOT CMAKE_CROSSCOMPILING)
	set(options_page ${PROJECT_SOURCE_DIR}/docs/options.md)
	add_test(NAME style/options
		COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:usermm_pages>
			-DPAGE=${options_page}
			-P ${PROJECT_SOURCE_DIR}/cmake/check_options.cmake)
	add_custom_target(update_options COMMAND usermm_pages --options > ${options_page} VERBATIM)
endif()

# What was built, against the rules of restartable sequences; and whether the check
# sees what is wrong. Its modules are packages of the system's own python.
find_program(SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
set(products $<TARGET_FILE:usermm_shared> $<TARGET_FILE:usermm_malloc> ${archive})
if(TARGET usermm)
	list(APPEND products $<TARGET_FILE:usermm>)
endif()
add_test(NAME style/exports
	COMMAND ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_exports.py
		$<TARGET_FILE:usermm_shared> $<TARGET_FILE:usermm_malloc> ${archive}
		${malloc_archive})
set(abi_libraries $<TARGET_FILE:usermm_core_shared> $<TARGET_FILE:usermm_malloc>)
if(modes_in_full)
	add_test(NAME abi/reference
		COMMAND ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tests/abi/check_abi.py
			${abi_libraries})
	set_tests_properties(abi/reference PROPERTIES SKIP_RETURN_CODE 77)
	add_custom_target(update_abi COMMAND ${SYSTEM_PYTHON}
		${PROJECT_SOURCE_DIR}/tests/abi/check_abi.py --update ${abi_libraries}
		DEPENDS usermm_core_shared usermm_malloc COMMAND_EXPAND_LISTS VERBATIM)
endif()
add_test(NAME style/index
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/tools/check_index.py
		$<TARGET_FILE:usermm_shared> $<TARGET_FILE:usermm_malloc>)
set_tests_properties(style/index PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME style/layout
	COMMAND ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_layout.py
		$<TARGET_FILE:usermm_shared> $<TARGET_FILE:usermm_malloc>)
add_test(NAME style/unwind
	COMMAND ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_unwind.py
		$<TARGET_FILE:usermm_shared> $<TARGET_FILE:usermm_malloc>)
set_tests_properties(style/unwind PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME style/weak
	COMMAND ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_weak.py ${CMAKE_C_COMPILER}
		${archive} ${malloc_archive})
add_test(NAME style/sequences
	COMMAND ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_sequences.py
		--unregisters run_bare --unregisters leave_rseq ${products})
set_tests_properties(style/sequences PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME bench/test_record_mm_events
	COMMAND ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tests/bench/test_record_mm_events.py)
foreach(tool sequences fast_paths lines layout unwind weak docs layers folders words test_names
	site clang)
	add_test(NAME style/test_check_${tool}
		COMMAND ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tests/tools/test_check_${tool}.py)
endforeach()

# What the release's compiler takes, clang takes as well.
if(modes_in_full)
	add_test(NAME style/clang
		COMMAND ${SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tests/tools/check_clang.py
			${PROJECT_BINARY_DIR})
	set_tests_properties(style/clang PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1200 COST 30)
endif()

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

	# The list of supported names, in some kernels, and in each.
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

include(cmake/tests_inspect.cmake)
add_test(NAME command/options
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/run_options.py
		$<TARGET_FILE:usermm> $<TARGET_FILE:usermm_malloc>)
add_test(NAME command/doctor_group
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/run_doctor.py
		$<TARGET_FILE:usermm>)
add_test(NAME command/resized
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/run_resized.py
		$<TARGET_FILE:usermm> $<TARGET_FILE:usermm_malloc>)
set_tests_properties(command/doctor_group command/resized PROPERTIES SKIP_RETURN_CODE 77)
# Help, man pages and completions; the line that shows progress; records and reports.
if(TARGET usermm_pages)
	add_test(NAME command/pages
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/check_pages.py
			$<TARGET_FILE:usermm> ${pages_folder})
	add_test(NAME command/progress
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/check_progress.py
			$<TARGET_FILE:usermm>)
	add_test(NAME command/report
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/check_report.py
			$<TARGET_FILE:usermm>)
	add_test(NAME command/export
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/check_export.py
			$<TARGET_FILE:usermm>)
	add_test(NAME command/report_browser
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/check_report.py
			$<TARGET_FILE:usermm> --browser ${PROJECT_BINARY_DIR}/screenshots)
	add_test(NAME command/examples
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/check_examples.py
			$<TARGET_FILE:usermm>)
	if(TARGET usermm-inspect)
		add_test(NAME command/words
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/command/check_words.py
				$<TARGET_FILE:usermm> $<TARGET_FILE:inspect_leaky>
				$<TARGET_FILE:usermm_malloc>)
		add_test(NAME command/control
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/command/run_control.py
				$<TARGET_FILE:usermm> $<TARGET_FILE:inspect_leaky>
				$<TARGET_FILE:usermm_malloc>)
		add_test(NAME command/map
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/command/check_map.py
				$<TARGET_FILE:usermm>)
		add_test(NAME command/profile
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/command/check_profile.py
				$<TARGET_FILE:usermm>)
		add_test(NAME command/profile_browser
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/command/check_profile.py
				$<TARGET_FILE:usermm> --browser ${PROJECT_BINARY_DIR}/screenshots)
		set_tests_properties(command/control command/map command/profile
			command/profile_browser PROPERTIES TIMEOUT ${hang_seconds})
	endif()
	set_tests_properties(command/pages command/progress command/report command/export
		command/report_browser PROPERTIES TIMEOUT ${hang_seconds})
endif()
if(TARGET usermm AND NOT CMAKE_CROSSCOMPILING)
	add_test(NAME command/started
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/run_started.py
			$<TARGET_FILE:usermm> ${PROJECT_BINARY_DIR}/tests/kernel/test_printk)
endif()
add_test(NAME command/folders
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/run_folders.py
		$<TARGET_FILE:usermm> $<TARGET_FILE:usermm_malloc>)

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
add_test(NAME preload/seldom
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/preload/run_seldom.py
		$<TARGET_FILE:usermm_malloc>)
set_tests_properties(preload/seldom PROPERTIES SKIP_RETURN_CODE 77)

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

include(cmake/tests_programs.cmake)
if(modes_in_full)
	include(cmake/tests_bindings.cmake)
endif()

# The rest compiles modules, which would have to know of the other values, or compares
# machine code.
if(USERMM_PERMUTED_GFP)
	return()
endif()

# Sample modules through the runner; and the kernel's own tests, where its source is
# installed: what they need and do not get is listed in the script.
if(TARGET usermm)
	add_test(NAME module/run_modules
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/module/run_modules.py
			$<TARGET_FILE:usermm>)
	set_tests_properties(module/run_modules PROPERTIES TIMEOUT 1200 COST 80)
	# Programs that open the files that modules make.
	add_test(NAME module/run_files
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/module/run_files.py
			$<TARGET_FILE:usermm>)
	set_tests_properties(module/run_files PROPERTIES TIMEOUT 600)
	if(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
		# The commands of README.md and docs/.
		add_test(NAME command/docs
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/command/run_docs.py
				$<TARGET_FILE:usermm>)
		set_tests_properties(command/docs PROPERTIES TIMEOUT 600 COST 30)
		add_test(NAME module/run_bench
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/module/run_bench.py
				$<TARGET_FILE:usermm>)
		set_tests_properties(module/run_bench PROPERTIES TIMEOUT 1200 COST 70)
	endif()
	add_test(NAME bench/run_quicklist
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/bench/run_quicklist.py
			$<TARGET_FILE:usermm>)
	set_tests_properties(bench/run_quicklist PROPERTIES TIMEOUT 900)
	add_test(NAME bench/run_memory
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/bench/run_memory.py
			$<TARGET_FILE:usermm_malloc>)
	add_test(NAME bench/run_heavy
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/bench/run_heavy.py
			$<TARGET_FILE:usermm_malloc>)
	add_test(NAME bench/run_threads
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/bench/run_threads.py
			$<TARGET_FILE:usermm_malloc>)
	add_test(NAME bench/run_slab_malloc
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/bench/run_slab_malloc.py
			$<TARGET_FILE:usermm>)
	set_tests_properties(bench/run_slab_malloc PROPERTIES TIMEOUT 900)
	add_test(NAME tools/test_command_line
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/tools/test_command_line.py
			$<TARGET_FILE:usermm>)
	add_test(NAME style/test_supported
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/tools/test_supported.py)
	add_test(NAME style/test_warnings
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/tools/test_warnings.py)
	add_test(NAME style/test_linux_tools
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/tools/test_linux_tools.py)
	add_test(NAME style/test_conformance_runner
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/tools/test_conformance_runner.py)
	add_test(NAME style/test_run_kernels
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/tools/test_run_kernels.py)
	add_test(NAME style/test_run_upstream
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/tools/test_run_upstream.py)
	add_test(NAME style/test_run_trees
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/tools/test_run_trees.py)
	add_test(NAME style/test_run_cpython
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/tools/test_run_cpython.py)
	file(GLOB kernel_source_archives /usr/src/linux-source-6.12.tar.xz)
	if(kernel_source_archives)
		add_test(NAME module/upstream
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/module/run_upstream.py
				$<TARGET_FILE:usermm> ${kernel_source_archives}
				--build ${PROJECT_BINARY_DIR}/upstream)
		set_tests_properties(module/upstream PROPERTIES TIMEOUT 1200 COST 50)
		# The same machine code in every flavour: the tests' own.
		if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo)
			add_test(NAME kernel/trees
				COMMAND Python3::Interpreter
					${PROJECT_SOURCE_DIR}/tests/kernel/trees/run_trees.py
					${PROJECT_BINARY_DIR} ${kernel_source_archives}
					--build ${PROJECT_BINARY_DIR}/trees)
			set_tests_properties(kernel/trees PROPERTIES TIMEOUT 1200 COST 30
				ENVIRONMENT "CC=${CMAKE_C_COMPILER}")
		endif()
		add_custom_target(upstream-tests
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/module/run_upstream.py
				$<TARGET_FILE:usermm> ${kernel_source_archives}
				--build ${PROJECT_BINARY_DIR}/upstream --verbose
			DEPENDS usermm usermm_kernel VERBATIM USES_TERMINAL)
	endif()

	file(GLOB newest_source_archives /usr/src/linux-source-7.3.tar.xz)
	if(newest_source_archives)
		add_test(NAME module/upstream_7_3
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/module/run_upstream.py
				$<TARGET_FILE:usermm> ${newest_source_archives}
				--build ${PROJECT_BINARY_DIR}/upstream)
		set_tests_properties(module/upstream_7_3 PROPERTIES TIMEOUT 1200 COST 50)
	endif()

	# What it writes, read as scripts read the files of Linux; and as its own tools do, which
	# are unpacked.
	set(check_formats Python3::Interpreter
		${PROJECT_SOURCE_DIR}/tests/stats/check_formats.py $<TARGET_FILE:usermm>)
	add_test(NAME stats/check_formats COMMAND ${check_formats})
	set_tests_properties(stats/check_formats PROPERTIES TIMEOUT 900)
	if(kernel_source_archives)
		add_test(NAME stats/page_owner_sort
			COMMAND ${check_formats} ${kernel_source_archives}
				Formats.test_page_owner_sort)
		set_tests_properties(stats/page_owner_sort PROPERTIES TIMEOUT 900)
	endif()
	add_executable(stats_print_metrics tests/stats/print_metrics.c)
	target_include_directories(stats_print_metrics PRIVATE include)
	target_link_libraries(stats_print_metrics PRIVATE usermm_shared usermm_flags)
	set_target_properties(stats_print_metrics PROPERTIES OUTPUT_NAME print_metrics
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/stats)
	add_test(NAME stats/check_metrics
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/stats/check_metrics.py
			$<TARGET_FILE:stats_print_metrics> $<TARGET_FILE:usermm>)
	add_test(NAME stats/check_stats_file
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/stats/check_stats_file.py
			$<TARGET_FILE:usermm>)

	# Without Linux itself; `make conformance` has both sides.
	add_test(NAME conformance/usermm
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/conformance/run_conformance.py
			$<TARGET_FILE:usermm> --usermm-only)
	# The rules of the Linux that `make conformance` builds, where they are not the newest.
	add_test(NAME conformance/usermm_6_12
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/conformance/run_conformance.py
			$<TARGET_FILE:usermm> --usermm-only --linux 6.12 --changed)
	set_tests_properties(conformance/usermm conformance/usermm_6_12 PROPERTIES TIMEOUT 1200)

	# A module by CMake.
	include(cmake/usermm_module.cmake)
	usermm_add_module(module_ok ${PROJECT_SOURCE_DIR}/tests/module/samples/ok.c)
	set_target_properties(module_ok PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/module)
	add_test(NAME module/cmake COMMAND module_ok)
	set_tests_properties(module/cmake PROPERTIES
		PASS_REGULAR_EXPRESSION "ok: loaded.*ok: unloaded")
	# With malloc's core below it, whose objects are no leaks of the module's.
	add_test(NAME module/cmake_preloaded COMMAND module_ok)
	set_tests_properties(module/cmake_preloaded PROPERTIES
		PASS_REGULAR_EXPRESSION "ok: loaded.*ok: unloaded"
		FAIL_REGULAR_EXPRESSION "leak|usermm:"
		ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:usermm_malloc>)

	# And by CMake in another project, which knows only what was installed.
	add_test(NAME module/package
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/package/check_package.py
			${CMAKE_COMMAND} ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER})
	set_tests_properties(module/package PROPERTIES TIMEOUT 900)

	# And as a part of another project; to build it takes as long as to build the products.
	set(check_subdirectory Python3::Interpreter
		${PROJECT_SOURCE_DIR}/tests/package/check_subdirectory.py)
	add_test(NAME package/subdirectory
		COMMAND ${check_subdirectory} ${CMAKE_COMMAND} ${CMAKE_C_COMPILER})
	add_test(NAME package/subdirectory_built
		COMMAND ${check_subdirectory} --build ${CMAKE_COMMAND} ${CMAKE_C_COMPILER})
	set_tests_properties(package/subdirectory_built PROPERTIES TIMEOUT 1200)
	if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo AND PROJECT_IS_TOP_LEVEL)
		add_test(NAME package/debian
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/package/check_debian.py
				${CMAKE_COMMAND} ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER})
		set_tests_properties(package/debian PROPERTIES TIMEOUT 1200)
		set(check_minimal Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/package/check_minimal.py)
		add_test(NAME package/minimal
			COMMAND ${check_minimal} ${CMAKE_COMMAND} ${CMAKE_C_COMPILER})
		add_test(NAME package/minimal_built
			COMMAND ${check_minimal} --build ${CMAKE_COMMAND} ${CMAKE_C_COMPILER})
		set_tests_properties(package/minimal package/minimal_built PROPERTIES
			TIMEOUT 1200 SKIP_RETURN_CODE 77)
		# Debian's newest release; for root, and where its packages can be fetched.
		add_test(NAME package/distros
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/distros/run_distros.py --short
				--jobs 1 --build ${PROJECT_BINARY_DIR}/distros trixie)
		set_tests_properties(package/distros PROPERTIES TIMEOUT 1800 COST 90
			SKIP_RETURN_CODE 77)
	endif()
endif()

# What the fast paths execute, against the table of the release and Debian 12's gcc.
if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo AND CMAKE_C_COMPILER_ID STREQUAL GNU
   AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
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
endif()
