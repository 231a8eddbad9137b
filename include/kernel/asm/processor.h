/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_PROCESSOR_H
#define KERNEL_ASM_PROCESSOR_H

#include <asm/barrier.h>
#include <asm/msr.h>
#include <linux/prefetch.h>

#endif
