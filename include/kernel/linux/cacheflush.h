/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_CACHEFLUSH_H
#define KERNEL_LINUX_CACHEFLUSH_H

#include <asm/cacheflush.h>

#endif
