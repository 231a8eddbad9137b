/* SPDX-License-Identifier: MIT */
/*
 * profile=BYTES: which calls allocated the heap, estimated from samples.
 *
 * 1. Purpose. A program in production tells at any time where its memory is. The stacks of a few
 *    allocations are kept, chosen so that the whole heap can be estimated from them.
 *
 * 2. Which allocations. Each byte that is asked for is marked with a chance of 1 in BYTES,
 *    whatever came before. A block with a marked byte is sampled. So a block of size bytes is a
 *    sample with probability p = 1 - exp(-size / BYTES), and stands for 1 / p blocks of its size.
 *    No pattern in a program can evade random samples. Each CPU counts down the bytes to its next
 *    marked byte. Once that is reached, the next distance is drawn (exponentially distributed).
 *    A thread that changes its CPU, or is interrupted by a handler, between the load and the store
 *    of a countdown may undo others' steps. Then the distance is another random one, which does no
 *    harm.
 *
 * 3. How samples are taken. With the option, malloc's classes show no sheaf to the fast path, so
 *    every allocation comes to malloc_slow.c and is counted. If no sample is due, the object comes
 *    from the CPU's sheaf, which the class's cache still has. Without the option, no fast path has
 *    an instruction for it.
 *
 *    A sampled object is a page block of its own (page_blocks.h; with hardened=1 a mapping). The
 *    block says that it has the bytes of its class, so that realloc() moves it when it would move
 *    other objects of the class. free() finds no object at the address, so it takes the way of
 *    page blocks, where it looks for a sample. All other frees are as fast as ever.
 *
 * 4. Data.
 *
 *	sample		for a sampled block in use: its size and site; found by the address
 *	site		a stack, for sizes that differ by an eighth at most: how many samples
 *			were taken and freed, with their bytes
 *
 *    A site's sizes are that close since a sample stands for a number of blocks that depends on
 *    its size, and readers of a profile see only sums.
 *
 * 5. Who may touch what. There are no locks, since signal handlers come here too. A sample's word
 *    is its block's address. A thread that sets the word to PROFILE_CLAIMED by compare-and-swap
 *    owns the sample. A site's key is set once. A site's counters only grow, and the counters of
 *    frees are read first.
 *
 *    A sample is taken out before its block is freed, since another block may get the address at
 *    once.
 *
 * 6. Limits. The tables have a fixed size. Samples that find no room are counted, and the profile
 *    says how many. A fork child keeps the parent's samples, whose blocks it has too. If another
 *    thread of the parent had claimed a place at the time of the fork, the place stays claimed in
 *    the child: the child has one place less, and that sample is missing, or stays for good.
 *
 * 7. Not in the profile: kmalloc(), other caches, and the bytes that a request is rounded up by.
 */
#ifndef MALLOC_PROFILE_PROFILE_H
#define MALLOC_PROFILE_PROFILE_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "slab/slab.h"

struct profile_sample {
	size_t size;
	uint32_t site;
};

/*
 * The block's address chooses two groups, and its sample is in one of them. Groups are large enough
 * that few samples find no place before the table is nearly full.
 */
#define PROFILE_GROUP_PLACES 8u
#define PROFILE_GROUP_BITS 14
#define PROFILE_GROUPS (1UL << PROFILE_GROUP_BITS)

#define PROFILE_FREE 0UL
#define PROFILE_CLAIMED 1UL

struct profile_group {
	/* Addresses, PROFILE_FREE or PROFILE_CLAIMED. Sync: see profile.h, 5. */
	unsigned long blocks[PROFILE_GROUP_PLACES];
	/* Sync: for the thread that claimed blocks[i] */
	struct profile_sample samples[PROFILE_GROUP_PLACES];
};

/* Sync: constant after profile_prepare() */
extern struct profile_group *profile_groups;
extern struct profile_site *profile_sites;

/* Sync: atomic; set once the tables and malloc's classes exist */
extern bool profile_is_up __hidden;
/* Sync: atomic; set after profile_is_up, and changed by profile_switch() */
extern bool profile_takes_samples __hidden;

/* May a block have a sample? */
static __always_inline bool profile_has_samples(void)
{
	/* pairs with begin() in profile.c: the tables and the classes */
	return unlikely(atomic_load_acquire(&profile_is_up));
}

