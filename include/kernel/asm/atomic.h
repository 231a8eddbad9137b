/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_ATOMIC_H
#define KERNEL_ASM_ATOMIC_H

#include <linux/atomic.h>

#endif
