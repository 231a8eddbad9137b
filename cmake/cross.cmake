# SPDX-License-Identifier: MIT
#
# Toolchain file: Debian's cross compilers for the processor in USERMM_TRIPLE, as
# aarch64-linux-gnu (tools/install-deps.sh --ports). What is built runs here under qemu's user
# emulation, which has no restartable sequences; tests/qemu has machines that have.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES USERMM_TRIPLE)
string(REGEX MATCH "^[^-]+" processor "${USERMM_TRIPLE}")

# As uname(2) has it, which is also the emulator's name but for some.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(emulator qemu-${processor})
if(processor STREQUAL "powerpc64le")
	set(CMAKE_SYSTEM_PROCESSOR ppc64le)
	set(emulator qemu-ppc64le)
elseif(processor STREQUAL "i686")
	set(emulator qemu-i386)
endif()

set(CMAKE_C_COMPILER ${USERMM_TRIPLE}-gcc)
set(CMAKE_CXX_COMPILER ${USERMM_TRIPLE}-g++)
foreach(compiler ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
	find_program(found_${compiler} ${compiler} NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
	if(NOT found_${compiler})
		message(FATAL_ERROR " usermm finds no ${compiler}, which ${USERMM_TRIPLE} needs: "
			"install the package of that compiler, which not every release of Debian "
			"has (`tools/install-deps.sh --ports`)")
	endif()
endforeach()

# The target's libc lies where its compiler finds it.
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libc.so.6
	OUTPUT_VARIABLE libc OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(REAL_PATH ${libc} libc)
cmake_path(GET libc PARENT_PATH libc)
cmake_path(GET libc PARENT_PATH target_root)

set(CMAKE_FIND_ROOT_PATH ${target_root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(USERMM_EMULATOR NAMES ${emulator}-static ${emulator})
if(USERMM_EMULATOR)
	set(CMAKE_CROSSCOMPILING_EMULATOR ${USERMM_EMULATOR} -L ${target_root})
endif()
