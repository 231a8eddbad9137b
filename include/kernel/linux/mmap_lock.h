/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_MMAP_LOCK_H
#define KERNEL_LINUX_MMAP_LOCK_H

#include <linux/mm_types.h>
#include <linux/page-flags-layout.h>
#include <linux/percpu_counter.h>

#endif
