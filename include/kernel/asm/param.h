/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_PARAM_H
#define KERNEL_ASM_PARAM_H

#include <generated/autoconf.h>

#undef HZ
#define HZ CONFIG_HZ
#define USER_HZ 100

#endif
