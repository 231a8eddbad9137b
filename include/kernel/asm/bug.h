/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_BUG_H
#define KERNEL_ASM_BUG_H

#include <linux/bug.h>
#include <linux/panic.h>
#include <linux/printk.h>

#endif
