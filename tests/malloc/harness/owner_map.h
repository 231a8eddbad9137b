/* SPDX-License-Identifier: MIT */
/*
 * Keeps track of which memory is owned, independently of the allocator. A mapping has one bit for
 * each 16 bytes of the address space; only its used pages cost memory. Two live blocks that overlap
 * are noticed at once, by any thread.
 */
#ifndef MALLOC_OWNER_MAP_H
#define MALLOC_OWNER_MAP_H

#include <sys/mman.h>

#include "harness.h"

#define OWNER_MAP_BYTES ((1UL << ADDRESS_BITS) / 16 / 8)

/* Sync: the bits are atomic; NULL if there is no room for the map. */
static uint64_t *owner_map;

static inline void owner_map_init(void)
{
	void *map = mmap(NULL, OWNER_MAP_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED) {
		dprintf(STDOUT_FILENO, "# no address space for the map of owners\n");
		return;
	}
	madvise(map, OWNER_MAP_BYTES, MADV_NOHUGEPAGE);
	owner_map = (uint64_t *)map;
}

/* Changes the bits of a block; false if one of them had the new value already. */
static inline bool owner_map_mark(const void *block, size_t size, bool live)
{
	uintptr_t first = (uintptr_t)block / 16;
	uintptr_t last = ((uintptr_t)block + (size ? size : 1) - 1) / 16;
	bool good = true;

	for (uintptr_t word = first / 64; owner_map && word <= last / 64; word++) {
		unsigned int low = word == first / 64 ? first % 64 : 0;
		unsigned int high = word == last / 64 ? last % 64 : 63;
		uint64_t bits = (~0UL >> (63 - high)) & (~0UL << low);
		uint64_t *map = &owner_map[word];
		uint64_t old = live ? __atomic_fetch_or(map, bits, __ATOMIC_RELAXED) :
				      __atomic_fetch_and(map, ~bits, __ATOMIC_RELAXED);

		good &= (old & bits) == (live ? 0 : bits);
	}
	return good;
}

static inline bool owner_map_claim(const void *block, size_t size)
{
	return owner_map_mark(block, size, true);
}

static inline bool owner_map_release(const void *block, size_t size)
{
	return owner_map_mark(block, size, false);
}

#endif
