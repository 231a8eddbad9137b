/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_PGALLOC_H
#define KERNEL_ASM_PGALLOC_H

#include <linux/mm.h>

#endif
