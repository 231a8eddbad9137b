/* SPDX-License-Identifier: MIT */
/*
 * kfence_sample=RATE: about every RATE-th object comes from a slot of its own. Pool, states and
 * lines of the reports are those of Linux's KFENCE (mm/kfence).
 *
 * 1. Purpose. A program in production finds accesses behind an object's end or after its free.
 *    The report has the stacks of the access, the allocation and the free. The rate chooses the
 *    cost.
 *
 * 2. Layout. The pool begins with two inaccessible guard pages. Then each slot has a page for its
 *    object and a guard page. The object lies at the beginning or the end of its page, at random,
 *    aligned for its cache. Canaries fill the rest of the page. They are checked when the object
 *    is freed.
 *
 * 3. States of a slot
 *
 *	unused		never had an object
 *	busy		belongs to the thread that claimed it by compare-and-swap
 *	allocated	has an object in use
 *	rcu freeing	freed; readers (SLAB_TYPESAFE_BY_RCU) may still look at the object
 *	freed		the page is inaccessible, and has no memory
 *
 *    A freed slot is not used again until allocations have looked at as many slots as half the pool
 *    has, unless no other slot is free. If no slot is free at all, the object is an ordinary one.
 *
 * 4. Who may touch what. There are no locks, since signal handlers come here, too. The thread
 *    that made a slot busy owns it. Each thread counts down from a random number of its own.
 *
 *    With the option caches show the fast paths no sheaf, so all allocations reach
 *    slab_alloc_dispatch(), which counts them. Without the option the fast paths pay nothing.
 *    malloc() counts before it pops from a class's sheaf, so free() is as fast as without the
 *    option. Guarded objects lie outside the window, so each kind of free finds them where it
 *    handles addresses outside the window.
 *
 * 5. Failure. The thread that makes a bad access reports it, in a SIGSEGV handler that runs
 *    before the program's own; then the program gets the signal. A bad free is reported and
 *    ends the process. In kernel sources both go on, as in Linux: the page is made accessible
 *    until the object beside it is freed.
 *
 * 6. Differences from Linux. Allocations are counted here, not sampled by time. Objects of
 *    prefilled sheaves are never guarded. Objects of caches with SLAB_TYPESAFE_BY_RCU are not
 *    guarded where there is no RCU.
 */
#ifndef SLAB_KFENCE_KFENCE_H
#define SLAB_KFENCE_KFENCE_H

#include "base/options.h"
#include "slab/slab.h"

/* cf. Linux CONFIG_KFENCE_NUM_OBJECTS: the pool has 2 MiB of addresses, 1 MiB of memory. */
#define SLAB_GUARD_SLOTS 255u

/* 0 bytes without the option. Sync: constant after slab_kfence_init() */
struct slab_kfence_pool {
	unsigned long start;
	unsigned long bytes;
};
extern struct slab_kfence_pool slab_kfence_pool __hidden;

void slab_kfence_init(void);

/* Is the address in the pool: in an object's page or a guard page? */
static inline bool slab_kfence_owns(const void *address)
{
	return unlikely((unsigned long)address - slab_kfence_pool.start < slab_kfence_pool.bytes);
}

/*
 * How many allocations until the next guarded one, that one included; 0: not drawn yet. Sync: only
 * the thread and its signal handlers use it: atomic relaxed, and each allocation reads it once
 */
extern __thread uint32_t slab_kfence_countdown __hidden
	__attribute__((__tls_model__("initial-exec")));

/*
 * Counts an allocation, unless its turn may have come. Then counts nothing and returns false: ask
 * slab_kfence_is_due().
 */
static __always_inline bool slab_kfence_passes(void)
{
	uint32_t left = atomic_load_relaxed(&slab_kfence_countdown);

	if (unlikely(left <= 1))
		return false;
	atomic_store_relaxed(&slab_kfence_countdown, left - 1);
	return true;
}

/* Undoes slab_kfence_passes(): the sheaf was empty, and the slow path counts again. */
static inline void slab_kfence_unpass(void)
{
	slab_kfence_countdown++;
}

/* Counts this allocation. Is it its turn to be guarded? */
bool slab_kfence_is_due(void);
/*
 * A guarded object of `size` bytes, all zero. NULL if no slot is free, or if the cache's objects
 * must not be guarded.
 */
void *slab_kfence_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
/* Counts n allocations. Puts the guarded ones at the front of the array; returns how many. */
size_t slab_kfence_alloc_some(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n,
			     const void *caller);
/* cache: the cache that the caller named, or NULL. */
void slab_kfence_free(struct kmem_cache *cache, void *object, const char *function,
		     const void *caller);
/* The object whose page the address is in, or NULL. */
void *slab_kfence_object(const void *address);
/* The cache of the object in use that starts at this address; NULL if there is none. */
const struct kmem_cache *slab_kfence_cache(const void *object);
/*
 * The bytes that were asked for. An address that is no object in use is reported as a mistake of
 * that function. This ends a program; in kernel sources the result is 0.
 */
size_t slab_kfence_size(const void *object, const char *function, const void *caller);
/* Shrinks an object in use to `size` bytes. */
void slab_kfence_shrink(void *object, size_t size);
/* How many guarded objects of the cache are in use. */
unsigned int slab_kfence_objects(const struct kmem_cache *cache);
/* Frees all guarded objects of the cache, which nobody uses. */
void slab_kfence_free_all(struct kmem_cache *cache, const void *caller);
/* Freed slots forget the cache, which is about to be destroyed. */
void slab_kfence_forget(const struct kmem_cache *cache);

#endif
