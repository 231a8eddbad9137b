/* SPDX-License-Identifier: MIT */
/*
 * The calls of usermm/malloc.h and heaps in a program that defines malloc(), free() and so on by
 * itself: none of the library's blocks may go to the program's functions.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <usermm/usermm.h>

#include "check.h"

#define ARENA_BYTES (1 << 20)

static char arena[ARENA_BYTES] __attribute__((__aligned__(4096)));
static size_t arena_used;
/* How often the program's functions were given a block that is not of the arena. */
static unsigned int others;

static bool is_of_arena(const void *pointer)
{
	return (size_t)((const char *)pointer - arena) < sizeof(arena);
}

void *aligned_alloc(size_t align, size_t size)
{
	size_t start = (arena_used + align - 1) & ~(align - 1);

	if (size > sizeof(arena) || start > sizeof(arena) - size)
		return NULL;
	arena_used = start + size;
	return arena + start;
}

void *malloc(size_t size)
{
	return aligned_alloc(16, size);
}

void *calloc(size_t n, size_t size)
{
	return malloc(n * size);	/* nothing of the arena is used twice */
}

void free(void *pointer)
{
	others += pointer && !is_of_arena(pointer);
}

void *realloc(void *pointer, size_t size)
{
	void *block = malloc(size);

	others += pointer && !is_of_arena(pointer);
	if (block && pointer && is_of_arena(pointer))
		memmove(block, pointer, size);
	return block;
}

static const size_t sizes[] = { 24, 1000, 40000, 3 << 20, 70 << 20 };

#define NR_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void blocks_are_the_librarys(void)
{
	for (unsigned int i = 0; i < NR_SIZES; i++) {
		char *block = usermm_malloc(sizes[i]);

		CHECK(block && !is_of_arena(block));
		block[sizes[i] - 1] = 7;
		block = usermm_realloc(block, 2 * sizes[i]);
		CHECK(block && !is_of_arena(block) && block[sizes[i] - 1] == 7);
		CHECK(usermm_usable_size(block) >= 2 * sizes[i]);
		block = usermm_aligned_realloc(block, 8192, 3 * sizes[i]);
		CHECK(block && !is_of_arena(block) && block[sizes[i] - 1] == 7);
		usermm_free(block);
		block = usermm_aligned_zalloc(64, sizes[i]);
		CHECK(block && !is_of_arena(block));
		usermm_free_aligned_sized(block, 64, sizes[i]);
	}
}

static void heaps_are_the_librarys(void)
{
	struct usermm_heap *heap = usermm_heap_create("family");
	char *kept[NR_SIZES];

	CHECK(heap);
	for (unsigned int i = 0; i < NR_SIZES; i++) {
		char *block = usermm_heap_alloc(heap, sizes[i]);

		CHECK(block && !is_of_arena(block));
		block[0] = 7;
		block = usermm_heap_realloc(heap, block, 4 * sizes[i]);
		CHECK(block && !is_of_arena(block) && block[0] == 7);
		usermm_heap_free(heap, block);
		kept[i] = usermm_heap_alloc(heap, sizes[i]);
		CHECK(kept[i] && !is_of_arena(kept[i]));
	}
	usermm_heap_destroy(heap);
}

int main(void)
{
	void *block = malloc(10);

	CHECK(is_of_arena(block));
	blocks_are_the_librarys();
	heaps_are_the_librarys();
	CHECK(!others);
	free(block);
	return check_report();
}
