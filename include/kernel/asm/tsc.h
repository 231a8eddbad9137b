/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_TSC_H
#define KERNEL_ASM_TSC_H

#include <asm/msr.h>
#include <asm/timex.h>
#include <linux/percpu.h>

#endif
