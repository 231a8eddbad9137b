/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_MUTEX_TYPES_H
#define KERNEL_LINUX_MUTEX_TYPES_H

#include <linux/mutex.h>

#endif
