/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_UNALIGNED_H
#define KERNEL_ASM_UNALIGNED_H

#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#error "Linux 6.12 removed <asm/unaligned.h>; include <linux/unaligned.h> instead"
#endif

#include <linux/unaligned.h>

#endif
