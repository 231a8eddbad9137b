/* SPDX-License-Identifier: MIT */
/* Requests that no memory can fulfil, and sizes and alignments that are wrong. */
#include "misuse.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>

/*
 * The call must fail with NULL and errno. If it returns a block, the block is too small to be used.
 */
static enum came_of_it refused(const void *block, int error)
{
	return !opaque(block) && errno == error ? HARMLESS : MISSED;
}

static enum came_of_it too_large(size_t size)
{
	return refused(malloc(opaque_size(size)), ENOMEM);
}

static enum came_of_it too_large_for_realloc(size_t size)
{
	char *block = memset(block_of(SMALL), 'b', SMALL);

	if (refused(realloc(opaque(block), opaque_size(size)), ENOMEM) == MISSED)
		return MISSED;
	return *(char *)opaque(block) == 'b' ? HARMLESS : MISSED;
}

/* The product is 16 when it has overflowed. */
static enum came_of_it product_too_large(size_t size)
{
	(void)size;
	return refused(calloc(opaque_size(SIZE_MAX / 16 + 2), 16), ENOMEM);
}

static enum came_of_it product_too_large_for_realloc(size_t size)
{
	(void)size;
	return refused(reallocarray(NULL, opaque_size(SIZE_MAX / 16 + 2), 16), ENOMEM);
}

/* Rounded up it is 0. */
static enum came_of_it too_large_for_pages(size_t size)
{
	return refused(pvalloc(opaque_size(size)), ENOMEM);
}

static enum came_of_it too_large_for_alignment(size_t size)
{
	return refused(memalign(4096, opaque_size(size)), ENOMEM);
}

static enum came_of_it no_power_of_two(size_t size)
{
	void *block = &block;
	int error = posix_memalign(&block, 48, opaque_size(size));

	return error == EINVAL && block == &block ? HARMLESS : MISSED;
}

static enum came_of_it alignment_too_small(size_t size)
{
	void *block = &block;
	int error = posix_memalign(&block, 4, opaque_size(size));

	return error == EINVAL && block == &block ? HARMLESS : MISSED;
}

/* --- Told when a block is freed ------------------------------------------------------ */

static enum came_of_it free_as(size_t size, size_t told)
{
	void (*sized)(void *, size_t) =
		(void (*)(void *, size_t))(uintptr_t)dlsym(RTLD_DEFAULT, "free_sized");

	if (!sized)
		return SET_UP_FAILED;
	sized(block_of(size), opaque_size(told));
	return MISSED;
}

static enum came_of_it free_with_more(size_t size)
{
	return free_as(size, 4 * size);
}

static enum came_of_it free_with_less(size_t size)
{
	return free_as(size, size / 4);
}

/* Of a block that is aligned to 64 bytes, and not to a page or more. */
static enum came_of_it free_as_aligned(size_t size, size_t told)
{
	void (*sized)(void *, size_t, size_t) =
		(void (*)(void *, size_t, size_t))(uintptr_t)dlsym(RTLD_DEFAULT,
								   "free_aligned_sized");
	char *block;

	if (!sized)
		return SET_UP_FAILED;
	do {
		block = opaque(aligned_alloc(64, size));
	} while (!((uintptr_t)block & (told - 1)));
	sized(block, told, opaque_size(size));
	return MISSED;
}

static enum came_of_it free_with_other_alignment(size_t size)
{
	return free_as_aligned(size, 4096);
}

static enum came_of_it free_with_huge_alignment(size_t size)
{
	return free_as_aligned(size, (size_t)1 << 40);
}

const struct misuse misuse_sizes[] = {
	{ "oversized_malloc", too_large, SIZE_MAX },
	{ "oversized_malloc_signed", too_large, (size_t)PTRDIFF_MAX + 1 },
	{ "oversized_realloc", too_large_for_realloc, SIZE_MAX - 64 },
	{ "oversized_calloc", product_too_large, 0 },
	{ "oversized_reallocarray", product_too_large_for_realloc, 0 },
	{ "oversized_pvalloc", too_large_for_pages, SIZE_MAX - 100 },
	{ "oversized_memalign", too_large_for_alignment, SIZE_MAX - 4096 },
	{ "alignment_no_power_of_two", no_power_of_two, SMALL },
	{ "alignment_too_small", alignment_too_small, SMALL },
	{ "sized_free_more_small", free_with_more, SMALL },
	{ "sized_free_less_small", free_with_less, SMALL },
	{ "sized_free_more_large", free_with_more, LARGE },
	{ "sized_free_less_large", free_with_less, LARGE },
	{ "sized_free_more_huge", free_with_more, HUGE },
	{ "sized_free_less_huge", free_with_less, HUGE },
	{ "sized_free_other_alignment_large", free_with_huge_alignment, LARGE },
	{ "sized_free_other_alignment", free_with_other_alignment, 4 * SMALL },
	{ NULL, NULL, 0 },
};
