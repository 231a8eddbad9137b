/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_MEMORY_H
#define KERNEL_LINUX_MEMORY_H

#include <linux/mm.h>
#include <linux/notifier.h>

#endif
