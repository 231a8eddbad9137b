/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_BACKING_DEV_H
#define KERNEL_LINUX_BACKING_DEV_H

#include <linux/sched.h>
#include <linux/writeback.h>

#endif
