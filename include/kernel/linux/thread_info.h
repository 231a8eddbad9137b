/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_THREAD_INFO_H
#define KERNEL_LINUX_THREAD_INFO_H

#include <linux/sched.h>

#endif
