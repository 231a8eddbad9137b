/* SPDX-License-Identifier: MIT */
/* Since Linux 3.4 its content is in other headers. */
#ifndef KERNEL_ASM_SYSTEM_H
#define KERNEL_ASM_SYSTEM_H

#include <asm/barrier.h>
#include <asm/cmpxchg.h>
#include <linux/irqflags.h>
#include <linux/sched.h>

#endif
