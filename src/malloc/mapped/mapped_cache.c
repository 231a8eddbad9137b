/* SPDX-License-Identifier: MIT */
/* See mapped_cache.h. */
#include "malloc/mapped/mapped_cache.h"

#include "base/atomic.h"
#include "base/options.h"
#include "base/upward_hooks.h"
#include "malloc/hardened/hardened.h"
#include "malloc/mapped/mapped.h"
#include "malloc/mapped/mapping_word.h"
#include "page/reclaim/decay.h"
#include "page/reclaim/release.h"
#include "percpu/fork.h"

#define PLACES 16u
/* What is shorter is mapped for other reasons, and few page faults. */
#define BYTES_MIN (128 * KIB)
#define BYTES_MAX_DEFAULT (32 * MIB)
/* Of the budget, as of free memory that stays in the window. */
#define BUDGET_SHARE RELEASE_KEPT_SHARE

/* Sync: words are exchanged and compared-and-swapped: see mapping_word.h */
static unsigned long places[PLACES];
/* What these hold, or a little more: reserved before a place is filled. Sync: atomic relaxed */
static size_t kept_bytes;
static size_t most_bytes;	/* Sync: atomic relaxed; 0 is not known yet */
static uint32_t position;	/* Sync: atomic relaxed; of who goes first */
/* Of the process that put what is there. Sync: atomic relaxed */
static uint32_t generation;

/* Is what is freed to be cleared, or out of reach? */
static bool frees_are_watched(void)
{
	return hardened_is_on() || options.kfence_sample || options.init_on_alloc ||
	       options.init_on_free || options.page_poison || options.debug_pagealloc;
}

/* Never 0, which is not known yet; what is less than BYTES_MIN keeps nothing. */
static size_t find_most_bytes(void)
{
	size_t wished = options.mapping_cache_bytes;

	if (options.limit || frees_are_watched() || os_address_space_limit() != UINT64_MAX ||
	    os_data_limit() != UINT64_MAX)
		return 1;
	return wished ? wished : min(nodes_managed_pages() * PAGE_SIZE / BUDGET_SHARE,
				     BYTES_MAX_DEFAULT);
}

static size_t most(void)
{
	size_t bytes = atomic_load_relaxed(&most_bytes);

	if (likely(bytes) || !page_is_up())
		return bytes;
	/* Unless it was forbidden meanwhile. */
	atomic_cas_relaxed(&most_bytes, &bytes, find_most_bytes());
	return atomic_load_relaxed(&most_bytes);
}

static size_t longest(void)
{
	return min(most(), MAPPING_WORD_BYTES_MAX);
}

/* --- Places ------------------------------------------------------------------------ */

/* The mapping is the caller's if the place holds it still: *word then, else what it holds. */
static bool withdraw(unsigned long *place, unsigned long *word)
{
	/*
	 * pairs with fill(): what was written to the mapping. A word that is the same again is a
	 * mapping of the same place and length, however often it went and came meanwhile.
	 */
	if (!*word || !atomic_cas_acquire(place, word, 0UL))
		return false;
	atomic_add_relaxed(&kept_bytes, -mapping_word_bytes(*word));
	return true;
}

static bool fill(unsigned long *place, unsigned long word)
{
	unsigned long none = 0;

	/* pairs with withdraw() */
	return !atomic_load_relaxed(place) && atomic_cas_release(place, &none, word);
}

/* False if it would be more than all may have. */
static bool reserve(size_t bytes)
{
	size_t kept = atomic_load_relaxed(&kept_bytes);

	do {
		if (kept > most() || bytes > most() - kept)
			return false;
	} while (!atomic_cas_relaxed(&kept_bytes, &kept, kept + bytes));
	return true;
}

/* What was reserved is there; false if there is no place for it. */
static bool find_place(char *start, size_t bytes)
{
	for (unsigned int i = 0; i < PLACES; i++)
		if (fill(&places[i], mapping_word(start, bytes)))
			return true;
	return false;
}

/* False, and it is the caller's still, if it would be too much, or there is no place for it. */
static bool put(char *start, size_t bytes)
{
	if (!reserve(bytes))
		return false;
	if (find_place(start, bytes))
		return true;
	atomic_add_relaxed(&kept_bytes, -bytes);
	return false;
}

/* --- Back to the system -------------------------------------------------------------- */

static size_t unmap(char *start, size_t bytes)
{
	atomic_add_relaxed(&mapped_counts.freed_bytes, bytes);
	os_unmap_or_discard(start, bytes);
	return bytes;
}

/* So many bytes of one that is there, or somewhat more, by turns; 0: there is none. */
static size_t drop(size_t wanted)
{
	uint32_t first = atomic_add_relaxed(&position, 1);

	for (unsigned int i = 0; i < PLACES; i++) {
		unsigned long *place = &places[(first + i) % PLACES];
		unsigned long word = atomic_load_relaxed(place);
		char *start;
		size_t bytes, left;

		if (!withdraw(place, &word))
			continue;
		start = mapping_word_start(word);
		bytes = mapping_word_bytes(word);
		left = bytes - min(bytes, wanted);
		if (left < BYTES_MIN || !put(start, left))
			left = 0;
		return unmap(start + left, bytes - left);
	}
	return 0;
}

