# SPDX-License-Identifier: MIT
#
# What usermm is built with and for. Anything else is refused in one line, before the compiler meets
# the first source that it cannot compile; -DUSERMM_UNSUPPORTED=ON lets it try.
option(USERMM_UNSUPPORTED "Build with a compiler, or for a processor or libc, that nobody has tried"
	OFF)

# Each processor: its name, and what the compiler defines for it, all of it.
set(processor_x86_64 __x86_64__ __LP64__)
set(processor_aarch64 __aarch64__ __LP64__ __AARCH64EL__)
set(processor_riscv64 "__riscv_xlen 64" __LP64__)
set(processor_ppc64le __powerpc64__ __LP64__ __LITTLE_ENDIAN__)
set(processor_s390x __s390x__ __LP64__)
set(processor_loongarch64 __loongarch__ __LP64__)
set(processors x86_64 aarch64 riscv64 ppc64le s390x loongarch64)

# Each compiler by CMake's name: the oldest version.
set(oldest_GNU 12)
set(oldest_Clang 14)
set(compilers "gcc ${oldest_GNU} or newer, or clang ${oldest_Clang} or newer")

# glibc's are two numbers, as the compiler sees them.
set(oldest_glibc 2.36)
set(oldest_musl 1.2.3)
set(libcs "glibc ${oldest_glibc} or newer, or musl ${oldest_musl} or newer")

function(usermm_refuse what instead)
	if(NOT USERMM_UNSUPPORTED)
		# A space in front keeps it in one line.
		message(FATAL_ERROR " usermm does not support ${what}; ${instead} "
			"(-DUSERMM_UNSUPPORTED=ON tries all the same)")
	endif()
endfunction()

# Not known where a script includes this.
if(CMAKE_SYSTEM_NAME AND NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
	usermm_refuse("the system ${CMAKE_SYSTEM_NAME}" "it needs Linux, with ${libcs}")
endif()

foreach(language C CXX)
	set(id ${CMAKE_${language}_COMPILER_ID})
	if(NOT CMAKE_${language}_COMPILER_LOADED)
		continue()
	elseif(NOT DEFINED oldest_${id} OR
	       CMAKE_${language}_COMPILER_VERSION VERSION_LESS oldest_${id})
		string(REPLACE "CXX" "C++" name ${language})
		# CMake does not ask each compiler for its version.
		string(STRIP "${id} ${CMAKE_${language}_COMPILER_VERSION}" known_as)
		usermm_refuse("the ${name} compiler ${CMAKE_${language}_COMPILER}, ${known_as}"
			"it needs ${compilers}, as by CC=gcc-12 CXX=g++-12 in front of cmake \
in a new build directory")
	endif()
endforeach()

# What the compiler defines says what it makes code for; CMAKE_SYSTEM_PROCESSOR is the machine that
# it runs on, unless a toolchain file says otherwise. So `processor` is what the build asks for.
set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/supported.c)
file(WRITE ${probe} "#include <limits.h>\n")
# CC may have arguments of its own.
separate_arguments(flags UNIX_COMMAND "${CMAKE_C_COMPILER_ARG1} ${CMAKE_C_FLAGS}")
execute_process(COMMAND ${CMAKE_C_COMPILER} ${flags} -E -dM ${probe}
	OUTPUT_VARIABLE defined ERROR_VARIABLE said RESULT_VARIABLE failed)
if(failed)
	string(REGEX MATCH "[^\n]*error[^\n]*" said "${said}\n")
	message(FATAL_ERROR " usermm needs libc's headers, which ${CMAKE_C_COMPILER} does not "
		"find: install libc6-dev or musl-tools (${said})")
endif()

set(processor "")
foreach(name IN LISTS processors)
	set(is_it YES)
	foreach(macro IN LISTS processor_${name})
		if(NOT defined MATCHES "#define ${macro}[ \n]")
			set(is_it NO)
		endif()
	endforeach()
	if(is_it)
		set(processor ${name})
	endif()
endforeach()
if(NOT processor)
	execute_process(COMMAND ${CMAKE_C_COMPILER} ${flags} -dumpmachine
		OUTPUT_VARIABLE machine OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
	list(JOIN processors ", " names)
	set(why "")
	if(NOT defined MATCHES "#define __LP64__ ")
		set(why ", where a word is too short for an address and the number beside it")
	endif()
	usermm_refuse("the processor of ${machine}${why}"
		"it runs on ${names}: choose a compiler for one of these, and no -m32")
endif()

if(defined MATCHES "#define __UCLIBC__ |#define __BIONIC__ |#define __dietlibc__ ")
	usermm_refuse("this libc" "it needs ${libcs}")
elseif(defined MATCHES "#define __GLIBC__ ([0-9]+)")
	set(libc ${CMAKE_MATCH_1})
	string(REGEX MATCH "#define __GLIBC_MINOR__ ([0-9]+)" minor "${defined}")
	string(APPEND libc ".${CMAKE_MATCH_1}")
	if(libc VERSION_LESS oldest_glibc)
		usermm_refuse("glibc ${libc}" "it needs ${libcs}")
	endif()
else()
	# musl has no macro that names it, but it is in the library that programs are linked with.
	file(WRITE ${probe} "int main(void) { return 0; }\n")
	execute_process(COMMAND ${CMAKE_C_COMPILER} ${flags} ${probe}
		-o ${probe}.out -Wl,--trace OUTPUT_VARIABLE files ERROR_QUIET)
	set(library "")
	if(files MATCHES "([^\n]*/(libc|ld-musl-[^/\n]*)\\.so[^\n]*)")
		set(path ${CMAKE_MATCH_1})
		if(EXISTS ${path})
			file(STRINGS ${path} library REGEX "^musl libc|^[0-9]+\\.[0-9]+\\.[0-9]+$")
		endif()
	endif()
	if(NOT library MATCHES "musl libc")
		usermm_refuse("this libc" "it needs ${libcs}")
	elseif(library MATCHES "([0-9]+\\.[0-9]+\\.[0-9]+)" AND
	       CMAKE_MATCH_1 VERSION_LESS oldest_musl)
		usermm_refuse("musl ${CMAKE_MATCH_1}" "it needs ${libcs}")
	endif()
endif()
