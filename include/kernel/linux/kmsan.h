/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KMSAN_H
#define KERNEL_LINUX_KMSAN_H

#include <asm/msr.h>
#include <linux/dma-direction.h>
#include <linux/list_nulls.h>
#include <linux/memory_hotplug.h>
#include <linux/nodemask.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>

#define kmsan_unpoison_memory(address, n) ((void)(address), (void)(n))
#define kmsan_poison_memory(address, n, gfp) ((void)(address), (void)(n), (void)(gfp))
#define kmsan_check_memory(address, n) ((void)(address), (void)(n))

#endif