/* Are new blocks counted? */
static __always_inline bool profile_is_on(void)
{
	/* pairs with begin() in profile.c: the tables and the classes */
	return unlikely(atomic_load_acquire(&profile_takes_samples));
}

/* Makes the tables before classes are made. Without memory for them the option is turned off. */
void profile_prepare(void);
/* Begins to take samples. */
void profile_start(void);
/*
 * Takes samples from now on, one in so many bytes, or none if that is 0. Other threads may allocate
 * meanwhile: some of their blocks are counted, others not. One thread at a time calls it, after
 * classes_init(), with no lock held.
 *
 * Returns 0; -EINVAL: the profile has samples of another distance; -ENOMEM: no memory for its
 * tables; -EOPNOTSUPP: kfence_sample=, or hardened=1 without profile=, does not allow it.
 */
int profile_switch(size_t bytes);

/* Bytes up to and including the next marked byte; 0: not drawn yet. */
struct profile_distance {
	uint64_t left;		/* Sync: atomic relaxed; see 2. above */
};
extern struct profile_distance *profile_distances __hidden;	/* per-CPU */

/* Call the next functions only if profile_has_samples(). */

/* The distance of this thread's slot. A thread without a slot shares the first one. */
static __always_inline struct profile_distance *profile_distance_here(void)
{
	unsigned int slot = likely(percpu_has_sequences()) ? rseq_index() :
							     (unsigned int)percpu_current_slot();

	if (unlikely(slot >= atomic_load_relaxed(&percpu.bound.limit)))
		slot = 0;
	return percpu_ptr(profile_distances, slot);
}

/*
 * Counts a new block of size bytes on the way to the next marked byte (2. above). False if the
 * marked byte may lie in this block: then nothing is counted, and profile_is_due() decides.
 */
static __always_inline bool profile_passes(size_t size)
{
	struct profile_distance *distance = profile_distance_here();
	uint64_t left = atomic_load_relaxed(&distance->left);

	if (unlikely(size >= left))
		return false;
	atomic_store_relaxed(&distance->left, left - size);
	return true;
}

/* After profile_passes() was false: is the block to be sampled? Draws the next distance. */
bool profile_is_due(size_t size) slow_path;
/*
 * A sampled block in place of an object of the cache; NULL if it has to be an ordinary object.
 * align is at most a page.
 */
void *profile_alloc(const struct kmem_cache *cache, size_t size, size_t align,
		    const void *caller) slow_path;
/* Counts a new page block or mapping block, and may sample it. */
void profile_count(const void *block, size_t size, const void *caller);
/* Called before a block is freed. If the block has a sample, counts the sample as freed. */
void profile_forget(const void *block);

/*
 * profile_forget() in two steps. profile_take() takes the block's sample out of the table; false if
 * it has none. Then profile_end() counts it as freed, or profile_put() gives it back to the block.
 */
bool profile_take(const void *block, struct profile_sample *sample);
void profile_put(const void *block, const struct profile_sample *sample);
void profile_end(const void *block, const struct profile_sample *sample);

/* --- For profile_write.c ----------------------------------------------------------- */

struct profile_sums {
	uint64_t nr, bytes;		/* Sync: atomic relaxed */
};

/* A site's key is its stack's number, and in this many bits a number for the size. */
#define PROFILE_SIZE_CLASS_BITS 10

struct profile_site {
	uint64_t key;			/* stack and size; 0: unused. Sync: atomic; set once */
	struct profile_sums allocated, freed;
};

/* Sites have numbers below PROFILE_SITES. False if no sample was taken for this number. */
#define PROFILE_SITES (1u << 16)
bool profile_read_site(unsigned int number, struct profile_sums *in_use,
		       struct profile_sums *allocated);
/* The stack of a site that profile_read_site() has read. Returns the number of addresses. */
unsigned int profile_site_stack(unsigned int number, const void *const **frames);
/* Samples that found no room in the tables. */
void profile_read_dropped(struct profile_sums *dropped);
/* Samples without a stack: at most the caller of malloc is known. */
void profile_read_stackless(struct profile_sums *stackless);
/* As usermm_heap_profile(), without the mappings, which end the file: the caller adds them. */
int profile_write_samples(int fd);
/* Sets up profile_file= and profile_signal=. */
void profile_write_init(void);

#endif
