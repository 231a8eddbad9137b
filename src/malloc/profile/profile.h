/* SPDX-License-Identifier: MIT */
/*
 * profile=BYTES: which calls have the heap, and have had it, told from samples.
 *
 * 1. Purpose. A program in production tells at any time where its memory is: the stacks of
 *    a few allocations are kept, chosen so that all of them can be estimated.
 *
 * 2. Which ones. Every byte that is asked for has the same chance of one in BYTES to be
 *    marked, whatever came before, and a block with a marked byte is sampled. So a block of
 *    size bytes is a sample with the probability 1 - exp(-size / BYTES), and stands for one
 *    over that many blocks of its size. No pattern in a program meets one of this kind. How
 *    far it is to the next marked byte is drawn anew behind each (exponentially distributed),
 *    and counted down on each CPU. A thread that is moved to another CPU, or interrupted by a
 *    handler, between the two halves of a step may undo others' steps: the distance becomes
 *    another random one.
 *
 * 3. How they are met. With the option malloc's classes show no sheaf, so that all
 *    allocations come to malloc_slow() or its like and are counted; unless it is their turn
 *    they are then had from the CPU's sheaf, which the classes' caches have as always.
 *    Without the option nothing is asked on a fast path.
 *
 *    A sampled object has pages of its own, as a block of pages has (page_blocks.h; with
 *    hardened=1 a mapping), and the bytes that its class would have given it: realloc()
 *    moves it when it would move others of its kind. So free() finds no object there, and
 *    where it frees other blocks it looks for a sample. All other frees are as fast as ever.
 *
 * 4. What is kept.
 *
 *	sample		of a block in use: size, site; found by the block's address
 *	site		a stack, and sizes that differ by an eighth at most: how many samples
 *			were taken and freed, with their bytes
 *
 *    Sizes of a site are that close since what a sample stands for depends on its size, and
 *    readers of profiles only see sums.
 *
 * 5. Who may touch what. No locks: signal handlers come here, too. A sample's word is its
 *    block's address; whoever makes it PROFILE_CLAIMED by compare-and-swap has the sample. A
 *    site's key is set once; its counters only grow, and those of frees are read first.
 *
 *    A sample is taken out before its block is freed, since the address may then be another
 *    block's at once.
 *
 * 6. Limits. The tables have a fixed size. What finds no room is counted, and the profile
 *    says so. A fork child goes on with the parent's samples, which are its own as well. A
 *    place that another thread had claimed at that moment is nobody's there for good: one
 *    place less in the child, and a sample that it was being put to or taken from is missing
 *    or stays.
 *
 * 7. Not in it: blocks of kmalloc and of other caches; what a request rounds up to.
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

/* Sync: set once, when the tables and malloc's classes are there */
extern bool profile_is_up __hidden;

static __always_inline bool profile_is_on(void)
{
	/* pairs with profile_start() */
	return unlikely(atomic_load_acquire(&profile_is_up));
}

/* What the option asks for, before the classes' steps are set; without memory it is off. */
void profile_prepare(void);
/* From now on there are samples. */
void profile_start(void);

/* Bytes up to the next marked one, and that; 0: not drawn yet. */
struct profile_distance {
	uint64_t left;		/* Sync: atomic relaxed; see above */
};
extern struct profile_distance *profile_distances __hidden;	/* per-CPU */

/* The next functions are for when profile_is_on(). */

/* Whoever has no slot at the moment counts with the first one. */
static __always_inline struct profile_distance *profile_distance_here(void)
{
	unsigned int slot = likely(percpu_has_sequences()) ? rseq_index() :
							     (unsigned int)percpu_current_slot();

	if (unlikely(slot >= atomic_load_relaxed(&percpu.bound.limit)))
		slot = 0;
	return percpu_ptr(profile_distances, slot);
}

/*
 * A new block of so many bytes: if none of them is the marked one that is now so much nearer,
 * and the block counts. Else it is profile_is_due()'s to say whether it is to be sampled.
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

bool profile_is_due(size_t size) slow_path;
/*
 * A sampled object, on pages of its own; NULL if it has to be one like any other. align is
 * not more than a page.
 */
void *profile_alloc(const struct kmem_cache *cache, size_t size, size_t align,
		    const void *caller) slow_path;
/* A new block that is larger than objects: it counts, and may be sampled. */
void profile_count(const void *block, size_t size, const void *caller);
/* The block is about to be freed. */
void profile_forget(const void *block);

/* The same in two steps: its sample, which is the caller's now; false if it has none. */
bool profile_take(const void *block, struct profile_sample *sample);
/* It is the block's again, which is still there; or it is over. */
void profile_put(const void *block, const struct profile_sample *sample);
void profile_end(const struct profile_sample *sample);

/* --- For profile_write.c ----------------------------------------------------------- */

struct profile_sums {
	uint64_t nr, bytes;		/* Sync: atomic relaxed */
};

struct profile_site {
	uint64_t key;			/* Sync: atomic; set once. 0: nobody's */
	struct profile_sums allocated, freed;
};

/* Any number below is one; false if it is no site's, or its counters are all 0. */
#define PROFILE_SITES (1u << 16)
bool profile_read_site(unsigned int number, struct profile_sums *in_use,
		       struct profile_sums *allocated);
/* The addresses of one that has been read; how many. */
unsigned int profile_site_stack(unsigned int number, const void *const **frames);
/* Samples that found no room. */
void profile_read_dropped(struct profile_sums *dropped);
/* Those of which only the place that called malloc is known, or not even that. */
void profile_read_stackless(struct profile_sums *stackless);
/* The options profile_file= and profile_signal=. */
void profile_write_init(void);

#endif
