/* SPDX-License-Identifier: MIT */
/*
 * A cache's event counters, the same as Linux's CONFIG_SLUB_STATS: they are named as the files in
 * /sys/kernel/slab/NAME. Fast paths must not count. So a cache that counts (option slab_stats=, and
 * debugging) hides its sheaf from them, and slow paths count fast-path hits as well.
 */
#ifndef SLAB_COUNTERS_H
#define SLAB_COUNTERS_H

#include "base/atomic.h"

/*
 * "CPU's slab" is the slab that a CPU has for itself (frozen); to deactivate it means that the CPU
 * gives it up. "Partial list" is the list of the memory node.
 */
#define SLAB_COUNTERS(_)							\
	_(ALLOC_FASTPATH, alloc_fastpath)	/* from what this CPU had */	\
	_(ALLOC_SLOWPATH, alloc_slowpath)					\
	_(FREE_FASTPATH, free_fastpath)		/* to what this CPU has */	\
	_(FREE_SLOWPATH, free_slowpath)						\
	_(FREE_FROZEN, free_frozen)		/* to a slab that some CPU has */ \
	_(FREE_ADD_PARTIAL, free_add_partial)	/* slab on the list by a free */ \
	_(FREE_REMOVE_PARTIAL, free_remove_partial)	/* empty slab off it */ \
	_(ALLOC_FROM_PARTIAL, alloc_from_partial)	/* CPU's slab from the list */ \
	_(ALLOC_SLAB, alloc_slab)		/* slab from the page allocator */ \
	_(ALLOC_REFILL, alloc_refill)		/* CPU's slab had remote frees */ \
	_(ALLOC_NODE_MISMATCH, alloc_node_mismatch)	/* CPU's slab is elsewhere */ \
	_(FREE_SLAB, free_slab)			/* slab to the page allocator */ \
	_(CPUSLAB_FLUSH, cpuslab_flush)		/* CPU had to give its slab up */ \
	_(DEACTIVATE_FULL, deactivate_full)	/* all objects in use */	\
	_(DEACTIVATE_EMPTY, deactivate_empty)	/* no object in use */	\
	_(DEACTIVATE_TO_HEAD, deactivate_to_head)	/* of partial list */ \
	_(DEACTIVATE_TO_TAIL, deactivate_to_tail)				\
	_(DEACTIVATE_REMOTE_FREES, deactivate_remote_frees)	/* frees came meanwhile */ \
	_(DEACTIVATE_BYPASS, deactivate_bypass)	/* no objects left */ \
	_(ORDER_FALLBACK, order_fallback)	/* slab is smaller than wished */ \
	_(CMPXCHG_DOUBLE_CPU_FAIL, cmpxchg_double_cpu_fail)	/* tried again */ \
	_(CMPXCHG_DOUBLE_FAIL, cmpxchg_double_fail)	/* tried again */	\
	_(CPU_PARTIAL_ALLOC, cpu_partial_alloc)	/* from a CPU's partial slabs */ \
	_(CPU_PARTIAL_FREE, cpu_partial_free)	/* to them by a free */	\
	_(CPU_PARTIAL_NODE, cpu_partial_node)	/* to them from the list */	\
	_(CPU_PARTIAL_DRAIN, cpu_partial_drain)	/* slabs back to it */

#define SLAB_COUNTER_ENUM(upper, lower) SLAB_##upper,
enum slab_counter { SLAB_COUNTERS(SLAB_COUNTER_ENUM) NR_SLAB_COUNTERS };
#undef SLAB_COUNTER_ENUM

struct slab_counters {
	unsigned long nr[NR_SLAB_COUNTERS];	/* Sync: atomic relaxed */
};

/*
 * Counts a move between CPUs, barns and slabs without an atomic operation; returns the old count.
 * Threads that count at the same time lose counts, and a thread preempted in between sets the count
 * back. A locked operation would add a fifth to the cost of a move.
 */
static inline unsigned long slab_count_lossy(unsigned long *count, unsigned long more)
{
	unsigned long before = atomic_load_relaxed(count);

	atomic_store_relaxed(count, before + more);
	return before;
}

#endif
