/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_HUGE_MM_H
#define KERNEL_LINUX_HUGE_MM_H

#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/kdev_t.h>
#include <linux/kobject.h>
#include <linux/migrate_mode.h>
#include <linux/percpu-refcount.h>
#include <linux/percpu-rwsem.h>
#include <linux/pgtable.h>
#include <linux/sched/rt.h>
#include <linux/semaphore.h>
#include <linux/shrinker.h>
#include <linux/wait_bit.h>

#define HPAGE_PMD_SHIFT PMD_SHIFT
#ifndef HPAGE_PMD_NR
#define HPAGE_PMD_NR (1 << HPAGE_PMD_ORDER)
#endif
#ifndef HPAGE_PMD_SIZE
#define HPAGE_PMD_SIZE HPAGE_SIZE
#endif

#endif
