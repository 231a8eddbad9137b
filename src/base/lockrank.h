/* SPDX-License-Identifier: MIT */
/*
 * The order of locks, outermost first. The lock that brings layers up (os/once.c) comes
 * before all of them. A thread that holds a lock may take only locks of a higher rank; os/lock.h
 * enforces that. The fork handlers take all locks in the order of this list.
 *
 * The locks of caches are made and destroyed only under RANK_CACHES, so the fork handlers,
 * which hold it, see a list of locks that does not change.
 */
#ifndef BASE_LOCKRANK_H
#define BASE_LOCKRANK_H

enum lock_rank {
	RANK_SHRINKERS,	/* page/reclaim/shrinker.c: the list of shrinkers */
	RANK_CACHES,	/* slab/cache.c: the list of all caches */
	RANK_BARNS,	/* slab/sheaf/barn_budget.c: all barns; moving batches to slabs */
	RANK_CACHE,	/* slab/slab.h: one cache's slabs */
	RANK_MIXED_RELEASE, /* slab/mixed/mixed_release.c: pages on their way to the system */
	RANK_MIXED,	/* slab/mixed/mixed.h: all mixed slabs */
	RANK_BARN,	/* slab/sheaf/barn.h: one barn's batches; nothing is taken under it */
	RANK_SHEAVES,	/* slab/shrink.c: emptying other CPUs' sheaves; nothing is taken under it */
	RANK_HEAP,	/* malloc/heap/heap_blocks.c: large blocks; nothing is taken under it */
	RANK_QUICKLISTS, /* quicklist/cache.h: the caches, and emptying other CPUs' lists */
	/*
	 * page/pcp/pcp_drain.c: emptying other CPUs' lists; page/reclaim/release.c: the one block
	 * that is off the lists while its memory goes back to the system
	 */
	RANK_DRAIN,
	RANK_GROW,	/* page/rmqueue.c: bringing memory online */
	RANK_ZONE,	/* page/buddy.c: the free lists */
	RANK_PGDS,	/* pgtable/tables.c: the list of top levels; nothing is taken under it */
	RANK_PERCPU,	/* percpu/percpu.c: pieces of the slots */
	RANK_SLOT,	/* percpu/locked.c: a locked slot, which has no struct lock */
	NR_LOCK_RANKS,
};

#endif
