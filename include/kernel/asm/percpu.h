/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_PERCPU_H
#define KERNEL_ASM_PERCPU_H

#include <linux/percpu-defs.h>

#endif
