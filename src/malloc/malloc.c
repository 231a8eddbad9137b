/* SPDX-License-Identifier: MIT */
/*
 * malloc: the C entry points.
 *
 * 1. Purpose. A block comes from one of three places by its size:
 *
 *	up to 32 KiB	an object of a size class's cache (classes.h)
 *	up to 4 MiB	a block of pages of the window (blocks.h)
 *	beyond		a mapping of its own (large.h)
 *
 *    and free() tells them apart by the address: inside the window the struct
 *    page knows, outside it the table of mappings does.
 *
 * 2. What it must not know: how slabs and free pages are kept.
 *
 * 3. States: a block is the program's or free; there is nothing in between.
 *
 * 4. Who may touch what: nothing here is shared but the tables below, constant
 *    once they are set. Before that every array is empty, so the first call of
 *    any kind lands in malloc_slow() or free_slow(), which bring the library up.
 *
 *    Signal handlers may call all of this. One above a thread that holds a lock
 *    (os/lock.h) gets a mapping where an object or a block of pages would need
 *    that lock; what it frees is deferred by the layer that owns it.
 *
 * 5. Semantics: glibc's. realloc(p, 0) frees and returns NULL. Blocks are aligned
 *    to 16 bytes.
 *
 * 6. Failure: NULL and ENOMEM. free() leaves errno alone. A pointer that is not
 *    a block ends the process with one line that says what is known of it.
 */
#include "malloc/malloc.h"

#include <errno.h>
#include <string.h>

#include "malloc/blocks.h"
#include "malloc/classes.h"
#include "malloc/large.h"
#include "os/lock.h"
#include "os/os.h"
#include "slab/debug.h"
#include "usermm/reclaim.h"

#define MALLOC_GFP (GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)
#define MIN_ALIGN 16

static void *out_of_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

/* --- Allocation ----------------------------------------------------------- */

/* More than the largest class: pages of the window, else a mapping. */
static void *alloc_pages_for(size_t size, size_t align, bool *zeroed)
{
	void *block = NULL;

	if (size > PTRDIFF_MAX || (classes_init() && lock_none_held()))
		return NULL;
	if (size <= BLOCK_MAX_BYTES && align <= BLOCK_MAX_BYTES)
		block = block_alloc(size, align, MALLOC_GFP, zeroed);
	if (!block) {
		*zeroed = true;
		block = large_alloc(size, align);
	}
	return block;
}

/*
 * An object of a class when the fast path found none. size and caller are for classes
 * with debugging flags.
 */
static void *alloc_object_slow(unsigned int index, size_t size, const void *caller)
{
	void *object = NULL;

	if (!classes_init())
		object = slab_alloc_slow(&class_caches[index], MALLOC_GFP, size, caller);
	if (unlikely(!object) && !lock_none_held())
		object = large_alloc(class_bytes(index), MIN_ALIGN);
	return object;
}

/* Until it is made, a cache's sheaf is NULL. Pairs with set_up(), as in kmalloc_fast(). */
static __always_inline void *alloc_fast(unsigned int index)
{
	return slab_alloc_fast(atomic_load_acquire(&class_caches[index].sheaf), SLAB_MARK_OFFSET);
}

static slow_path void *malloc_slow(size_t size, const void *caller)
{
	bool zeroed;
	void *block;

	if (size <= CLASS_MAX_BYTES)
		block = alloc_object_slow(class_of(size), size, caller);
	else
		block = alloc_pages_for(size, MIN_ALIGN, &zeroed);
	return likely(block) ? block : out_of_memory();
}

EXPORT void *malloc(size_t size)
{
	void *object;

	if (likely(size <= CLASS_TABLE_MAX_BYTES)) {
		object = slab_alloc_fast(atomic_load_relaxed(&class_step_of(size)->sheaf),
					 SLAB_MARK_OFFSET);
		if (likely(object))
			return object;
	} else if (likely(size <= CLASS_MAX_BYTES)) {
		object = alloc_fast(class_of(size));
		if (likely(object))
			return object;
		/* Else the compiler shares one sequence, and this path jumps to it. */
		__asm__ volatile("");
	}
	return malloc_slow(size, __builtin_return_address(0));
}

