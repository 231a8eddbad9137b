/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_FREEZER_H
#define KERNEL_LINUX_FREEZER_H

#include <asm/smp.h>
#include <linux/sched.h>
#include <linux/thread_info.h>
#include <linux/wait.h>

#endif
