/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_WORD_AT_A_TIME_H
#define KERNEL_ASM_WORD_AT_A_TIME_H

#include <linux/kernel.h>
#include <linux/wordpart.h>

#endif
