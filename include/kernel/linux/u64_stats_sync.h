/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_U64_STATS_SYNC_H
#define KERNEL_LINUX_U64_STATS_SYNC_H

#include <asm/irqflags.h>
#include <asm/local.h>
#include <linux/bottom_half.h>
#include <linux/mmdebug.h>
#include <linux/nodemask_types.h>
#include <linux/rbtree_types.h>
#include <linux/sched/types.h>
#include <linux/seqlock.h>
#include <linux/timer_types.h>
#include <linux/types.h>

/* 64-bit words are read and written in one piece here, so no retry is needed. */
struct u64_stats_sync {
};

typedef struct {
	u64 v;
} u64_stats_t;

static inline u64 u64_stats_read(const u64_stats_t *p)
{
	return READ_ONCE(p->v);
}

static inline void u64_stats_set(u64_stats_t *p, u64 value)
{
	WRITE_ONCE(p->v, value);
}

static inline void u64_stats_add(u64_stats_t *p, unsigned long n)
{
	WRITE_ONCE(p->v, p->v + n);
}

static inline void u64_stats_inc(u64_stats_t *p)
{
	u64_stats_add(p, 1);
}

#define u64_stats_init(sync) ((void)(sync))
#define u64_stats_update_begin(sync) ((void)(sync))
#define u64_stats_update_end(sync) ((void)(sync))
#define u64_stats_update_begin_irqsave(sync) ((void)(sync), 0UL)
#define u64_stats_update_end_irqrestore(sync, flags) ((void)(sync), (void)(flags))
#define u64_stats_fetch_begin(sync) ((void)(sync), 0U)
#define u64_stats_fetch_retry(sync, start) ((void)(sync), (void)(start), false)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define u64_stats_fetch_begin_irq(sync) u64_stats_fetch_begin(sync)
#define u64_stats_fetch_retry_irq(sync, start) u64_stats_fetch_retry(sync, start)
#else
USERMM_REMOVED(u64_stats_fetch_begin_irq, "6.3", "u64_stats_fetch_begin()")
USERMM_REMOVED(u64_stats_fetch_retry_irq, "6.3", "u64_stats_fetch_retry()")
#endif

#endif
