# SPDX-License-Identifier: MIT
#
# Toolchain file: Debian's musl (tools/install-deps.sh), a libc that knows nothing of
# restartable sequences, so that usermm registers each thread itself. It is C only:
# Debian has no C++ library for musl. Operator new, the command and the layer for kernel
# sources are left out (USERMM_MUSL).
set(USERMM_MUSL ON)
set(CMAKE_C_COMPILER musl-gcc)

# The compiler finds no headers but musl's, which have none of the kernel's. Whole
# directories of Debian's would bring in glibc's, so only the kernel's are shown.
set(kernel_headers ${CMAKE_BINARY_DIR}/kernel-headers)
file(MAKE_DIRECTORY ${kernel_headers})
foreach(name linux asm-generic asm)
	find_path(kernel_${name} ${name} PATHS /usr/include
		/usr/include/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu
		NO_DEFAULT_PATH REQUIRED)
	file(CREATE_LINK ${kernel_${name}}/${name} ${kernel_headers}/${name} SYMBOLIC)
endforeach()
set(CMAKE_C_FLAGS_INIT "-idirafter ${kernel_headers}")
