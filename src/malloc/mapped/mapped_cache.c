/* SPDX-License-Identifier: MIT */
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

/* By default at most 1/BUDGET_SHARE of the budget: as much as the window keeps of free memory. */
#define BUDGET_SHARE RELEASE_KEPT_SHARE
/*
 * When a block is mapped, kept mappings beyond 1/SPARE_SHARE of the bytes of all mapping blocks are
 * unmapped, but no more bytes than the block has.
 */
#define SPARE_SHARE 6
/* If a mapping is wanted so soon after one was unmapped, the next ones are kept. */
#define WANTED_AGAIN_MS 1000

unsigned long mapped_cache_places[MAPPED_CACHE_PLACES];
/* The bytes of all places, plus those that are reserved for a place. Sync: atomic relaxed */
static size_t kept_bytes;
/* The least that was kept since the last mapped_cache_decay(). Sync: atomic relaxed; approximate */
static size_t low_bytes;
/*
 * The most to keep, or one of three values: NOT_KNOWN yet; NOTHING, which is 1 byte, less than any
 * mapping has; SHARE, for 1/BUDGET_SHARE of the budget, which may change. Sync: atomic relaxed
 */
static size_t most_bytes;
enum { NOT_KNOWN = 0, NOTHING = 1 };
#define SHARE SIZE_MAX
/*
 * When a freed mapping was last unmapped instead of kept; 0: not since the last note_miss(). Sync:
 * atomic relaxed
 */
static uint64_t gave_ms;
static uint32_t position;	/* the place to drop next. Sync: atomic relaxed */
/* The os_fork_generation of the process that filled the places. Sync: atomic relaxed */
static uint32_t generation;

/* Does an option want freed memory cleared or inaccessible? */
static bool frees_are_watched(void)
{
	return hardened_is_on() || options.kfence_sample || options.init_on_alloc ||
	       options.init_on_free || options.page_poison || options.debug_pagealloc;
}

static size_t find_most_bytes(void)
{
	size_t wished = options.mapping_cache_bytes;

	if (options.limit || frees_are_watched() || os_address_space_limit() != UINT64_MAX ||
	    os_data_limit() != UINT64_MAX)
		return NOTHING;
	return wished ? wished : SHARE;
}

static size_t most(void)
{
	size_t bytes = atomic_load_relaxed(&most_bytes);

	if (unlikely(bytes == NOT_KNOWN)) {
		if (!page_is_up())
			return 0;
		/* mapped_cache_forbid() may have set it meanwhile: then that stays. */
		atomic_cas_relaxed(&most_bytes, &bytes, find_most_bytes());
		bytes = atomic_load_relaxed(&most_bytes);
	}
	/* Somebody else may have set an address limit. */
	if (mm_is_charged())
		return NOTHING;
	return bytes == SHARE ? mm_budget_bytes() / BUDGET_SHARE : bytes;
}

static size_t longest(void)
{
	return min(most(), MAPPING_WORD_BYTES_MAX);
}

/* --- Places ------------------------------------------------------------------------ */

/*
 * Takes the mapping out of the place if the place still has *word. If not, returns false and sets
 * *word to what the place has.
 */
static bool withdraw(unsigned long *place, unsigned long *word)
{
	/*
	 * pairs with fill(): the contents of the mapping. A word that left and came back (ABA) is a
	 * mapping of the same address and length, so the swap is right.
	 */
	if (!*word || !atomic_cas_acquire(place, word, 0UL))
		return false;
	atomic_add_relaxed(&kept_bytes, -mapping_word_bytes(*word));
	return true;
}

static bool fill(unsigned long *place, unsigned long word)
{
	unsigned long none = 0;

	/* pairs with withdraw(): the contents of the mapping */
	return !atomic_load_relaxed(place) && atomic_cas_release(place, &none, word);
}

/* Counts bytes before they get a place. False if the cache would have more than most(). */
static bool reserve(size_t bytes)
{
	size_t kept = atomic_load_relaxed(&kept_bytes);

	do {
		if (kept > most() || bytes > most() - kept)
			return false;
	} while (!atomic_cas_relaxed(&kept_bytes, &kept, kept + bytes));
	return true;
}

/* Puts a mapping whose bytes are reserved into a free place; false if there is none. */
static bool find_place(char *start, size_t bytes)
{
	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++)
		if (fill(&mapped_cache_places[i], mapping_word(start, bytes)))
			return true;
	return false;
}

/* False if there are too many bytes or no free place: the mapping remains the caller's. */
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

/*
 * Unmaps `wanted` bytes of one kept mapping, or all of it. Each call begins at the next place.
 * Returns how many bytes; 0 if nothing is kept.
 */
static size_t drop(size_t wanted)
{
	uint32_t first = atomic_add_relaxed(&position, 1);

	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++) {
		unsigned long *place = &mapped_cache_places[(first + i) % MAPPED_CACHE_PLACES];
		unsigned long word = atomic_load_relaxed(place);
		char *start;
		size_t bytes, left;

		if (!withdraw(place, &word))
			continue;
		start = mapping_word_start(word);
		bytes = mapping_word_bytes(word);
		left = bytes - min(bytes, wanted);
		if (left < MAPPED_CACHE_BYTES_MIN || !put(start, left))
			left = 0;
		return unmap(start + left, bytes - left);
	}
	return 0;
}

