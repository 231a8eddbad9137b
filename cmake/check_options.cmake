# SPDX-License-Identifier: MIT
#
# cmake -DPROGRAM=... -DPAGE=... -P check_options.cmake
# Is the page what the table of options says?
execute_process(COMMAND ${PROGRAM} --options OUTPUT_VARIABLE made RESULT_VARIABLE failed)
file(READ ${PAGE} page)
if(failed OR NOT made STREQUAL page)
	message(FATAL_ERROR "${PAGE} is not what src/base/options.def says: "
		"cmake --build --preset release --target update_options")
endif()
string(REGEX MATCHALL "\n\\| `[a-z_0-9]+` \\|" rows "${made}")
list(LENGTH rows number)
if(number LESS 2)
	message(FATAL_ERROR "${PAGE} has no options")
endif()
