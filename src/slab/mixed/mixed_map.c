/* SPDX-License-Identifier: MIT */
#include "slab/mixed/mixed_map.h"

#include <string.h>

#include "base/compiler.h"

#define WORD_BITS 64U

static unsigned long used_word(const struct mixed_map *map, unsigned int word)
{
	return map->first[word] | map->more[word];
}

/* Sets or clears nr bits from `at` on. */
static void change(unsigned long *words, unsigned int at, unsigned int nr, bool set)
{
	while (nr) {
		unsigned int bit = at % WORD_BITS, some = min(nr, WORD_BITS - bit);
		unsigned long mask = (~0UL >> (WORD_BITS - some)) << bit;
		unsigned long *word = &words[at / WORD_BITS];

		atomic_store_relaxed(word, set ? *word | mask : *word & ~mask);
		at += some;
		nr -= some;
	}
}

/* The first granule from `at` on that is used, or free; map->nr if there is none. */
static unsigned int next(const struct mixed_map *map, unsigned int at, bool used)
{
	while (at < map->nr) {
		unsigned long word = used_word(map, at / WORD_BITS);

		word = (used ? word : ~word) >> at % WORD_BITS;
		if (word)
			return at + (unsigned int)__builtin_ctzl(word);
		at = (at / WORD_BITS + 1) * WORD_BITS;
	}
	return map->nr;
}

/* The granule behind the last used one before `at`; 0 if there is none. */
static unsigned int behind_used(const struct mixed_map *map, unsigned int at)
{
	while (at) {
		unsigned int last = at - 1;
		unsigned long word = used_word(map, last / WORD_BITS);

		word <<= WORD_BITS - 1 - last % WORD_BITS;
		if (word)
			return at - (unsigned int)__builtin_clzl(word);
		at = last / WORD_BITS * WORD_BITS;
	}
	return 0;
}

void mixed_map_init(struct mixed_map *map, unsigned int nr)
{
	memset(map, 0, sizeof(*map));
	map->nr = nr;
}

void mixed_map_take(struct mixed_map *map, unsigned int at, unsigned int nr)
{
	change(map->first, at, 1, true);
	change(map->more, at + 1, nr - 1, true);
}

void mixed_map_put(struct mixed_map *map, unsigned int at, unsigned int nr)
{
	change(map->first, at, 1, false);
	change(map->more, at + 1, nr - 1, false);
}

unsigned int mixed_map_block(const struct mixed_map *map, unsigned int at)
{
	unsigned int end = at + 1;

	if (at >= map->nr ||
	    !(atomic_load_relaxed(&map->first[at / WORD_BITS]) >> at % WORD_BITS & 1))
		return 0;
	while (end < map->nr) {
		unsigned long word = ~atomic_load_relaxed(&map->more[end / WORD_BITS]);

		word >>= end % WORD_BITS;
		if (word)
			return min(end + (unsigned int)__builtin_ctzl(word), map->nr) - at;
		end = (end / WORD_BITS + 1) * WORD_BITS;
	}
	return map->nr - at;
}

unsigned int mixed_map_block_around(const struct mixed_map *map, unsigned int at)
{
	while (at && map->more[at / WORD_BITS] >> at % WORD_BITS & 1)
		at--;
	return map->first[at / WORD_BITS] >> at % WORD_BITS & 1 ? at : map->nr;
}

unsigned int mixed_map_find(const struct mixed_map *map, unsigned int nr, unsigned int align,
			    unsigned int *largest)
{
	unsigned int at = next(map, 0, false), end, aligned;

	*largest = 0;
	for (; at < map->nr; at = next(map, end, false)) {
		end = next(map, at, true);
		aligned = (at + align - 1) & ~(align - 1);
		if (aligned + nr <= end)
			return aligned;
		*largest = max(*largest, end - at);
	}
	return map->nr;
}

unsigned int mixed_map_free_run(const struct mixed_map *map, unsigned int at, unsigned int *end)
{
	*end = next(map, at, true);
	return behind_used(map, at);
}

bool mixed_map_has_longer(const struct mixed_map *map, unsigned int nr)
{
	unsigned int length;

	for (unsigned int at = next(map, 0, true); at < map->nr;
	     at = next(map, at + length, true)) {
		length = mixed_map_block(map, at);
		if (length > nr)
			return true;
	}
	return false;
}

bool mixed_map_page_is_free(const struct mixed_map *map, unsigned int page)
{
	unsigned int word = page * (unsigned int)MIXED_PAGE_GRANULES / WORD_BITS;
	unsigned long used = 0;

	for (unsigned int i = 0; i < MIXED_PAGE_GRANULES / WORD_BITS; i++)
		used |= used_word(map, word + i);
	return !used;
}
