/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_DEBUG_LOCKS_H
#define KERNEL_LINUX_DEBUG_LOCKS_H

#include <asm/atomic.h>
#include <linux/lockdep.h>

#endif
