/* SPDX-License-Identifier: MIT */
/*
 * malloc: the C entry points that allocate. free.c has those that free, realloc.c has realloc().
 *
 * 1. Purpose. The size decides which kind of block malloc() returns:
 *
 *	up to 32 KiB	an object of a size class's cache (size_classes.h)
 *	up to 4 MiB	a page block: pages of the window (page_blocks.h)
 *	beyond		a mapping block: a mapping of its own (mapped.h). So is a block that
 *			realloc() makes larger, from 128 KiB on (realloc.c)
 *
 *    free() tells the kinds apart by the address. Inside the window, tables indexed by page know
 *    the kind; outside, the table of mappings does. hardened=1 changes a part of this (hardened.h).
 *
 * 2. What it must not know: how slabs and free pages are kept.
 *
 * 3. States: a block is the program's or free; there is nothing in between.
 *
 * 4. Who may touch what. The only shared data are the tables of size classes. They are constant
 *    once they are set. Until then no class has an object to show, so the first malloc() takes the
 *    slow path, which brings the library up.
 *
 *    Signal handlers may call all functions. A handler above a holder of a lock (os/lock.h) gets
 *    a mapping block where an object or a page block would need that lock. What the handler frees
 *    is deferred by the layer that owns the memory.
 *
 * 5. Semantics: glibc's. Blocks are aligned to 16 bytes.
 *
 * 6. Failure: NULL and ENOMEM. free() leaves errno alone. A pointer that is no block ends the
 *    process with one line that says what is known about the pointer.
 */
#include "malloc/malloc.h"

#include <errno.h>
#include <string.h>

#include "base/word_pair.h"
#include "malloc/block_kind.h"
#include "malloc/checked_blocks.h"
#include "malloc/early_blocks.h"
#include "malloc/malloc_fast.h"
#include "malloc/malloc_slow.h"
#include "malloc/mapped/mapped.h"
#include "malloc/size_classes.h"
#include "os/os.h"
#include "usermm/reclaim.h"

/* --- Allocation ----------------------------------------------------------- */

void *malloc(size_t size)
{
	return malloc_inline(size);
}

OWN_NAME(malloc);

/* The room of a block; 0 if checked_blocks.c has to look at the pointer. */
static __always_inline size_t block_usable(void *pointer)
{
	struct kmem_cache *cache = cache_of(pointer);

	if (likely(cache))
		return object_may_be_freed(cache, pointer) ? cache_object_bytes(cache) : 0;
	return block_bytes_outside_slabs(pointer);
}

/*
 * As in glibc, calloc() clears the whole usable size, except bytes that malloc_usable_size() hands
 * out and clears itself.
 */
static void *clear_block(void *block, size_t bytes)
{
	size_t usable;

	if (unlikely(early_bytes(block)))	/* memset() cannot be called yet */
		return block;
	usable = block_usable(block);
	return memset(block, 0, max(bytes, usable ? usable : checked_clear_bytes(block)));
}

static noinline void *calloc_pages(size_t bytes, const void *caller)
{
	bool zeroed;
	void *block = malloc_pages_counted(bytes, MIN_ALIGN, &zeroed, caller);

	if (unlikely(!block))
		return malloc_out_of_memory();
	return zeroed ? block : clear_block(block, bytes);
}

static noinline void *calloc_slow(size_t bytes, const void *caller)
{
	void *block;

	if (bytes > CLASS_MAX_BYTES)
		return calloc_pages(bytes, caller);
	block = malloc_object_counted(bytes, bytes, MIN_ALIGN, caller);
	return likely(block) ? clear_block(block, bytes) : malloc_out_of_memory();
}

/* Larger objects are cleared by a call of memset(). */
#define CLEARED_IN_LINE_BYTES 64

/*
 * Clears the whole object that malloc_at_hand() returned for `bytes` bytes. Objects are aligned to
 * 16 bytes and have a multiple of 16 bytes. Up to CLEARED_IN_LINE_BYTES, two stores from the front
 * and two from the back reach every byte; they may overlap.
 */
