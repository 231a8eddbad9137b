# SPDX-License-Identifier: MIT
#
# Checks of the sources and of what was built; included by tests.cmake.

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
# The reference is x86-64's.
if(modes_in_full AND NOT CMAKE_CROSSCOMPILING)
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