static __always_inline void *alloc_object(unsigned int index, size_t size)
{
	void *object = alloc_fast(index);

	return likely(object) ? object :
				alloc_object_slow(index, size, __builtin_return_address(0));
}

EXPORT void *calloc(size_t n, size_t size)
{
	size_t bytes;
	bool zeroed = false;
	void *block;

	if (unlikely(__builtin_mul_overflow(n, size, &bytes)))
		return out_of_memory();
	if (likely(bytes <= CLASS_MAX_BYTES))
		block = alloc_object(class_of(bytes), bytes);
	else
		block = alloc_pages_for(bytes, MIN_ALIGN, &zeroed);
	if (unlikely(!block))
		return out_of_memory();
	return zeroed ? block : memset(block, 0, bytes);
}

/* A class whose objects are all aligned: its size is a multiple of align. */
static unsigned int aligned_class(size_t size, size_t align)
{
	unsigned int index = class_of(max(size, align));

	while (class_bytes(index) % align)
		index++;
	return index;
}

/* align is a power of two. */
static void *alloc_aligned(size_t align, size_t size)
{
	bool zeroed;
	void *block;

	if (align <= MIN_ALIGN)
		return malloc(size);
	if (align <= PAGE_SIZE && size <= CLASS_MAX_BYTES)
		block = alloc_object(aligned_class(size, align), size);
	else
		block = alloc_pages_for(size, align, &zeroed);
	return block ? block : out_of_memory();
}

/* --- Free ------------------------------------------------------------------ */

static slow_path void free_slow(void *pointer, const void *caller)
{
	struct kmem_cache *cache;

	if (!pointer)
		return;
	if (!mm_is_online(pointer)) {
		if (large_free(pointer))
			return;
		large_report_inside("free", pointer);
		slab_report_bad_free("free", pointer);
	}
	cache = atomic_load_relaxed(&virt_to_page(pointer)->slab_cache);
	if (cache)
		slab_free_odd(cache, pointer, "free", caller);
	else if (!block_free(pointer))	/* what kmalloc made may be freed here too */
		slab_free_page_block("free", pointer);
}

EXPORT void free(void *pointer)
{
	struct kmem_cache *cache = cache_of(pointer);
	enum slab_freed freed = SLAB_FREED_NOT;

	if (likely(cache))
		freed = slab_free_fast(cache, pointer, cache->plain_limit, SLAB_MARK_OFFSET);
	if (likely(freed == SLAB_FREED))
		return;
	if (freed == SLAB_FREED_NOT_CACHED)
		slab_free_slow(cache, pointer);
	else
		free_slow(pointer, __builtin_return_address(0));
}

/* --- Sizes ------------------------------------------------------------------ */

/* Bytes that the block really has; 0 if it takes more than a look, or is none. */
static __always_inline size_t block_usable(void *pointer)
{
	struct kmem_cache *cache;

	if (!mm_is_online(pointer))
		return large_bytes(pointer);
	cache = atomic_load_relaxed(&virt_to_page(pointer)->slab_cache);
	if (!cache)
		return max(block_bytes(pointer), slab_page_block_bytes(pointer));
	return object_may_be_freed(cache, pointer) ? cache->object_size : 0;
}

/* The cache with debugging flags that the block is of; what else is odd ends the process. */
static slow_path struct kmem_cache *debugged_cache(void *pointer, const char *function)
{
	struct kmem_cache *cache = NULL;

	if (mm_is_online(pointer))
		cache = atomic_load_relaxed(&virt_to_page(pointer)->slab_cache);
	if (!cache || !cache_is_debugged(cache)) {
		large_report_inside(function, pointer);
		slab_report_bad_free(function, pointer);
	}
	return cache;
}

