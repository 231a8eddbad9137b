/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_CALC64_H
#define KERNEL_LINUX_CALC64_H

#include <linux/math64.h>

#endif
