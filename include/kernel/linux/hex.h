/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_HEX_H
#define KERNEL_LINUX_HEX_H

#include <linux/kernel.h>
#include <linux/string.h>

#endif
