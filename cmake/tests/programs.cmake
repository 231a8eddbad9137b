# SPDX-License-Identifier: MIT
#
# Others' tests and programs under the preloaded library, as far as they are installed:
# short selections, in the release alone. The Makefile has targets for the whole.
if(NOT modes_in_full)
	return()
endif()

# What becomes of mistakes, by default and with options.
file(GLOB misuse_sources CONFIGURE_DEPENDS tests/misuse/*.c tests/misuse/*.cc)
add_executable(misuse ${misuse_sources})
target_include_directories(misuse PRIVATE tests)
# The compiler may neither drop calls nor judge their arguments.
target_compile_options(misuse PRIVATE -fno-builtin)
target_link_libraries(misuse PRIVATE usermm_flags Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(misuse PROPERTIES
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/misuse)
foreach(mode rseq locked)
	add_test(NAME misuse/scoreboard:${mode}
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/misuse/run_misuse.py
			--program $<TARGET_FILE:misuse> --library $<TARGET_FILE:usermm_malloc>)
	set_tests_properties(misuse/scoreboard:${mode} PROPERTIES TIMEOUT 900
		ENVIRONMENT "USERMM_OPTIONS=${options_${mode}}")
endforeach()
add_test(NAME style/test_run_misuse
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/tools/test_run_misuse.py)

# fork() while threads allocate: does it hang? `make soak-fork` says how long it takes.
add_executable(fork_storm tests/soak/fork_storm.c)
target_include_directories(fork_storm PRIVATE tests tests/malloc/harness)
target_link_libraries(fork_storm PRIVATE usermm_flags Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(fork_storm PROPERTIES
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/soak)
foreach(mode rseq locked)
	add_test(NAME soak/fork:${mode}
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/soak/run_fork.py
			--program $<TARGET_FILE:fork_storm> --library $<TARGET_FILE:usermm_malloc>
			--forks 100 --rounds 2)
	set_tests_properties(soak/fork:${mode} PROPERTIES TIMEOUT 900
		ENVIRONMENT "USERMM_OPTIONS=${options_${mode}}")
endforeach()

# `make soak-peak`
add_executable(peak tests/soak/peak.c)
target_include_directories(peak PRIVATE tests tests/malloc/harness)
target_link_libraries(peak PRIVATE usermm_flags ${CMAKE_DL_LIBS})
set_target_properties(peak PROPERTIES
	RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/soak)

# Programs that bring AddressSanitizer.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
	add_test(NAME preload/sanitized
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/preload/run_sanitized.py
			--library $<TARGET_FILE:usermm_malloc> --compiler ${CMAKE_C_COMPILER})
	set_tests_properties(preload/sanitized PROPERTIES TIMEOUT 900
		ENVIRONMENT USERMM_OPTIONS=)
endif()

# Beside a library that owns one of the functions that libc's are for this one.
set(run_owned Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/preload/run_owned.py
	--library $<TARGET_FILE:usermm_malloc> --compiler ${CMAKE_C_COMPILER})
add_test(NAME preload/owned COMMAND ${run_owned})
add_test(NAME preload/owned_long COMMAND ${run_owned} --long)
set_tests_properties(preload/owned preload/owned_long PROPERTIES TIMEOUT 900
	SKIP_RETURN_CODE 77 COST 20 ENVIRONMENT USERMM_OPTIONS=)

# Beside a library that allocates before this one is relocated.
add_test(NAME preload/early
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/preload/run_early.py
		--library $<TARGET_FILE:usermm_malloc> --compiler ${CMAKE_C_COMPILER})
set_tests_properties(preload/early PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT USERMM_OPTIONS=)

# Programs that have some of malloc's functions of their own.
add_test(NAME preload/family
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/preload/run_family.py
		--library $<TARGET_FILE:usermm_malloc> --compiler ${CMAKE_CXX_COMPILER})
set_tests_properties(preload/family PROPERTIES TIMEOUT 900 COST 15 ENVIRONMENT USERMM_OPTIONS=)

# Some of the real programs again, with each block watched. They make no mistake.
add_test(NAME preload/hardened
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/preload/run_preload.py
		--library $<TARGET_FILE:usermm_malloc> --options=hardened=1
		sqlite3 sort)
set_tests_properties(preload/hardened PROPERTIES TIMEOUT 900)

# glibc's own tests of malloc.
file(GLOB glibc_sources /usr/src/glibc/glibc-*.tar.xz)
if(glibc_sources)
	list(GET glibc_sources 0 glibc_source)
	add_test(NAME glibc/short
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/glibc/run_glibc.py
			--short --library $<TARGET_FILE:usermm_malloc> --source ${glibc_source}
			--build ${PROJECT_BINARY_DIR}/glibc --options= --options=hardened=1)
	set_tests_properties(glibc/short PROPERTIES TIMEOUT 1200 COST 30)
endif()

# CPython's, of a version whose interpreter is there as well.
set(tested_pythons "")
file(GLOB pythons /usr/bin/python3.*)
foreach(python ${pythons})
	get_filename_component(name ${python} NAME)
	if(EXISTS /usr/lib/${name}/test/test_list.py)
		list(APPEND tested_pythons ${python})
	endif()
endforeach()
if(tested_pythons)
	add_test(NAME programs/cpython
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/programs/run_cpython.py
			--short --library $<TARGET_FILE:usermm_malloc>)
	set_tests_properties(programs/cpython PROPERTIES TIMEOUT 1200 COST 25)
endif()

# Those programs that are here.
add_test(NAME programs/short
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/programs/run_programs.py
		--short --library $<TARGET_FILE:usermm_malloc>)
set_tests_properties(programs/short PROPERTIES TIMEOUT 1200 COST 20)

# libFuzzer on malloc and the slab calls, in a build of its own.
find_program(CLANG clang)
file(GLOB fuzzer_runtime
	/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-${processor}.a)
if(CLANG AND fuzzer_runtime)
	add_test(NAME fuzz/short
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/fuzz/run_fuzz.py
			--seconds 18 --jobs 1 --build ${PROJECT_BINARY_DIR}/fuzz)
	set_tests_properties(fuzz/short PROPERTIES TIMEOUT 1200 COST 30)
endif()
