/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_THREAD_INFO_H
#define KERNEL_LINUX_THREAD_INFO_H

#include <asm/irqflags.h>
#include <asm/thread_info.h>
#include <linux/pfn.h>
#include <linux/sched.h>

#endif
