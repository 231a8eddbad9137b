/* SPDX-License-Identifier: MIT */
/* The library has made the pool: nothing of it is left to the architecture. */
#ifndef KERNEL_ASM_KFENCE_H
#define KERNEL_ASM_KFENCE_H

#include <linux/kfence.h>

#endif
