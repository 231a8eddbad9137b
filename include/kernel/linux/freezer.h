/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_FREEZER_H
#define KERNEL_LINUX_FREEZER_H

#include <linux/sched.h>

#endif
