# SPDX-License-Identifier: MIT
#
# Tests of the command; included by tests.cmake.

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
				$<TARGET_FILE:usermm_malloc>
				$<$<TARGET_EXISTS:denied_deny>:$<TARGET_FILE:denied_deny>>)
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
if(NOT CMAKE_CROSSCOMPILING)
	foreach(name linking privileges)
		add_test(NAME command/${name}
			COMMAND Python3::Interpreter
				${PROJECT_SOURCE_DIR}/tests/command/run_${name}.py
				$<TARGET_FILE:usermm> ${CMAKE_C_COMPILER})
	endforeach()
endif()
add_test(NAME command/folders
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/command/run_folders.py
		$<TARGET_FILE:usermm> $<TARGET_FILE:usermm_malloc>)
