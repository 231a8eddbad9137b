/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_PROCESSOR_H
#define KERNEL_ASM_PROCESSOR_H

#include <asm/barrier.h>
#include <asm/div64.h>
#include <asm/irqflags.h>
#include <asm/msr.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/pfn.h>
#include <linux/prefetch.h>
#include <linux/threads.h>
#include <linux/typecheck.h>

#endif
