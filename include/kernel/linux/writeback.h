/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_WRITEBACK_H
#define KERNEL_LINUX_WRITEBACK_H

#include <linux/mm.h>
#include <linux/sched.h>

#endif
