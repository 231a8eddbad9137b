/* SPDX-License-Identifier: MIT */
/* The library makes the pool, so the architecture has nothing to do. */
#ifndef KERNEL_ASM_KFENCE_H
#define KERNEL_ASM_KFENCE_H

#include <linux/kfence.h>

#endif
