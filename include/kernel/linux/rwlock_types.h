/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_RWLOCK_TYPES_H
#define KERNEL_LINUX_RWLOCK_TYPES_H

#include <linux/spinlock_types.h>

#endif
