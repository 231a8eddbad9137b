/* SPDX-License-Identifier: MIT */
/* malloc_trim() gives freed memory back to the system, and blocks in use stay. */
#include "harness.h"

#include <malloc.h>

#define NR 200
#define BYTES (512UL << 10)

static void gives_memory_back(void)
{
	char *kept = malloc(3 << 20), *blocks[NR];
	size_t before;

	CHECK(kept != NULL);
	memset(kept, 7, 3 << 20);
	for (int i = 0; i < NR; i++) {
		blocks[i] = malloc(BYTES);
		CHECK(blocks[i] != NULL);
		memset(blocks[i], i, BYTES);
	}
	for (int i = 0; i < NR; i++)
		free(blocks[i]);
	before = resident_bytes();
	CHECK(malloc_trim(0) == 1);
	CHECK(resident_bytes() + 20 * MIB < before);
	malloc_trim(0);		/* what reading the file took */
	CHECK(malloc_trim(0) == 0);
	for (int i = 0; i < 3 << 20; i++)
		CHECK(kept[i] == 7);
	blocks[0] = calloc(1, BYTES);
	CHECK(blocks[0] != NULL);
	for (unsigned long i = 0; i < BYTES; i++)
		CHECK(blocks[0][i] == 0);
	free(blocks[0]);
	free(kept);
}

TEST_MAIN({ "gives_memory_back", gives_memory_back, false })