EXPORT size_t malloc_usable_size(void *pointer)
{
	size_t bytes;

	if (!pointer)
		return 0;
	bytes = block_usable(pointer);
	if (unlikely(!bytes))
		bytes = slab_debug_usable(debugged_cache(pointer, "malloc_usable_size"), pointer);
	return bytes;
}

/* A new size where the block is; NULL if it has to move. */
static void *resize_in_place(void *pointer, size_t old_bytes, size_t size)
{
	/* A block that would be more than half empty moves to a smaller one. */
	if (size <= old_bytes && size >= old_bytes / 2)
		return pointer;
	if (old_bytes > CLASS_MAX_BYTES && size > BLOCK_MAX_BYTES && !mm_is_online(pointer) &&
	    size <= PTRDIFF_MAX)
		return large_resize(pointer, size);
	return NULL;
}

/* The size that was asked for is known, and kept up to date. */
static slow_path void *realloc_debugged(void *pointer, size_t size, const void *caller)
{
	struct kmem_cache *cache = debugged_cache(pointer, "realloc");
	size_t old_size;
	void *block;

	if (!slab_debug_check_pointer(cache, pointer))
		return out_of_memory();
	if (!size) {
		slab_debug_free(cache, pointer, "realloc", caller);
		return NULL;
	}
	old_size = slab_debug_size(cache, pointer);
	if (size <= cache->object_size && size >= cache->object_size / 2) {
		slab_debug_resize(cache, pointer, size);
		return pointer;
	}
	block = malloc(size);
	if (!block)
		return NULL;
	memcpy(block, pointer, min(old_size, size));
	slab_debug_free(cache, pointer, "realloc", caller);
	return block;
}

EXPORT void *realloc(void *pointer, size_t size)
{
	int saved_errno = errno;
	size_t old_bytes;
	void *block;

	if (!pointer)
		return malloc(size);
	old_bytes = block_usable(pointer);
	if (unlikely(!old_bytes))
		return realloc_debugged(pointer, size, __builtin_return_address(0));
	if (!size) {
		free(pointer);
		return NULL;
	}
	block = resize_in_place(pointer, old_bytes, size);
	if (block)
		return block;
	block = malloc(size);
	if (!block && size <= old_bytes) {	/* no smaller one: this one will do */
		errno = saved_errno;
		return pointer;
	}
	if (!block)
		return NULL;
	memcpy(block, pointer, min(old_bytes, size));
	free(pointer);
	return block;
}

EXPORT void *reallocarray(void *pointer, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return out_of_memory();
	return realloc(pointer, bytes);
}

/* --- Alignment --------------------------------------------------------------- */

EXPORT int posix_memalign(void **result, size_t align, size_t size)
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

EXPORT void *aligned_alloc(size_t align, size_t size)
{
	if (!is_power_of_2(align)) {
		errno = EINVAL;
		return NULL;
	}
	return alloc_aligned(align, size);
}

/* As in glibc an odd alignment is rounded up to a power of two. */
EXPORT void *memalign(size_t align, size_t size)
{
	if (align > SIZE_MAX / 2 + 1) {
		errno = EINVAL;
		return NULL;
	}
	return alloc_aligned(roundup_pow_of_two(align), size);
}

EXPORT void *valloc(size_t size)
{
	return alloc_aligned(os_page_bytes(), size);
}

EXPORT void *pvalloc(size_t size)
{
	size_t bytes;

	if (__builtin_add_overflow(size, os_page_bytes() - 1, &bytes))
		return out_of_memory();
	return alloc_aligned(os_page_bytes(), ALIGN_DOWN(bytes, os_page_bytes()));
}

/* As in glibc: 1 if some memory went back to the system. */
EXPORT int malloc_trim(size_t pad)
{
	barns_release(~0UL);
	return usermm_trim(pad) != 0;
}

/* C23: the size and the alignment are the caller's word, and not needed. */
EXPORT void free_sized(void *pointer, size_t size)
{
	(void)size;
	free(pointer);
}

EXPORT void free_aligned_sized(void *pointer, size_t align, size_t size)
{
	(void)align;
	(void)size;
	free(pointer);
}
