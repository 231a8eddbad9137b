/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TIMEKEEPING_H
#define KERNEL_LINUX_TIMEKEEPING_H

#include <linux/ktime.h>
#include <linux/time.h>
#include <linux/time32.h>

#endif
