/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_THREAD_INFO_H
#define KERNEL_ASM_THREAD_INFO_H

#include <linux/sched.h>

#endif