size_t mapped_cache_give_back(size_t wanted)
{
	size_t bytes = 0, dropped;

	/* Bounded, since other threads may fill places all the time. */
	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES && bytes < wanted; i++) {
		dropped = drop(wanted - bytes);
		if (!dropped)
			break;
		bytes += dropped;
	}
	return bytes;
}

void mapped_cache_make_way(size_t more)
{
	size_t in_use = atomic_load_relaxed(&mapped_counts.bytes) + more;
	size_t kept = mapped_cache_bytes(), spare = ALIGN(in_use / SPARE_SHARE, os_page_bytes());

	if (kept > spare)
		mapped_cache_give_back(min(more, kept - spare));
}

size_t mapped_cache_decay(void)
{
	size_t kept;

	mapped_cache_give_back(atomic_load_relaxed(&low_bytes));
	kept = mapped_cache_bytes();
	atomic_store_relaxed(&low_bytes, kept);
	return kept;
}

/* --- Putting and taking --------------------------------------------------------------- */

/*
 * Called at each put and take. A fork child first gives back what its parent kept. If the child
 * used it, the kernel would copy each page at the first write, and the child's own mappings cannot
 * be joined to it.
 */
static void note_use(void)
{
	uint32_t own = atomic_load_relaxed(&os_fork_generation);

	decay_mappings();
	if (unlikely(atomic_load_relaxed(&generation) != own)) {
		atomic_store_relaxed(&generation, own);
		mapped_cache_give_back(SIZE_MAX);
	}
}

/* A mapping was taken. What was taken for a moment, to be joined or cut, does not count. */
static void note_taken(void)
{
	size_t kept = mapped_cache_bytes();

	if (kept < atomic_load_relaxed(&low_bytes))
		atomic_store_relaxed(&low_bytes, kept);
}

static void note_put(void)
{
	size_t kept = mapped_cache_bytes();

	if (decay_begin_mappings())
		atomic_store_relaxed(&low_bytes, kept);
	decay_in_background(kept / PAGE_SIZE);
}

static void put_or_unmap(char *start, size_t bytes)
{
	if (!put(start, bytes))
		unmap(start, bytes);
}

/*
 * Takes the place's mapping to join it with the caller's bytes, if the kernel has both as one
 * mapping. If mremap(2) moved one of them there, the kernel may have two. If these were joined, the
 * next free of the block would take it for one that the program has changed (os_make_plain()).
 */
static bool take_neighbour(unsigned long *place, unsigned long word, char *start, size_t bytes)
{
	char *other = mapping_word_start(word);
	size_t other_bytes = mapping_word_bytes(word);

	if (!withdraw(place, &word))
		return false;
	if (os_is_one_mapping(min(start, other), bytes + other_bytes))
		return true;
	put_or_unmap(other, other_bytes);
	return false;
}

/* Joins the mapping with kept mappings in front and behind, as long as one word can hold it. */
static void join_neighbours(char **start, size_t *bytes)
{
	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++) {
		unsigned long word = atomic_load_relaxed(&mapped_cache_places[i]);
		char *other = mapping_word_start(word);
		size_t other_bytes = mapping_word_bytes(word);

		if ((other + other_bytes != *start && other != *start + *bytes) ||
		    *bytes + other_bytes > longest() ||
		    !take_neighbour(&mapped_cache_places[i], word, *start, *bytes))
			continue;
		*start = min(*start, other);
		*bytes += other_bytes;
	}
}

/* Unmaps the shortest mapping that is kept, unless all are at least `bytes` long. */
static bool drop_shortest(size_t bytes)
{
	unsigned long *shortest = NULL, word = 0;

	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++) {
		unsigned long other = atomic_load_relaxed(&mapped_cache_places[i]);

		if (other && mapping_word_bytes(other) < bytes) {
			bytes = mapping_word_bytes(other);
			shortest = &mapped_cache_places[i];
			word = other;
		}
	}
	if (!shortest || !withdraw(shortest, &word))
		return false;
	unmap(mapping_word_start(word), bytes);
	return true;
}

/* put() after making room. False if other threads take the room again and again. */
static bool put_in_place(char *start, size_t bytes)
{
	for (unsigned int tries = 0; tries < MAPPED_CACHE_PLACES; tries++) {
		if (put(start, bytes))
			return true;
		if (!(mapped_cache_bytes() + bytes > most() ? drop(bytes) : drop_shortest(bytes)))
			return false;
	}
	return false;
}

/*
 * Should the caller unmap a freed mapping now, instead of keeping it? Yes, if decay_gives_now()
 * allows it: then no thread need be made to unmap it later (page/reclaim/decay.h). A small sum is
 * kept in any case.
 */
static bool should_unmap_now(size_t bytes)
{
	if ((mapped_cache_bytes() + bytes) / PAGE_SIZE <= release_wake_pages ||
	    !decay_gives_now(bytes / PAGE_SIZE))
		return false;
	atomic_store_relaxed(&gave_ms, os_time_ms());
	return true;
}

