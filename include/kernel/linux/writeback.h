/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_WRITEBACK_H
#define KERNEL_LINUX_WRITEBACK_H

#include <asm/hardirq.h>
#include <linux/blk_types.h>
#include <linux/device.h>
#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/fs.h>
#include <linux/kmod.h>
#include <linux/kmsan.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/folio_batch.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/topology.h>
#include <linux/seqlock.h>

enum writeback_sync_modes { WB_SYNC_NONE, WB_SYNC_ALL };

/* What write_inode() is asked for: all that is dirty, and to wait for it. */
struct writeback_control {
	long nr_to_write, pages_skipped;
	loff_t range_start, range_end;
	enum writeback_sync_modes sync_mode;
	unsigned int for_kupdate : 1, for_background : 1, tagged_writepages : 1,
		     for_reclaim : 1, range_cyclic : 1, for_sync : 1;
};

#endif
