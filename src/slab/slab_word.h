/* SPDX-License-Identifier: MIT */
/*
 * The two words of a slab's struct page that always change together, by one 128-bit
 * compare-and-swap: the freelist, and how the slab's objects stand. A processor that has no such
 * instruction (base/cas16.h) changes them under the node's lock, pushes and frozen slabs included.
 *
 *	freelist	the first free object of the slab, or its token
 *	inuse		objects that are neither on the freelist nor behind `carved`
 *	carved		objects behind this one never left the slab
 *	opened		objects whose memory was prepared; at least `carved`
 *	frozen		the slab is some CPU's (cpu_slab.c): the others leave its lists alone
 *
 * Who may do what:
 *
 *	push		anybody who has objects of the slab to give back. A push that makes
 *			an unfrozen slab empty, or a full one not full, holds the node's lock,
 *			since the slab then changes lists.
 *	pop, carve	not frozen: the holder of the node's lock; frozen: whoever has
 *			detached it from its CPU. So links below a head that was read stay as
 *			they are until the swap: others only push on top of it, and then
 *			the swap fails. If a head comes back (ABA), so has its list.
 *	discard		the holder of the node's lock who has all objects that an unfrozen slab
 *			has out: nobody else has a reason to change the words then
 *	freeze		the holder of the node's lock, who takes it off the partial list
 *	unfreeze	whoever has detached it; under the node's lock unless it is full
 *	mix		the holder of the node's lock, who takes it off the partial list, by a
 *			swap: mixed/mixed.h
 *
 * The token is the slab's address with bit 0 set. It ends every list of free objects and
 * says which slab the list is of, even when no object is left (seed 2). An object is
 * at least 8 bytes, so its address is even.
 */
#ifndef SLAB_SLAB_WORD_H
#define SLAB_SLAB_WORD_H

#include <stddef.h>

#include "base/cas16.h"
#include "slab/slab.h"

struct slab_word {
	void *freelist;
	union {
		unsigned long counters;
		struct {
			uint16_t inuse, carved, opened;
			uint16_t objects : 15;
			uint16_t frozen : 1;
		};
	};
} __aligned(16);

_Static_assert(offsetof(struct page, freelist) % sizeof(struct slab_word) == 0 &&
	       offsetof(struct page, inuse) ==
	       offsetof(struct page, freelist) + offsetof(struct slab_word, inuse),
	       "a slab's two words are one");

/* Another thread may change the words between the two loads; then a swap from this value fails. */
static inline struct slab_word slab_word_read(const struct page *slab)
{
	struct slab_word word;

	/* pairs with slab_word_cas() and move_locked(): the links, or the mixed slab's record */
	word.freelist = atomic_load_acquire(&slab->freelist);
	word.counters = atomic_load_relaxed(&slab->index);
	return word;
}

/* For a slab that nobody else knows yet, or any more. */
static inline void slab_word_set(struct page *slab, const struct slab_word *word)
{
	atomic_store_relaxed(&slab->freelist, word->freelist);
	atomic_store_relaxed(&slab->index, word->counters);
}

/*
 * Sets the slab's words to *new if they are *old. Acquires and releases: pairs with itself,
 * slab_word_read() and return_run_locked(), for the links below the freelist and for what owners
 * did before they gave their objects back. Without CAS16_SUPPORTED
 * the caller holds the node's lock, as every writer does, so the words are still *old. A reader
 * without the lock may see one old and one new word, and decides nothing by them.
 */
static inline bool slab_word_cas(struct page *slab, const struct slab_word *old,
				 const struct slab_word *new)
{
#if CAS16_SUPPORTED
	const struct two_words was = { (unsigned long)old->freelist, old->counters };
	const struct two_words will = { (unsigned long)new->freelist, new->counters };

	return cas16(&slab->freelist, &was, &will);
#else
	if (slab->freelist != old->freelist || slab->index != old->counters)
		return false;
	atomic_store_relaxed(&slab->index, new->counters);
	/* pairs with slab_word_read(): the links behind the freelist */
	atomic_store_release(&slab->freelist, new->freelist);
	return true;
#endif
}

/*
 * Bracket a change of a frozen, detached slab. They take the node's lock where the swap needs it.
 * The caller must be allowed to wait for that lock.
 */
static inline void slab_word_begin(struct kmem_cache_node *node)
{
	if (!CAS16_SUPPORTED)
		lock_acquire(&node->lock);
}

static inline void slab_word_end(struct kmem_cache_node *node)
{
	if (!CAS16_SUPPORTED)
		lock_release(&node->lock);
}

static inline void *slab_token(const void *slab_address)
{
	return (void *)((unsigned long)slab_address | 1);
}

/* Is that the end of a list? */
static inline bool is_slab_token(const void *object)
{
	return (unsigned long)object & 1;
}

/*
 * The word of a mixed slab (mixed/mixed.h): bits 0 and 1 of the freelist are set, and the rest of
 * it is the address of the slab's record. The counts are those of a full slab, so every push needs
 * the node's lock, and meets slab_word_is_mixed() under it.
 */
#define SLAB_MIXED_BITS 3UL

static inline bool slab_word_is_mixed(const struct slab_word *word)
{
	return ((unsigned long)word->freelist & SLAB_MIXED_BITS) == SLAB_MIXED_BITS;
}

#endif
