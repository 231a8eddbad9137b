/* SPDX-License-Identifier: MIT */
/* libc's <sys/param.h> includes this file, too. */
#ifndef KERNEL_ASM_PARAM_H
#define KERNEL_ASM_PARAM_H

#include_next <asm/param.h>

#include <generated/autoconf.h>

#undef HZ
#define HZ CONFIG_HZ
#define USER_HZ 100

#endif
