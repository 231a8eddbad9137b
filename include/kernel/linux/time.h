/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TIME_H
#define KERNEL_LINUX_TIME_H

#include <linux/ktime.h>
#include <linux/time64.h>
#include <linux/types.h>

#endif
