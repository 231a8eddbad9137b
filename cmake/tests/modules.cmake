# SPDX-License-Identifier: MIT
#
# Tests that compile modules or other projects, and those of the scripts that do so; included by
# tests.cmake.

# Sample modules through the runner; and the kernel's own tests, where its source is
# installed: what they need and do not get is listed in the script.
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
foreach(load memory heavy threads)
	add_test(NAME bench/run_${load}
		COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/bench/run_${load}.py
			$<TARGET_FILE:usermm_malloc>)
endforeach()
add_test(NAME bench/run_floors
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/bench/run_floors.py)
add_test(NAME bench/run_slab_malloc
	COMMAND Python3::Interpreter
		${PROJECT_SOURCE_DIR}/tests/bench/run_slab_malloc.py
		$<TARGET_FILE:usermm>)
set_tests_properties(bench/run_slab_malloc PROPERTIES TIMEOUT 900)
add_test(NAME tools/test_command_line
	COMMAND Python3::Interpreter
		${PROJECT_SOURCE_DIR}/tests/tools/test_command_line.py
		$<TARGET_FILE:usermm>)
foreach(script supported warnings linux_tools conformance_runner run_kernels run_upstream run_trees
	run_cpython)
	add_test(NAME style/test_${script}
		COMMAND Python3::Interpreter
			${PROJECT_SOURCE_DIR}/tests/tools/test_${script}.py)
endforeach()
add_test(NAME style/test_run_distros
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/distros/test_run_distros.py)
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
