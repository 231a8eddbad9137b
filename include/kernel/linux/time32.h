/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TIME32_H
#define KERNEL_LINUX_TIME32_H

#include <linux/time.h>

#endif
