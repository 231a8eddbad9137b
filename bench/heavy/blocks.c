// SPDX-License-Identifier: MIT
/* Programs for bench_heavy.py: blocks without a meaning, in several orders. */
#include "heavy.h"

/* --- replace: a table whose blocks are replaced at random ----------------------------- */

uint64_t heavy_replace_rounds(uint64_t seed, unsigned char **table, uint32_t slots,
			       uint32_t low, uint32_t high, unsigned long rounds)
{
	uint64_t sum = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		unsigned char **slot = &table[below(&seed, slots)];
		uint32_t size = low + below(&seed, high - low + 1);

		if (*slot)
			sum += **slot;
		free(*slot);
		*slot = allocate(size);
		(*slot)[0] = (unsigned char)i;
		(*slot)[size - 1] = (unsigned char)i;
	}
	return sum;
}

static uint64_t replace(uint32_t slots, uint32_t low, uint32_t high, unsigned long rounds)
{
	unsigned char **table = must(calloc(slots, sizeof(*table)));
	uint64_t sum = heavy_replace_rounds(88172645463325252, table, slots, low, high, rounds);

	for (uint32_t i = 0; i < slots; i++)
		free(table[i]);
	free(table);
	return sum;
}

uint64_t heavy_replace_small(void)
{
	return replace(1000, 8, 1024, scaled(20000000));
}

uint64_t heavy_replace_many(void)
{
	return replace(400000, 16, 256, scaled(6000000));
}

/* --- rounds: a few blocks of mixed sizes, freed in the order they came ---------------- */

uint64_t heavy_rounds(void)
{
	static const uint16_t sizes[] = { 24, 80, 16, 200, 40, 128, 520, 32, 8, 64, 1040, 48, 16,
					  96, 24, 2500, 56, 40, 300, 16, 72, 24, 160, 32, 400 };
	unsigned char *blocks[ARRAY_LENGTH(sizes)];
	uint64_t sum = 0;

	for (unsigned long i = scaled(1600000); i-- > 0;) {
		for (size_t j = 0; j < ARRAY_LENGTH(sizes); j++) {
			blocks[j] = allocate(sizes[j]);
			*blocks[j] = (unsigned char)(i + j);
		}
		for (size_t j = 0; j < ARRAY_LENGTH(sizes); j++) {
			sum += *blocks[j];
			free(blocks[j]);
		}
	}
	return sum;
}

/* --- stages: many blocks of one size, freed in several orders ------------------------- */

uint64_t heavy_stages(void)
{
	static unsigned char *blocks[20000];
	uint64_t sum = 0;

	for (unsigned long i = scaled(250); i-- > 0;) {
		for (size_t size = 8; size <= 1000; size += size / 2) {
			size_t count = 200000 / size < ARRAY_LENGTH(blocks) ? 200000 / size
									   : ARRAY_LENGTH(blocks);

			for (int order = 0; order < 3; order++) {
				for (size_t j = 0; j < count; j++) {
					blocks[j] = allocate(size);
					blocks[j][0] = (unsigned char)j;
				}
				for (size_t j = 0; j < count; j++) {
					size_t which = order == 0 ? j : order == 1 ? count - 1 - j
						: j % 2 ? j : (count - 1 - j) & ~(size_t)1;

					if (order == 2 && j % 2 == 0 && (count % 2))
						which = j;
					sum += *blocks[which];
					free(blocks[which]);
				}
			}
		}
	}
	return sum;
}

/* --- large: blocks of 5 to 25 MiB, written -------------------------------------------- */

uint64_t heavy_large(void)
{
	unsigned char *blocks[20] = { NULL };
	uint64_t sum = 0, seed = 11;

	for (unsigned long i = scaled(2000); i-- > 0;) {
		unsigned char **slot = &blocks[below(&seed, ARRAY_LENGTH(blocks))];
		size_t size = 5 * MEBIBYTE + below(&seed, 20 * MEBIBYTE);

		free(*slot);
		*slot = allocate(size);
		for (size_t at = 0; at < size; at += 4096)
			(*slot)[at] = (unsigned char)i;
		sum += (*slot)[size / 2 & ~4095UL];
	}
	for (size_t i = 0; i < ARRAY_LENGTH(blocks); i++)
		free(blocks[i]);
	return sum;
}
