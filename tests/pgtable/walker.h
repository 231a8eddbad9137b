/* SPDX-License-Identifier: MIT */
/*
 * An independent walker, after Intel's SDM volume 3, 4.5: it reads the tables in memory as a
 * processor does. It shares nothing with src/pgtable, not even the names of bits.
 */
#ifndef PGTABLE_WALKER_H
#define PGTABLE_WALKER_H

#include <stdbool.h>
#include <stdint.h>

#include <usermm/page.h>

struct walker_result {
	uint64_t physical;	/* of the very address */
	bool writable, user, executable;
};

static inline const uint64_t *walker_memory(uint64_t physical)
{
	return page_address(pfn_to_page(physical >> 12));
}

/* Translates an address as the processor does. Returns false if that is a page fault. */
static inline bool walker_translate(const uint64_t *cr3, uint64_t linear,
				    struct walker_result *result)
{
	const uint64_t *table = cr3;

	result->writable = result->user = result->executable = true;
	for (unsigned int shift = 39;; shift -= 9) {
		uint64_t entry = table[linear >> shift & 511];

		if (!(entry & 1))
			return false;
		result->writable &= entry >> 1 & 1;
		result->user &= entry >> 2 & 1;
		result->executable &= !(entry >> 63);
		if (shift == 12 || (shift < 39 && entry >> 7 & 1)) {
			uint64_t inside = (1ull << shift) - 1;

			result->physical = (entry & 0x000ffffffffff000ull & ~inside) |
					   (linear & inside);
			return true;
		}
		table = walker_memory(entry & 0x000ffffffffff000ull);
	}
}

#endif
