/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TIMEX_H
#define KERNEL_LINUX_TIMEX_H

#include <asm/param.h>
#include <asm/timex.h>
#include <asm/msr.h>

#endif
