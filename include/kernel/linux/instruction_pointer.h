/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_INSTRUCTION_POINTER_H
#define KERNEL_LINUX_INSTRUCTION_POINTER_H

#include <linux/kernel.h>

#endif
