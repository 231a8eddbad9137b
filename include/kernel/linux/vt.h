/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_VT_H
#define KERNEL_LINUX_VT_H

#include <linux/notifier.h>
#include_next <linux/vt.h>

#endif
