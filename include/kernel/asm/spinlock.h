/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_SPINLOCK_H
#define KERNEL_ASM_SPINLOCK_H

#include <linux/spinlock.h>

#endif
