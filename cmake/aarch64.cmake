# SPDX-License-Identifier: MIT
#
# Toolchain file: Debian's cross compilers for aarch64 (tools/install-deps.sh
# --aarch64). What is built runs here under qemu's user emulation, which has no
# restartable sequences; tests/qemu/run_cross.py runs it in a machine that has.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

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

# Libraries that Debian has no cross package of (tests/qemu/debian.py).
set(sysroot ${CMAKE_BINARY_DIR}/sysroot)
if(EXISTS ${sysroot})
	list(APPEND CMAKE_FIND_ROOT_PATH ${sysroot})
	set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${sysroot}/usr/include)
endif()

find_program(QEMU_AARCH64 NAMES qemu-aarch64-static qemu-aarch64)
if(QEMU_AARCH64)
	set(CMAKE_CROSSCOMPILING_EMULATOR ${QEMU_AARCH64} -L ${target_root})
endif()
