/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_RWLOCK_H
#define KERNEL_LINUX_RWLOCK_H

#include <linux/spinlock.h>

#endif
