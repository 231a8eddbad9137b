# SPDX-License-Identifier: MIT
#
# `usermm inspect`, `top`, `profile` and `control`, as a program of their own: they need more than
# libc.

if(CMAKE_CROSSCOMPILING OR NOT USERMM_INSPECT)
	return()
endif()
find_path(LIBDW_HEADERS elfutils/libdwfl.h)
find_library(LIBDW dw)
find_library(LIBELF elf)
# What libdw needs itself.
find_path(ZLIB_HEADERS zlib.h)
find_library(ZLIB z)
find_path(JANSSON_HEADERS jansson.h)
find_library(JANSSON jansson)
find_path(NCURSESW_HEADERS NAMES ncursesw/curses.h)
find_library(NCURSESW ncursesw)
mark_as_advanced(LIBDW_HEADERS LIBDW LIBELF ZLIB_HEADERS ZLIB
	JANSSON_HEADERS JANSSON NCURSESW_HEADERS NCURSESW)

if(NOT LIBDW_HEADERS OR NOT LIBDW OR NOT LIBELF OR NOT ZLIB_HEADERS OR NOT ZLIB OR
   NOT JANSSON_HEADERS OR NOT JANSSON)
	message(STATUS "no libdw, libelf, zlib or jansson: there is no `usermm inspect`, no "
		"`usermm top` and no `usermm profile` (Debian: libdw-dev, libjansson-dev)")
	return()
endif()

file(GLOB_RECURSE inspect_sources CONFIGURE_DEPENDS tools/inspect/*.c)
list(REMOVE_ITEM inspect_sources ${PROJECT_SOURCE_DIR}/tools/inspect/main.c
	${PROJECT_SOURCE_DIR}/tools/inspect/command.c ${PROJECT_SOURCE_DIR}/tools/inspect/numbers.c)
# The reader, for this program and for tests.
add_library(usermm_inspect_reader OBJECT EXCLUDE_FROM_ALL ${inspect_sources}
	tools/usermm/say.c tools/watch/stop.c)
target_include_directories(usermm_inspect_reader PUBLIC src include tools/inspect tools
	SYSTEM PUBLIC ${LIBDW_HEADERS} ${JANSSON_HEADERS})
target_link_libraries(usermm_inspect_reader PUBLIC usermm_core ${LIBDW} ${LIBELF} ${JANSSON}
	Threads::Threads)
if(NCURSESW_HEADERS AND NCURSESW)
	target_include_directories(usermm_inspect_reader SYSTEM PRIVATE
		${NCURSESW_HEADERS}/ncursesw)
	target_compile_definitions(usermm_inspect_reader PRIVATE INSPECT_NCURSES)
	target_link_libraries(usermm_inspect_reader PUBLIC ${NCURSESW})
else()
	message(STATUS "no ncursesw: `usermm top` prints text (Debian: libncurses-dev)")
endif()

file(GLOB more_sources CONFIGURE_DEPENDS tools/profile/*.c tools/control/*.c)
add_executable(usermm-inspect tools/inspect/main.c tools/inspect/command.c
	tools/inspect/numbers.c tools/usermm/arguments.c tools/usermm/inspect_tables.c
	tools/usermm/shared.c tools/report/files.c
	tools/report/page.c ${more_sources})
target_include_directories(usermm-inspect PRIVATE src tools ${PROJECT_SOURCE_DIR}
	SYSTEM PRIVATE ${ZLIB_HEADERS})
# shared.c looks for the library by its name.
target_compile_definitions(usermm-inspect PRIVATE ${usermm_places})
target_link_libraries(usermm-inspect PRIVATE usermm_inspect_reader usermm_core usermm_flags
	${ZLIB} ${CMAKE_DL_LIBS} m Threads::Threads)
add_dependencies(usermm usermm-inspect)
