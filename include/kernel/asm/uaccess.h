/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_UACCESS_H
#define KERNEL_ASM_UACCESS_H

#include <asm/tlbflush.h>
#include <linux/mm_types.h>
#include <linux/uaccess.h>

#endif
