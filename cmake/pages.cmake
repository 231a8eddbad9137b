# SPDX-License-Identifier: MIT
#
# Man pages and the shells' completions. A program writes them from the tables and comments that
# the product itself has (tools/pages/README.md). It runs while the command is built, in a cross
# build by the emulator.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
	message(STATUS "no emulator for ${CMAKE_SYSTEM_PROCESSOR}: no man pages and completions "
		"(Debian: qemu-user)")
	return()
endif()
file(GLOB pages_sources CONFIGURE_DEPENDS tools/pages/*.c)
file(GLOB pages_headers CONFIGURE_DEPENDS include/usermm/*.h)
# For kernel sources, and without calls of its own.
list(FILTER pages_headers EXCLUDE REGEX "/(compiler|kmem_cache|notifier)\\.h$")
add_executable(usermm_pages ${pages_sources})
target_link_libraries(usermm_pages PRIVATE usermm_command ${command_parts})
set(pages_folder ${PROJECT_BINARY_DIR}/pages)
set(pages_stamp ${PROJECT_BINARY_DIR}/pages.stamp)
# The day of the build, or of SOURCE_DATE_EPOCH.
string(TIMESTAMP pages_date "%Y-%m-%d" UTC)
add_custom_command(OUTPUT ${pages_stamp}
	# An older page may have no command any more.
	COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages_folder}
	COMMAND usermm_pages ${pages_folder} ${pages_date} ${pages_headers}
	COMMAND ${CMAKE_COMMAND} -E touch ${pages_stamp}
	DEPENDS usermm_pages ${pages_headers} VERBATIM)
add_custom_target(usermm_man ALL DEPENDS ${pages_stamp})
