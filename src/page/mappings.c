/* SPDX-License-Identifier: MIT */
#include "page/mappings.h"

#include <stdint.h>

#include "os/os.h"
#include "usermm/page.h"

#define WINDOW 16UL

static unsigned int level_bits(unsigned int level)
{
	return MAPPING_FIRST_LEVEL_BITS + level * MAPPING_LEVEL_BITS_STEP;
}

static struct mapping *level_entries(struct mappings *table, unsigned int level)
{
	/* pairs with make_level(): the entries are zero */
	return atomic_load_acquire(&table->levels[level]);
}

/* Entry i of an address's window. */
static struct mapping *window_entry(struct mapping *entries, unsigned int level,
				    unsigned long start, unsigned long i)
{
	/* D. Knuth's multiplicative hashing, with 2^64 over the golden ratio. */
	unsigned long hash = start / PAGE_SIZE * 0x9e3779b97f4a7c15UL;
	unsigned int bits = level_bits(level);

	return &entries[((hash >> (64 - bits)) + i) & ((1UL << bits) - 1)];
}

static struct mapping *make_level(struct mappings *table, unsigned int level)
{
	size_t bytes = sizeof(struct mapping) << level_bits(level);
	struct mapping *winner = NULL;
	void *entries;

	if (os_map_lazily(ALIGN(bytes, os_page_bytes()), os_page_bytes(), &entries))
		return NULL;
	/* pairs with level_entries(): the entries are zero */
	if (atomic_cas_release(&table->levels[level], &winner, (struct mapping *)entries))
		return entries;
	os_unmap(entries, ALIGN(bytes, os_page_bytes()));
	return level_entries(table, level);
}

static struct mapping *claim_free(struct mapping *entries, unsigned int level,
				  unsigned long start)
{
	for (unsigned long i = 0; i < WINDOW; i++) {
		struct mapping *entry = window_entry(entries, level, start, i);
		unsigned long free_entry = MAPPING_FREE;

		/* pairs with mapping_give_up(): bytes */
		if (atomic_load_relaxed(&entry->start) == MAPPING_FREE &&
		    atomic_cas_acquire(&entry->start, &free_entry, MAPPING_CLAIMED))
			return entry;
	}
	return NULL;
}

void mapping_publish(struct mapping *entry, const void *block, size_t bytes)
{
	atomic_store_relaxed(&entry->bytes, bytes);
	/* pairs with mappings_find(), mappings_claim() and look_everywhere(): bytes */
	atomic_store_release(&entry->start, (unsigned long)block);
}

/*
 * Sets the size to 0. The next thread that claims the entry leaves the size alone until it
 * publishes a block, so bytes_of_any() counts no bytes for it until then.
 */
void mapping_give_up(struct mapping *entry)
{
	atomic_store_relaxed(&entry->bytes, 0UL);
	/* pairs with claim_free(): bytes */
	atomic_store_release(&entry->start, MAPPING_FREE);
}

size_t mapping_bytes(size_t bytes)
{
	return bytes <= PTRDIFF_MAX ? ALIGN(max(bytes, 1UL), os_page_bytes()) : 0;
}

bool mappings_insert(struct mappings *table, const void *block, size_t bytes)
{
	struct mapping *entries, *entry;

	for (unsigned int level = 0; level < MAPPING_LEVELS; level++) {
		entries = level_entries(table, level);
		if (!entries)
			entries = make_level(table, level);
		if (!entries)
			return false;
		entry = claim_free(entries, level, (unsigned long)block);
		if (entry) {
			mapping_publish(entry, block, bytes);
			return true;
		}
	}
	return false;
}

/*
 * Looks at all entries for the block at this address or, if `inside`, for the block that holds it.
 */
static struct mapping *look_everywhere(struct mappings *table, unsigned long address,
				       bool inside)
{
	struct mapping *entries;

	for (unsigned int level = 0;
	     level < MAPPING_LEVELS && (entries = level_entries(table, level)); level++)
		for (unsigned long i = 0; i < 1UL << level_bits(level); i++) {
			/* pairs with mapping_publish(): bytes */
			unsigned long start = atomic_load_acquire(&entries[i].start);

			if (start <= MAPPING_CLAIMED)
				continue;
			if (start == address ||
			    (inside && address - start <
				       mapping_bytes(atomic_load_relaxed(&entries[i].bytes))))
				return &entries[i];
		}
	return NULL;
}

struct mapping *mappings_find(struct mappings *table, const void *block)
{
	unsigned long start = (unsigned long)block;
	struct mapping *entries, *entry;

	if (start <= MAPPING_CLAIMED)
		return NULL;
	for (unsigned int level = 0;
	     level < MAPPING_LEVELS && (entries = level_entries(table, level)); level++)
		for (unsigned long i = 0; i < WINDOW; i++) {
			entry = window_entry(entries, level, start, i);
			/* pairs with mapping_publish(): bytes */
			if (atomic_load_acquire(&entry->start) == start)
				return entry;
		}
	return likely(!atomic_load_relaxed(&table->nr_displaced)) ?
	       NULL : look_everywhere(table, start, false);
}

struct mapping *mappings_claim(struct mappings *table, const void *block)
{
	struct mapping *entry = mappings_find(table, block);
	unsigned long start = (unsigned long)block;

	/* pairs with mapping_publish(): bytes */
	if (!entry || !atomic_cas_acquire(&entry->start, &start, MAPPING_CLAIMED))
		return NULL;
	return entry;
}

struct mapping *mappings_find_around(struct mappings *table, const void *address)
{
	return look_everywhere(table, (unsigned long)address, true);
}

/* Moves the entry to the new address's window. If that has no room, the entry stays put. */
void mappings_move(struct mappings *table, struct mapping *entry, const void *block,
		   size_t bytes)
{
	if (mappings_insert(table, block, bytes)) {
		mapping_give_up(entry);
		return;
	}
	atomic_add_relaxed(&table->nr_displaced, 1);
	mapping_publish(entry, block, bytes);
}

static size_t bytes_of_any(const struct mapping *entry)
{
	size_t bytes = atomic_load_relaxed(&entry->bytes);

	switch (atomic_load_relaxed(&entry->start)) {
	case MAPPING_FREE:
		return 0;
	case MAPPING_CLAIMED:
		return bytes ? mapping_bytes(bytes) : 0;
	default:
		return mapping_bytes(bytes);
	}
}

size_t mappings_fork_child_bytes(struct mappings *table)
{
	struct mapping *entries;
	size_t bytes = 0;

	for (unsigned int level = 0;
	     level < MAPPING_LEVELS && (entries = level_entries(table, level)); level++)
		for (unsigned long i = 0; i < 1UL << level_bits(level); i++)
			bytes += bytes_of_any(&entries[i]);
	return bytes;
}

void mappings_each(struct mappings *table, void (*look)(void *block, size_t bytes))
{
	struct mapping *entries;

	for (unsigned int level = 0;
	     level < MAPPING_LEVELS && (entries = level_entries(table, level)); level++)
		for (unsigned long i = 0; i < 1UL << level_bits(level); i++) {
			unsigned long start = atomic_load_relaxed(&entries[i].start);

			if (start > MAPPING_CLAIMED)
				look((void *)start, atomic_load_relaxed(&entries[i].bytes));
		}
}
