# SPDX-License-Identifier: MIT
#
# For which processors usermm can be built; the others are told so before anything is compiled.
set(usermm_processors x86_64 aarch64 riscv64 ppc64le s390x loongarch64)
list(JOIN usermm_processors ", " works)
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
	message(FATAL_ERROR "usermm: no 32-bit processor: one word holds an address and a number. "
		"It works on ${works}.")
endif()
# A user's toolchain file may name none, or by a name of its own.
set(other_names amd64 arm64 powerpc64le loong64)
if(CMAKE_SYSTEM_PROCESSOR AND NOT CMAKE_SYSTEM_PROCESSOR IN_LIST usermm_processors AND
   NOT CMAKE_SYSTEM_PROCESSOR IN_LIST other_names)
	message(FATAL_ERROR "usermm: nobody has tried ${CMAKE_SYSTEM_PROCESSOR}. "
		"It works on ${works}.")
endif()
