/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SEQLOCK_TYPES_H
#define KERNEL_LINUX_SEQLOCK_TYPES_H

#include <linux/seqlock.h>

#endif
