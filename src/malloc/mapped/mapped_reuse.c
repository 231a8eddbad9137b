/* SPDX-License-Identifier: MIT */
#include "malloc/mapped/mapped_reuse.h"

#include <string.h>

#include "base/atomic.h"
#include "base/check.h"
#include "base/options.h"
#include "malloc/mapped/mapping_word.h"
#include "page/reclaim/decay.h"
#include "slab/hardened/hardened_object.h"

/* A ring for each number of pages. A page has at least 4 KiB. */
#define NR_RINGS (MAPPED_REUSE_BYTES_MAX / 4096 + 1)
#define PLACES 512u
#define KEPT_BYTES_MAX (32 * MIB)
#define PERIOD_MS 1000
#define IDLE_MS 1000

/*
 * A ring's blocks lie in the order of their frees. Blocks are put at one position and taken at the
 * other. If two threads do so at the same time, a place may be skipped until its turn comes again.
 */
struct ring {
	unsigned long places[PLACES];	/* a mapping_word() each. Sync: atomic exchange */
	uint32_t put, taken;		/* the positions. Sync: atomic relaxed */
	uint32_t count;			/* of the blocks. Sync: atomic relaxed; approximate */
};

static struct ring rings[NR_RINGS] __large_bss;
static size_t kept_bytes;	/* Sync: atomic relaxed; approximate */
static uint64_t used_ms;	/* when a block was last put or taken. Sync: atomic relaxed */

/* When the period began, and how many blocks were freed in it. Sync: atomic relaxed */
static uint64_t period_began;
static uint32_t nr_freed;
static bool was_busy;		/* in the period before */

static struct ring *ring_of(size_t bytes)
{
	return &rings[bytes / os_page_bytes()];
}

/* Counts a free. Are there many of them, in this period or the one before? */
static bool frees_are_many(void)
{
	uint64_t now = os_time_ms(), began = atomic_load_relaxed(&period_began);

	if (now - began >= PERIOD_MS && atomic_cas_relaxed(&period_began, &began, now)) {
		atomic_store_relaxed(&was_busy, now - began < 2 * PERIOD_MS &&
				     atomic_load_relaxed(&nr_freed) > MAPPED_REUSE_FREES);
		atomic_store_relaxed(&nr_freed, 0u);
	}
	return atomic_add_relaxed(&nr_freed, 1u) >= MAPPED_REUSE_FREES ||
	       atomic_load_relaxed(&was_busy);
}

static void note_use(void)
{
	decay_mappings();
	atomic_store_relaxed(&used_ms, os_time_ms());
	decay_begin_mappings();
}

/* Takes the block out of the place; NULL if there is none. */
static void *withdraw(struct ring *ring, unsigned long *place, size_t *bytes)
{
	/* pairs with put() and mapped_reuse_check(): the block's bytes */
	unsigned long word = atomic_load_relaxed(place) ? atomic_exchange_acquire(place, 0UL) : 0;

	if (!word)
		return NULL;
	*bytes = mapping_word_bytes(word);
	atomic_add_relaxed(&ring->count, -1u);
	atomic_add_relaxed(&kept_bytes, -*bytes);
	return mapping_word_start(word);
}

/* Puts the block into its ring and returns true, if the program frees many and there is room. */
static bool put(void *block, size_t bytes)
{
	struct ring *ring;
	unsigned long *place, none = 0;

	if (bytes > MAPPED_REUSE_BYTES_MAX || options.limit || !frees_are_many() ||
	    atomic_load_relaxed(&kept_bytes) > KEPT_BYTES_MAX)
		return false;
	ring = ring_of(bytes);
	place = &ring->places[atomic_load_relaxed(&ring->put) % PLACES];
	if (atomic_load_relaxed(place))		/* as many wait as may */
		return false;
	atomic_add_relaxed(&ring->put, 1u);
	memset(block, 0, bytes);
	atomic_add_relaxed(&kept_bytes, bytes);
	atomic_add_relaxed(&ring->count, 1u);
	/* pairs with withdraw() and mapped_reuse_check(): the block's bytes */
	if (!atomic_cas_release(place, &none, mapping_word(block, bytes))) {
		atomic_add_relaxed(&kept_bytes, -bytes);
		atomic_add_relaxed(&ring->count, -1u);
		return false;
	}
	return true;
}

