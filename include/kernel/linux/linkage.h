/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_LINKAGE_H
#define KERNEL_LINUX_LINKAGE_H

#include <linux/compiler_types.h>
#include <linux/export.h>

#ifndef asmlinkage
#define asmlinkage
#endif
#define asmlinkage_protect(n, ret, args...) do { } while (0)
#define __page_aligned_rodata

#endif
