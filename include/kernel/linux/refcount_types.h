/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_REFCOUNT_TYPES_H
#define KERNEL_LINUX_REFCOUNT_TYPES_H

#include <linux/types.h>

typedef struct refcount_struct {
	atomic_t refs;
} refcount_t;

#endif
