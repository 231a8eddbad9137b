/* SPDX-License-Identifier: MIT */
/* Pointers that malloc() never returned, passed to functions that take a block. */
#include "misuse.h"

#include <malloc.h>
#include <sys/mman.h>

static enum came_of_it free_it(void *pointer)
{
	free(opaque(pointer));
	return MISSED;
}

static enum came_of_it resize_it(void *pointer)
{
	pointer = realloc(opaque(pointer), opaque_size(100));
	return MISSED;
}

static enum came_of_it measure_it(void *pointer)
{
	return malloc_usable_size(opaque(pointer)) ? MISSED : HARMLESS;
}

static void *wild(void)
{
	return (void *)1;
}

static void *mapped(int protection)
{
	void *pages = mmap(NULL, LARGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		_Exit(SET_UP_FAILED);
	return (char *)pages + 4096;
}

static char in_bss[256] __attribute__((__aligned__(64)));

static enum came_of_it free_wild(size_t size)
{
	(void)size;
	return free_it(wild());
}

static enum came_of_it free_on_stack(size_t size)
{
	char on_stack[256] __attribute__((__aligned__(64)));

	(void)size;
	return free_it(on_stack);
}

static enum came_of_it free_in_bss(size_t size)
{
	(void)size;
	return free_it(in_bss);
}

static enum came_of_it free_mapped(size_t size)
{
	(void)size;
	return free_it(mapped(PROT_READ | PROT_WRITE));
}

static enum came_of_it free_protected(size_t size)
{
	(void)size;
	return free_it(mapped(PROT_NONE));
}

/* A pointer that a former call left on the stack. */
static enum came_of_it free_uninitialised(size_t size)
{
	(void)size;
	return free_it((void *)0x4141414141414140);
}

static enum came_of_it free_misaligned(size_t size)
{
	return free_it(block_of(size) + 1);
}

static enum came_of_it free_inside(size_t size)
{
	return free_it(block_of(size) + size / 2 / 16 * 16);
}

static enum came_of_it free_a_page_inside(size_t size)
{
	return free_it(block_of(size) + 4096);
}

/* Where a block of the same class may be some day. */
static enum came_of_it free_never_allocated(size_t size)
{
	struct neighbours pair = neighbours_of(size);

	return free_it(pair.low + 7 * (pair.high - pair.low) * 4096);
}

static enum came_of_it free_far_away(size_t size)
{
	return free_it(block_of(size) + (1UL << 30));
}

static enum came_of_it resize_wild(size_t size)
{
	(void)size;
	return resize_it(wild());
}

static enum came_of_it resize_in_bss(size_t size)
{
	(void)size;
	return resize_it(in_bss);
}

static enum came_of_it resize_mapped(size_t size)
{
	(void)size;
	return resize_it(mapped(PROT_READ | PROT_WRITE));
}

static enum came_of_it resize_misaligned(size_t size)
{
	return resize_it(block_of(size) + 1);
}

static enum came_of_it resize_inside(size_t size)
{
	return resize_it(block_of(size) + size / 2 / 16 * 16);
}

static enum came_of_it measure_wild(size_t size)
{
	(void)size;
	return measure_it(wild());
}

static enum came_of_it measure_in_bss(size_t size)
{
	(void)size;
	return measure_it(in_bss);
}

static enum came_of_it measure_misaligned(size_t size)
{
	return measure_it(block_of(size) + 1);
}

static enum came_of_it measure_inside(size_t size)
{
	return measure_it(block_of(size) + size / 2 / 16 * 16);
}

static enum came_of_it measure_freed(size_t size)
{
	char *block = block_of(size);

	free(block);
	return measure_it(block);
}

const struct misuse misuse_pointers[] = {
	{ "invalid_free_wild", free_wild, 0 },
	{ "invalid_free_stack", free_on_stack, 0 },
	{ "invalid_free_bss", free_in_bss, 0 },
	{ "invalid_free_mapped", free_mapped, 0 },
	{ "invalid_free_protected", free_protected, 0 },
	{ "invalid_free_uninitialised", free_uninitialised, 0 },
	{ "invalid_free_misaligned_small", free_misaligned, SMALL },
	{ "invalid_free_misaligned_large", free_misaligned, LARGE },
	{ "invalid_free_inside_small", free_inside, SMALL },
	{ "invalid_free_inside_medium", free_inside, MEDIUM },
	{ "invalid_free_inside_large", free_a_page_inside, LARGE },
	{ "invalid_free_inside_huge", free_a_page_inside, HUGE },
	{ "invalid_free_never_allocated", free_never_allocated, SMALL },
	{ "invalid_free_far_away", free_far_away, SMALL },
	{ "invalid_realloc_wild", resize_wild, 0 },
	{ "invalid_realloc_bss", resize_in_bss, 0 },
	{ "invalid_realloc_mapped", resize_mapped, 0 },
	{ "invalid_realloc_misaligned", resize_misaligned, SMALL },
	{ "invalid_realloc_inside_small", resize_inside, SMALL },
	{ "invalid_realloc_inside_large", resize_inside, LARGE },
	{ "invalid_usable_size_wild", measure_wild, 0 },
	{ "invalid_usable_size_bss", measure_in_bss, 0 },
	{ "invalid_usable_size_misaligned", measure_misaligned, SMALL },
	{ "invalid_usable_size_inside", measure_inside, SMALL },
	{ "invalid_usable_size_freed_small", measure_freed, SMALL },
	{ "invalid_usable_size_freed_large", measure_freed, LARGE },
	{ NULL, NULL, 0 },
};