size_t mapped_cache_give_back(size_t wanted)
{
	size_t bytes = 0, dropped;

	/* Others may go on filling places. */
	for (unsigned int i = 0; i < PLACES && bytes < wanted; i++) {
		dropped = drop(wanted - bytes);
		if (!dropped)
			break;
		bytes += dropped;
	}
	return bytes;
}

/* --- Putting and taking --------------------------------------------------------------- */

/*
 * Somebody has use for what is kept. What the parent of a fork child kept does not serve the child,
 * which would have it copied page by page, and could not join its own to it.
 */
static void note_use(void)
{
	uint32_t own = atomic_load_relaxed(&os_fork_generation);

	decay_mappings();
	if (unlikely(atomic_load_relaxed(&generation) != own)) {
		atomic_store_relaxed(&generation, own);
		mapped_cache_give_back(SIZE_MAX);
	}
	atomic_store_relaxed(&decay_mappings_ms, os_time_ms());
}

/* What lies in front or behind becomes a part of it, as far as one word can say so. */
static void join_neighbours(char **start, size_t *bytes)
{
	for (unsigned int i = 0; i < PLACES; i++) {
		unsigned long word = atomic_load_relaxed(&places[i]);
		char *other = mapping_word_start(word);
		size_t other_bytes = mapping_word_bytes(word);

		if ((other + other_bytes != *start && other != *start + *bytes) ||
		    *bytes + other_bytes > longest() || !withdraw(&places[i], &word))
			continue;
		*start = min(*start, other);
		*bytes += other_bytes;
	}
}

/*
 * What the program did to its pages must not be the next owner's. What is locked as new memory is
 * (mlockall(2)) cannot be discarded, which is tried with a page, and stays locked. The last one is
 * the least likely to be part of a huge page.
 */
static bool make_plain(char *block, size_t bytes)
{
	return !os_discard(block + bytes - os_page_bytes(), os_page_bytes()) &&
	       !os_make_plain(block, bytes);
}

/* The same with others going for it; false: they are faster, again and again. */
static bool put_in_place(char *start, size_t bytes)
{
	for (unsigned int tries = 0; tries < PLACES; tries++) {
		bool is_too_much = mapped_cache_bytes() + bytes > most();

		if (put(start, bytes))
			return true;
		/* Where it is places that are lacking a part of another one would be of no use. */
		if (!drop(is_too_much ? bytes : SIZE_MAX))
			return false;
	}
	return false;
}

bool mapped_cache_put(void *block, size_t bytes)
{
	char *start = block;

	if (bytes < BYTES_MIN || bytes > longest() || !make_plain(block, bytes))
		return false;
	note_use();
	join_neighbours(&start, &bytes);
	if (!put_in_place(start, bytes))
		unmap(start, bytes);
	/* By default it is never so much that the thread would be made for it. */
	decay_in_background(mapped_cache_bytes() / PAGE_SIZE);
	return true;
}

/* The end that is not wanted, if it is worth a place; what the rest has. */
static size_t cut(char *start, size_t bytes, size_t wanted)
{
	return bytes - wanted >= BYTES_MIN && put(start + wanted, bytes - wanted) ?
	       wanted : bytes;
}

/* The smallest that is large enough. */
static unsigned long *find_fitting(size_t bytes, size_t align, unsigned long *word)
{
	unsigned long *best = NULL;

	for (unsigned int i = 0; i < PLACES; i++) {
		unsigned long other = atomic_load_relaxed(&places[i]);
		size_t size = mapping_word_bytes(other);

		if (size >= bytes && !((unsigned long)mapping_word_start(other) & (align - 1)) &&
		    (!best || size < mapping_word_bytes(*word))) {
			best = &places[i];
			*word = other;
		}
	}
	return best;
}

void *mapped_cache_take(size_t *bytes, size_t align)
{
	unsigned long *place, word;
	char *start;

	if (*bytes < BYTES_MIN || *bytes > mapped_cache_bytes())
		return NULL;
	note_use();
	do {
		place = find_fitting(*bytes, align, &word);
		if (!place)
			return NULL;
	} while (!withdraw(place, &word));
	start = mapping_word_start(word);
	*bytes = cut(start, mapping_word_bytes(word), *bytes);
	return start;
}

size_t mapped_cache_take_at(void *address, size_t bytes)
{
	if (bytes > mapped_cache_bytes())
		return 0;
	note_use();
	for (unsigned int i = 0; i < PLACES; i++) {
		unsigned long word = atomic_load_relaxed(&places[i]);

		if (mapping_word_start(word) != address || mapping_word_bytes(word) < bytes ||
		    !withdraw(&places[i], &word))
			continue;
		return cut(address, mapping_word_bytes(word), bytes);
	}
	return 0;
}

size_t mapped_cache_bytes(void)
{
	return atomic_load_relaxed(&kept_bytes);
}

/* --- Others -------------------------------------------------------------------------- */

static void unmap_some(size_t bytes)
{
	percpu_fork_change_begin();
	mapped_cache_give_back(bytes);
	percpu_fork_change_end();
}

void mapped_cache_forbid(void)
{
	atomic_store_relaxed(&most_bytes, 1UL);
	unmap_some(SIZE_MAX);
}

/* What other threads had withdrawn, or were about to put, is nobody's. */
void mapped_cache_fork_child(void)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < PLACES; i++)
		bytes += mapping_word_bytes(atomic_load_relaxed(&places[i]));
	atomic_store_relaxed(&kept_bytes, bytes);
}

void mapped_cache_init(void)
{
	release_set_mappings(unmap_some);
}