/* No kept mapping fits a request. If one was unmapped at once shortly before, keeps the next. */
static void note_miss(void)
{
	uint64_t gave = atomic_load_relaxed(&gave_ms);

	if (!gave)
		return;
	atomic_store_relaxed(&gave_ms, 0UL);
	if (os_time_ms() - gave < WANTED_AGAIN_MS)
		decay_gives_no_more();
}

bool mapped_cache_put(void *block, size_t bytes)
{
	char *start = block;

	/*
	 * os_make_plain() undoes what the program did to the pages (mprotect(2), madvise(2)). If
	 * that fails, the block is not kept.
	 */
	if (bytes < MAPPED_CACHE_BYTES_MIN || bytes > longest() || should_unmap_now(bytes) ||
	    os_make_plain(block, bytes))
		return false;
	note_use();
	join_neighbours(&start, &bytes);
	if (!put_in_place(start, bytes))
		unmap(start, bytes);
	note_put();
	return true;
}

/* Puts the unwanted end back if it is worth a place. Returns the bytes that are left. */
static size_t cut(char *start, size_t bytes, size_t wanted)
{
	return bytes - wanted >= MAPPED_CACHE_BYTES_MIN && put(start + wanted, bytes - wanted) ?
	       wanted : bytes;
}

/* The place of the smallest mapping that is large enough; *word is what the place has. */
static unsigned long *find_fitting(size_t bytes, size_t align, unsigned long *word)
{
	unsigned long *best = NULL;

	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++) {
		unsigned long other = atomic_load_relaxed(&mapped_cache_places[i]);
		size_t size = mapping_word_bytes(other);

		if (size >= bytes && !((unsigned long)mapping_word_start(other) & (align - 1)) &&
		    (!best || size < mapping_word_bytes(*word))) {
			best = &mapped_cache_places[i];
			*word = other;
		}
	}
	return best;
}

void *mapped_cache_take(size_t *bytes, size_t align)
{
	unsigned long *place, word;
	char *start;

	if (*bytes < MAPPED_CACHE_BYTES_MIN)
		return NULL;
	if (*bytes > mapped_cache_bytes()) {
		note_miss();
		return NULL;
	}
	note_use();
	do {
		place = find_fitting(*bytes, align, &word);
		if (!place) {
			note_miss();
			return NULL;
		}
	} while (!withdraw(place, &word));
	start = mapping_word_start(word);
	*bytes = cut(start, mapping_word_bytes(word), *bytes);
	note_taken();
	return start;
}

/* The place of the longest mapping that is shorter than `bytes`; *word is what the place has. */
static unsigned long *find_longest(size_t bytes, unsigned long *word)
{
	unsigned long *longest = NULL;

	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++) {
		unsigned long other = atomic_load_relaxed(&mapped_cache_places[i]);
		size_t size = mapping_word_bytes(other);

		if (other && size < bytes && (!longest || size > mapping_word_bytes(*word))) {
			longest = &mapped_cache_places[i];
			*word = other;
		}
	}
	return longest;
}

void *mapped_cache_grow(size_t bytes, size_t *more)
{
	unsigned long *place, word;
	size_t old_bytes;
	void *start;

	if (bytes < MAPPED_CACHE_BYTES_MIN || !mapped_cache_bytes())
		return NULL;
	note_use();
	place = find_longest(bytes, &word);
	if (!place || !withdraw(place, &word))
		return NULL;
	old_bytes = mapping_word_bytes(word);
	if (os_remap(mapping_word_start(word), old_bytes, bytes, &start)) {
		put_or_unmap(mapping_word_start(word), old_bytes);
		return NULL;
	}
	note_taken();
	*more = bytes - old_bytes;
	return start;
}

size_t mapped_cache_take_at(void *address, size_t bytes)
{
	if (bytes > mapped_cache_bytes())
		return 0;
	note_use();
	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++) {
		unsigned long word = atomic_load_relaxed(&mapped_cache_places[i]);

		if (mapping_word_start(word) != address || mapping_word_bytes(word) < bytes ||
		    !take_neighbour(&mapped_cache_places[i], word,
				    (char *)address - os_page_bytes(), os_page_bytes()))
			continue;
		bytes = cut(address, mapping_word_bytes(word), bytes);
		note_taken();
		return bytes;
	}
	return 0;
}

size_t mapped_cache_bytes(void)
{
	return atomic_load_relaxed(&kept_bytes);
}

/* --- Others -------------------------------------------------------------------------- */

void mapped_cache_forbid(void)
{
	atomic_store_relaxed(&most_bytes, 1UL);
	percpu_fork_change_begin();
	mapped_cache_give_back(SIZE_MAX);
	percpu_fork_change_end();
}

/* Mappings that other threads of the parent had taken, or were about to put, are lost. */
void mapped_cache_fork_child(void)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++)
		bytes += mapping_word_bytes(atomic_load_relaxed(&mapped_cache_places[i]));
	atomic_store_relaxed(&kept_bytes, bytes);
}
