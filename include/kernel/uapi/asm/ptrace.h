/* SPDX-License-Identifier: MIT */
#include <asm/ptrace.h>
