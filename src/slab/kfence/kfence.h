/* SPDX-License-Identifier: MIT */
/*
 * kfence_sample=RATE: about every RATE-th object comes from a slot of its own. After Linux's KFENCE
 * (mm/kfence), with its pool, its states, and its reports' lines.
 *
 * 1. Purpose. A program in production finds out who uses memory behind its end or after its
 *    free, with the stacks of the access, the allocation and the free, for a price that it
 *    chooses.
 *
 * 2. Layout. Two pages that cannot be touched, then slot by slot a page for its object and one
 *    that cannot be touched. The object lies at one end of its page or the other, at random
 *    (aligned as its cache wants it); the rest of the page is filled with canaries, which are
 *    looked at when it is freed.
 *
 * 3. States of a slot
 *
 *	unused		never had an object
 *	busy		of the thread that claimed it by compare-and-swap
 *	allocated	the object is somebody's
 *	rcu freeing	was freed; those who read it (SLAB_TYPESAFE_BY_RCU) still may
 *	freed		the page cannot be touched, and has no memory
 *
 *    A freed slot stays so until half of all have been handed out since, as long as others
 *    are to be had. If none is, the object is an ordinary one.
 *
 * 4. Who may touch what. No locks: signal handlers come here, too. A slot belongs to who made
 *    it busy. Each thread counts its own allocations down from a random number.
 *
 *    With the option caches show fast paths no sheaf, so that all allocations come to
 *    slab_alloc_dispatch(), and are counted there; without it nothing asks. malloc() counts before
 *    it takes one of a class's sheaf, so free() is as fast as without. Objects' addresses are
 *    outside of the window, so each kind of free ends where such addresses are looked at.
 *
 * 5. Failure. A bad access is reported by the thread that makes it, from a handler of
 *    SIGSEGV that is in front of the program's, and is the program's then. A bad free is
 *    reported and ends the process. In kernel sources both go on, as in Linux: the page is
 *    made accessible, until the object beside it is freed.
 *
 * 6. Differences from Linux: allocations are counted here, not sampled by time. Objects of
 *    prefilled sheaves are never guarded, and where there is no RCU, neither are those of
 *    caches with SLAB_TYPESAFE_BY_RCU.
 */
#ifndef SLAB_KFENCE_KFENCE_H
#define SLAB_KFENCE_KFENCE_H

#include "base/options.h"
#include "slab/slab.h"

/* cf. Linux CONFIG_KFENCE_NUM_OBJECTS: the pool has 2 MiB of addresses, 1 MiB of memory. */
#define SLAB_GUARD_SLOTS 255u

/* Sync: constant after slab_kfence_init(); no bytes without the option */
struct slab_kfence_pool {
	unsigned long start;
	unsigned long bytes;
};
extern struct slab_kfence_pool slab_kfence_pool __hidden;

void slab_kfence_init(void);

/* Is the address in a slot or beside one? */
static inline bool slab_kfence_owns(const void *address)
{
	return unlikely((unsigned long)address - slab_kfence_pool.start < slab_kfence_pool.bytes);
}

/*
 * Allocations up to the next one whose turn it is; 0: not drawn yet. Sync: the thread's own and its
 * handlers', so atomic relaxed: whoever counts reads it once
 */
extern __thread uint32_t slab_kfence_countdown __hidden
	__attribute__((__tls_model__("initial-exec")));

/* An allocation that counts and whose turn it is not. False: slab_kfence_is_due() is to say so. */
static __always_inline bool slab_kfence_passes(void)
{
	uint32_t left = atomic_load_relaxed(&slab_kfence_countdown);

	if (unlikely(left <= 1))
		return false;
	atomic_store_relaxed(&slab_kfence_countdown, left - 1);
	return true;
}

/* It has passed, but found no object: whoever is asked for one next counts it. */
static inline void slab_kfence_unpass(void)
{
	slab_kfence_countdown++;
}

/* Is it the turn of this allocation? It counts as one. */
bool slab_kfence_is_due(void);
/* An object with so many bytes, all zero; NULL if there is no slot, or it may have none. */
void *slab_kfence_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
/* Of n objects those whose turn it is; how many there are, at the front of the array. */
size_t slab_kfence_alloc_some(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n,
			     const void *caller);
/* cache: NULL, or whose the caller says the object is. */
void slab_kfence_free(struct kmem_cache *cache, void *object, const char *function,
		     const void *caller);
/* The object whose page the address is in, or NULL. */
void *slab_kfence_object(const void *address);
/*
 * The bytes that were asked for; what is no object in use is told, of that function, and ends a
 * program: else 0.
 */
size_t slab_kfence_size(const void *object, const char *function, const void *caller);
/* An object in use that has fewer bytes from now on. */
void slab_kfence_shrink(void *object, size_t size);
/* Objects of the cache that are in use. */
unsigned int slab_kfence_objects(const struct kmem_cache *cache);
/* The cache goes, or stays for those; of freed ones nobody asks for it any more. */
void slab_kfence_forget(const struct kmem_cache *cache);

#endif
