/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_UACCESS_H
#define KERNEL_ASM_UACCESS_H

#include <linux/uaccess.h>

#endif
