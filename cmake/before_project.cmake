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

# A compiler that a toolchain file names is CMake's to try.
if(CMAKE_TOOLCHAIN_FILE)
	return()
endif()

# CMake takes these: -D or its cache, the environment, or what it finds. CC may have arguments.
if(CMAKE_C_COMPILER)
	set(probe "${CMAKE_C_COMPILER}")
else()
	separate_arguments(probe UNIX_COMMAND "$ENV{CC}")
endif()
if(NOT probe)
	find_program(found_compiler NAMES cc gcc clang NO_CACHE)
	set(probe ${found_compiler})
endif()
if(NOT probe)
	return()
endif()
list(GET probe 0 compiler)
separate_arguments(flags UNIX_COMMAND "$ENV{CFLAGS} ${CMAKE_C_FLAGS}")

# The compiler's own macros need no libc, which is often missing for such a processor.
execute_process(COMMAND ${probe} ${flags} -E -dM -x c /dev/null
	OUTPUT_VARIABLE defined ERROR_QUIET RESULT_VARIABLE failed)
if(NOT failed AND defined MATCHES "#define __INT_MAX__ " AND
   NOT defined MATCHES "#define __LP64__ " AND NOT USERMM_UNSUPPORTED)
	message(FATAL_ERROR " usermm does not support the processor of ${compiler}, where a "
		"word is too short for an address and the number beside it; choose a compiler "
		"for 64 bits (-DUSERMM_UNSUPPORTED=ON tries all the same)")
endif()

# A compiler alone, as it comes when nothing that is only recommended is installed.
execute_process(COMMAND ${probe} ${flags} -E -include pthread.h -x c /dev/null
	OUTPUT_QUIET ERROR_VARIABLE said RESULT_VARIABLE failed)
if(failed AND said MATCHES "error: '?pthread\\.h")
	message(FATAL_ERROR " usermm needs libc's headers, which ${compiler} does not find: "
		"install libc6-dev or musl-tools")
endif()
