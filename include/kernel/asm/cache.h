/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_CACHE_H
#define KERNEL_ASM_CACHE_H

#include <linux/cache.h>
#include <linux/linkage.h>

#endif
