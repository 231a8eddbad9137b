/* SPDX-License-Identifier: MIT */
/* Nothing is swapped. Only what reclaim needs is here. */
#ifndef _LINUX_SWAP_H
#define _LINUX_SWAP_H

#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/kernel_stat.h>
#include <linux/kmod.h>
#include <linux/kmsan.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/folio_batch.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/topology.h>
#include <linux/seq_file.h>
#include <linux/shrinker.h>
#include <linux/u64_stats_sync.h>

#define get_nr_swap_pages() 0L
#define total_swap_pages 0L
#define nr_swap_pages 0L
#define mark_page_accessed(page) ((void)(page))

struct reclaim_state {
	unsigned long reclaimed;
};

/* Pages of modules are not swapped by the module's kernel. */
#define si_swapinfo(info) ((void)((info)->totalswap = (info)->freeswap = 0))

#endif
