# SPDX-License-Identifier: MIT
#
# What CMake's own test of the compiler would say in fifty lines, in one. What the compiler is, and
# what it is for, is looked at afterwards (supported.cmake).

# On a machine without libraries of 32 bits nothing comes to that look.
if("$ENV{CC} $ENV{CFLAGS} ${CMAKE_C_FLAGS} " MATCHES " (-mx?32) " AND NOT USERMM_UNSUPPORTED)
	message(FATAL_ERROR " usermm does not support ${CMAKE_MATCH_1}, where a word is too short "
		"for an address and the number beside it; leave it out of CC, CFLAGS and "
		"CMAKE_C_FLAGS (-DUSERMM_UNSUPPORTED=ON tries all the same)")
endif()

# A compiler alone, as it comes when nothing that is only recommended is installed. One that is
# named to CMake by -D, a cache or a toolchain file is CMake's to try.
if(NOT CMAKE_C_COMPILER AND NOT CMAKE_TOOLCHAIN_FILE)
	separate_arguments(probe UNIX_COMMAND "$ENV{CC}")
	if(NOT probe)
		find_program(found_compiler NAMES cc gcc clang NO_CACHE)
		set(probe ${found_compiler})
	endif()
	separate_arguments(flags UNIX_COMMAND "$ENV{CFLAGS}")
	if(probe)
		execute_process(COMMAND ${probe} ${flags} -E -include pthread.h -x c /dev/null
			OUTPUT_QUIET ERROR_VARIABLE said RESULT_VARIABLE failed)
		if(failed AND said MATCHES "error: '?pthread\\.h")
			list(GET probe 0 compiler)
			message(FATAL_ERROR " usermm needs libc's headers, which ${compiler} "
				"does not find: install libc6-dev or musl-tools")
		endif()
	endif()
endif()
