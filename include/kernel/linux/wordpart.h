/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_WORDPART_H
#define KERNEL_LINUX_WORDPART_H

#include <linux/kernel.h>

#endif