static __always_inline void *clear_object(void *object, size_t bytes)
{
	size_t rounded = ALIGN(bytes, sizeof(word_pair)), last;

	if (unlikely(bytes > CLEARED_IN_LINE_BYTES))
		return memset(object, 0, class_bytes_of(bytes));
	last = rounded ? rounded - sizeof(word_pair) : 0;
	*(word_pair *)object = (word_pair){ 0 };
	*(word_pair *)((char *)object + last) = (word_pair){ 0 };
	if (last > sizeof(word_pair)) {
		((word_pair *)object)[1] = (word_pair){ 0 };
		*(word_pair *)((char *)object + last - sizeof(word_pair)) = (word_pair){ 0 };
	}
	return object;
}

void *calloc(size_t n, size_t size)
{
	size_t bytes;
	void *object;

	if (unlikely(__builtin_mul_overflow(n, size, &bytes)))
		return malloc_out_of_memory();
	object = malloc_at_hand(bytes);
	return likely(object) ? clear_object(object, bytes) :
				calloc_slow(bytes, __builtin_return_address(0));
}

static noinline void *alloc_aligned_pages(size_t align, size_t size, const void *caller)
{
	void *block = malloc_pages_counted(size, align, NULL, caller);

	return block ? block : malloc_out_of_memory();
}

/*
 * align is a power of two. A class that serves a multiple of align has objects aligned to align:
 * either the step from class to class is a multiple of align, or the size itself is a class.
 */
static __always_inline void *alloc_aligned(size_t align, size_t size)
{
	size_t class_size = ALIGN(max(size, align), align);
	void *object;

	if (align <= MIN_ALIGN)
		return malloc_inline(size);
	if (align > PAGE_SIZE || size > CLASS_MAX_BYTES)
		return alloc_aligned_pages(align, size, __builtin_return_address(0));
	object = malloc_at_hand(class_size);
	if (unlikely(!object))
		object = malloc_object_counted(class_size, size, align,
					      __builtin_return_address(0));
	return object ? object : malloc_out_of_memory();
}

/* --- Sizes ------------------------------------------------------------------ */

size_t malloc_usable_size(void *pointer)
{
	size_t bytes;

	if (!pointer)
		return 0;
	bytes = block_usable(pointer);
	if (unlikely(!bytes))
		bytes = checked_usable(pointer, __builtin_return_address(0));
	return bytes;
}

/* C23: the largest power of two that the address is a multiple of; 0 for NULL. */
size_t memalignment(const void *pointer)
{
	return (size_t)((uintptr_t)pointer & -(uintptr_t)pointer);
}

/* --- Alignment --------------------------------------------------------------- */

int posix_memalign(void **result, size_t align, size_t size)
{
	void *block;

	if (!is_power_of_2(align) || align % sizeof(void *))
		return EINVAL;
	block = alloc_aligned(align, size);
	if (!block)
		return ENOMEM;
	*result = block;
	return 0;
}

void *aligned_alloc(size_t align, size_t size)
{
	if (!is_power_of_2(align)) {
		errno = EINVAL;
		return NULL;
	}
	return alloc_aligned(align, size);
}

OWN_NAME(aligned_alloc);

/* As in glibc, an alignment is rounded up to a power of two. */
seldom_called void *memalign(size_t align, size_t size)
{
	if (align > SIZE_MAX / 2 + 1) {
		errno = EINVAL;
		return NULL;
	}
	return alloc_aligned(roundup_pow_of_two(align), size);
}

seldom_called void *valloc(size_t size)
{
	return alloc_aligned(os_page_bytes(), size);
}

/* A request of 0 bytes gets a page, too, with hardened=1 as well. */
seldom_called void *pvalloc(size_t size)
{
	size_t bytes;

	if (__builtin_add_overflow(max(size, (size_t)1), os_page_bytes() - 1, &bytes))
		return malloc_out_of_memory();
	return alloc_aligned(os_page_bytes(), ALIGN_DOWN(bytes, os_page_bytes()));
}

/* As in glibc: 1 if some memory went back to the system, else 0. */
int malloc_trim(size_t pad)
{
	return mapped_trim() + usermm_trim(pad) != 0;
}

ALSO_NAMED(usermm_malloc, malloc);
ALSO_NAMED(usermm_calloc, calloc);
ALSO_NAMED(usermm_aligned_alloc, aligned_alloc);
ALSO_NAMED(usermm_usable_size, malloc_usable_size);