/*
 * A free whose block is not kept calls decay_mappings(), too. While fewer than
 * MAPPED_REUSE_WAITING blocks of a size are kept, no request gets one, so nothing else would notice
 * that they are idle.
 */
bool mapped_reuse_put(void *block, size_t bytes)
{
	if (!put(block, bytes)) {
		decay_mappings();
		return false;
	}
	note_use();
	return true;
}

static void check_zero(const char *block, size_t bytes)
{
	const char *byte = block;

	if (likely(slab_hardened_is_clear(block, bytes)))
		return;
	while (!*byte)
		byte++;
	report_fatal("malloc: write after free: byte %ld of the free block %p was overwritten with "
		     "0x%02x (first one; a mapping of %zu bytes)", (long)(byte - block),
		     (const void *)block, *byte & 0xffu, bytes);
}

void *mapped_reuse_take(size_t bytes)
{
	struct ring *ring;
	void *block = NULL;

	if (bytes > MAPPED_REUSE_BYTES_MAX)
		return NULL;
	ring = ring_of(bytes);
	if (atomic_load_relaxed(&ring->count) < MAPPED_REUSE_WAITING)
		return NULL;
	for (uint32_t i = 0; i < PLACES && !block; i++)
		block = withdraw(ring, &ring->places[atomic_add_relaxed(&ring->taken, 1u) % PLACES],
				 &bytes);
	if (!block)
		return NULL;
	check_zero(block, bytes);
	note_use();
	return block;
}

void *mapped_reuse_withdraw(size_t *bytes)
{
	if (!atomic_load_relaxed(&kept_bytes))
		return NULL;
	for (unsigned int i = 0; i < NR_RINGS; i++)
		for (unsigned int k = 0; k < PLACES; k++) {
			void *block = withdraw(&rings[i], &rings[i].places[k], bytes);

			if (!block)
				continue;
			check_zero(block, *bytes);
			return block;
		}
	return NULL;
}

bool mapped_reuse_is_idle(void)
{
	/* used_ms may be later than this thread's time. */
	return (int64_t)(os_time_ms() - atomic_load_relaxed(&used_ms)) >= IDLE_MS;
}

size_t mapped_reuse_bytes(void)
{
	return atomic_load_relaxed(&kept_bytes);
}

void *mapped_reuse_find(const void *address, size_t *bytes)
{
	for (unsigned int i = 0; i < NR_RINGS; i++)
		for (unsigned int k = 0; k < PLACES; k++) {
			unsigned long word = atomic_load_relaxed(&rings[i].places[k]);
			char *start = mapping_word_start(word);

			*bytes = mapping_word_bytes(word);
			if (word && (unsigned long)address - (unsigned long)start < *bytes)
				return start;
		}
	return NULL;
}

/*
 * Each block is taken out while it is looked at: its next owner may write to it. Another thread may
 * fill the place meanwhile; then the block is lost, at the end of the process.
 */
void mapped_reuse_check(void)
{
	for (unsigned int i = 0; i < NR_RINGS; i++)
		for (unsigned int k = 0; k < PLACES; k++) {
			unsigned long *place = &rings[i].places[k], none = 0, word;

			if (!atomic_load_relaxed(place))
				continue;
			/* pairs with put(): the block's bytes */
			word = atomic_exchange_acquire(place, 0UL);
			if (!word)
				continue;
			check_zero(mapping_word_start(word), mapping_word_bytes(word));
			/* pairs with withdraw(): this thread has read the block's bytes */
			atomic_cas_release(place, &none, word);
		}
}

void mapped_reuse_fork_child(void)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < NR_RINGS; i++) {
		uint32_t count = 0;

		for (unsigned int k = 0; k < PLACES; k++) {
			unsigned long word = atomic_load_relaxed(&rings[i].places[k]);

			bytes += mapping_word_bytes(word);
			count += word != 0;
		}
		atomic_store_relaxed(&rings[i].count, count);
	}
	atomic_store_relaxed(&kept_bytes, bytes);
}
