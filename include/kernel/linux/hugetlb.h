/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_HUGETLB_H
#define KERNEL_LINUX_HUGETLB_H

#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/kernel_stat.h>
#include <linux/kmod.h>
#include <linux/kmsan.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/folio_batch.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/topology.h>
#include <linux/seq_file.h>
#include <linux/u64_stats_sync.h>

#ifndef HPAGE_SIZE
#define HPAGE_SHIFT 21
#define HPAGE_SIZE (1UL << HPAGE_SHIFT)
#define HPAGE_MASK (~(HPAGE_SIZE - 1))
#define HUGETLB_PAGE_ORDER (HPAGE_SHIFT - PAGE_SHIFT)
#endif

#endif
