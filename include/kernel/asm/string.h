/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_STRING_H
#define KERNEL_ASM_STRING_H

#include <linux/jump_label.h>
#include <linux/string.h>
#include <linux/stringify.h>

#endif
