/* SPDX-License-Identifier: MIT */
/* What it held has been in headers of its own since 3.4. */
#ifndef KERNEL_ASM_SYSTEM_H
#define KERNEL_ASM_SYSTEM_H

#include <asm/barrier.h>
#include <asm/cmpxchg.h>
#include <linux/irqflags.h>
#include <linux/sched.h>

#endif
