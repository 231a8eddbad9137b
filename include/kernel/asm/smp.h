/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_SMP_H
#define KERNEL_ASM_SMP_H

#include <linux/smp.h>

#endif
