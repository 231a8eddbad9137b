# SPDX-License-Identifier: MIT
#
# cmake -DPROGRAM=... -DPAGE=... -DREADME=... -P check_options.cmake
# Is the page what the table says, and does the README name every option?
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE made RESULT_VARIABLE failed)
file(READ ${PAGE} page)
if(failed OR NOT made STREQUAL page)
	message(FATAL_ERROR "${PAGE} is not what src/base/options.def says: "
		"cmake --build --preset release --target update_options")
endif()
file(READ ${README} readme)
string(REGEX MATCHALL "\n\\| `[a-z_0-9]+` \\|" rows "${made}")
list(LENGTH rows number)
if(number LESS 2)
	message(FATAL_ERROR "${PAGE} has no options")
endif()
foreach(row IN LISTS rows)
	string(REGEX MATCH "`[a-z_0-9]+`" name "${row}")
	string(FIND "${readme}" "${name}" at)
	if(at EQUAL -1)
		message(FATAL_ERROR "${README} does not name the option ${name}")
	endif()
endforeach()
