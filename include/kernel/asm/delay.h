/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_DELAY_H
#define KERNEL_ASM_DELAY_H

#include <linux/delay.h>

#endif
