/* SPDX-License-Identifier: MIT */
/*
 * malloc: the C entry points.
 *
 * 1. Purpose. A block comes from one of three places by its size:
 *
 *	up to 32 KiB	an object of a size class's cache (size_classes.h)
 *	up to 4 MiB	a block of pages of the window (page_blocks.h)
 *	beyond		a mapping of its own (mapped.h), as what realloc() makes larger is
 *			from 128 KiB on (grown.h)
 *
 *    and free() tells them apart by the address: inside the window tables
 *    by the page know, outside it the table of mappings does. With hardened=1 it is
 *    otherwise in part (hardened.h).
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
 * 5. Semantics: glibc's; blocks are aligned to 16 bytes. realloc.c has realloc(), free.c
 *    what takes blocks back.
 *
 * 6. Failure: NULL and ENOMEM. free() leaves errno alone. A pointer that is not
 *    a block ends the process with one line that says what is known of it.
 */
#include "malloc/malloc.h"

#include <errno.h>
#include <string.h>

#include "base/options.h"
#include "base/word_pair.h"
#include "malloc/checked_blocks.h"
#include "malloc/hardened/hardened.h"
#include "malloc/malloc_fast.h"
#include "malloc/mapped/mapped.h"
#include "malloc/page_blocks.h"
#include "malloc/profile/profile.h"
#include "malloc/size_classes.h"
#include "os/load_options.h"
#include "os/lock.h"
#include "os/os.h"
#include "page/zone.h"
#include "slab/hardened/hardened.h"
#include "slab/kfence/kfence.h"
#include "usermm/reclaim.h"

noinline void *malloc_out_of_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

/* --- Allocation ----------------------------------------------------------- */

/*
 * Under RLIMIT_AS there may be too little for a section of the window, or for the library itself,
 * and enough for a mapping of a page; for a section also where locked memory is limited. Not where
 * mappings are to be watched over or counted by what has not come up, or where it is the budget
 * that has run out, unless that is what the limit was at first.
 */
static bool small_mappings_may_fit(void)
{
	load_options();
	if (options.hardened || options.limit)
		return false;
	if (!page_is_up())
		return os_address_space_limit() != UINT64_MAX;
	if (!nodes_have_budget())
		return mm_limit_has_risen();
	return !mm_is_reserved() || os_address_space_limit() != UINT64_MAX;
}

/*
 * A block of the window leaves the rest of a power of two to smaller ones. Where a program's are
 * all of one size nobody uses that; so as addresses get scarce a mapping takes the place of a block
 * for which a section would have to be broken up, if more than an eighth would be left.
 */
static bool should_save_addresses(size_t size, size_t align)
{
	unsigned int order = (unsigned int)get_order(max(size, align));
	enum mm_addresses addresses = mm_addresses();

	if (likely(addresses == MM_ADDRESSES_PLENTY) || order > MAX_PAGE_ORDER ||
	    size >= (PAGE_SIZE << order) / 8 * 7 || nodes_have_piece(order))
		return false;
	return mapped_may_be_mapped() &&
	       (addresses == MM_ADDRESSES_SCARCER || !mapped_churn_is_high());
}

/* As much as a large block should have others do for it while it may yet be a mapping. */
static gfp_t modest_gfp(size_t size)
{
	return size > PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER ? MALLOC_GFP & ~__GFP_RETRY_MAYFAIL :
							     MALLOC_GFP;
}

/* NULL is also what is said of more than the largest block. */
static void *pages_of_window(size_t size, size_t align, gfp_t gfp, bool *zeroed)
{
	if (size > BLOCK_MAX_BYTES || align > BLOCK_MAX_BYTES)
		return NULL;
	return block_alloc(size, align, gfp, zeroed);
}

/*
 * With guard pages if that is asked for, as long as there may be more mappings. A mapping can grow
 * in place: so nobody gives up what it keeps for a large block of the window before one is tried.
 */
void *malloc_pages(size_t size, size_t align, bool *zeroed)
{
	bool is_zero = true;
	void *block = NULL;

	if (size > PTRDIFF_MAX)
		return NULL;
	if (classes_init() && lock_none_held() && !small_mappings_may_fit())
		return NULL;
	if (hardened_is_on() ? mapped_may_be_mapped() : should_save_addresses(size, align))
		block = mapped_alloc(size, align, zeroed != NULL);
	if (!block)
		block = pages_of_window(size, align, modest_gfp(size), &is_zero);
	if (!block) {
		is_zero = true;
		block = mapped_alloc(size, align, zeroed != NULL);
	}
	if (!block)
		block = pages_of_window(size, align, MALLOC_GFP, &is_zero);
	if (zeroed)
		*zeroed = is_zero;
	return block;
}

/* The class may be new. */
static void *alloc_of_class(size_t class_size, size_t size, const void *caller)
{
	struct kmem_cache *cache = class_get(class_size);

	return likely(cache) ? slab_alloc_slow(cache, MALLOC_GFP, size, caller) : NULL;
}

/*
 * An object of class_size bytes' class when the fast path found none. size, which may be
 * less, align and caller are for classes that watch over their objects.
 */
static void *alloc_object_slow(size_t class_size, size_t size, size_t align, const void *caller)
{
	bool is_up = !classes_init();
	void *object = NULL;

	if (is_up && hardened_is_on())
		object = hardened_alloc(size, align, caller);
	else if (is_up)
		object = alloc_of_class(class_size, size, caller);
	if (unlikely(!object) && (!lock_none_held() || small_mappings_may_fit()))
		object = mapped_alloc(size, align, false);
	return object;
}

/* The same, if its turn has come to be sampled; its bytes have not passed. */
static slow_path void *alloc_object_due(size_t class_size, size_t size, size_t align,
					const void *caller)
{
	void *object = NULL;

	if (profile_is_due(size))
		object = profile_alloc(class_of(class_size), size, align, caller);
	return object ? object : alloc_object_slow(class_size, size, align, caller);
}

/*
 * With kfence_sample= an object from the sheaf, unless it is the turn of one that
 * slab_alloc_dispatch() makes.
 */
static __always_inline void *alloc_object_guarded(size_t class_size)
{
	void *object = NULL;

	if (likely(slab_kfence_passes())) {
		object = slab_alloc_fast(class_of(class_size));
		if (unlikely(!object))
			slab_kfence_unpass();
	}
	return object;
}

/* The same; it counts for the profile, or for kfence_sample=, and may be chosen for it. */
static slow_path void *alloc_object_counted(size_t class_size, size_t size, size_t align,
					    const void *caller)
{
	void *object = NULL;

	if (!classes_init() && profile_is_on()) {
		if (!profile_passes(size))
			return alloc_object_due(class_size, size, align, caller);
		object = slab_alloc_fast(class_of(class_size));
	} else if (classes_are_guarded) {
		object = alloc_object_guarded(class_size);
	}
	return object ? object : alloc_object_slow(class_size, size, align, caller);
}

/* malloc_pages(), counted. */
static void *alloc_pages_counted(size_t size, size_t align, bool *zeroed, const void *caller)
{
	void *block = malloc_pages(size, align, zeroed);

	if (profile_is_on() && block)
		profile_count(block, size, caller);
	return block;
}

static slow_path void *malloc_counted(size_t size, const void *caller)
{
	void *block;

	if (size <= CLASS_MAX_BYTES)
		block = alloc_object_counted(size, size, MIN_ALIGN, caller);
	else
		block = alloc_pages_counted(size, MIN_ALIGN, NULL, caller);
	return likely(block) ? block : malloc_out_of_memory();
}

/* The rest of malloc_profiled(). */
static slow_path void *malloc_due(size_t size, const void *caller)
{
	void *object = alloc_object_due(size, size, MIN_ALIGN, caller);

	return object ? object : malloc_out_of_memory();
}

static slow_path void *malloc_passed(size_t size, const void *caller)
{
	void *object = alloc_object_slow(size, size, MIN_ALIGN, caller);

	return object ? object : malloc_out_of_memory();
}

/* With profile= all requests come here. */
static noinline void *malloc_profiled(size_t size, const void *caller)
{
	void *object;

	if (unlikely(size > CLASS_MAX_BYTES))
		return malloc_counted(size, caller);
	if (unlikely(!profile_passes(size)))
		return malloc_due(size, caller);
	object = slab_alloc_fast(class_of(size));
	return likely(object) ? object : malloc_passed(size, caller);
}

/* With kfence_sample= all requests come here. */
static noinline void *malloc_guarded(size_t size, const void *caller)
{
	void *object;

	if (unlikely(size > CLASS_MAX_BYTES))
		return malloc_counted(size, caller);
	object = alloc_object_guarded(size);
	return likely(object) ? object : malloc_passed(size, caller);
}

/*
 * Without restartable sequences all requests come here, and so may one that comes before the
 * library is up: whoever sees a class knows whether there are any.
 */
static noinline void *malloc_locked(size_t size, const void *caller)
{
	const struct kmem_cache *cache = size < atomic_load_relaxed(&class_large_limit) ?
					 class_of(size) : NULL;
	void *object = NULL;

	if (likely(cache) && likely(!percpu_has_sequences()))
		object = slab_alloc_locked(cache);
	return likely(object) ? object : malloc_counted(size, caller);
}

/*
 * Not a slow path: see malloc_without_sheaf(). It has no frame, and ends in each of these by a
 * jump.
 */
noinline void *malloc_dispatch(size_t size, const void *caller)
{
	/* pairs with hardened_init() */
	if (atomic_load_acquire(&hardened_is_up))
		return hardened_malloc(size, caller);
	if (profile_is_on())
		return malloc_profiled(size, caller);
	/* pairs with bring_up(): the classes */
	if (atomic_load_acquire(&classes_are_guarded))
		return malloc_guarded(size, caller);
	return percpu_has_sequences() ? malloc_counted(size, caller) : malloc_locked(size, caller);
}

noinline void *malloc_slow(size_t size, const void *caller)
{
	return malloc_without_sheaf(size, caller);
}

/* At the start of a line, as free(): three quarters into one it takes a tenth longer. */
EXPORT __hot __aligned(CACHE_LINE_BYTES) void *(malloc)(size_t size)
{
	return malloc_inline(size);
}

/* Bytes that the block really has; 0 if it takes more than a look, or is none. */
static __always_inline size_t block_usable(void *pointer)
{
	struct kmem_cache *cache = cache_of(pointer);

	if (likely(cache))
		return object_may_be_freed(cache, pointer) ? cache_object_bytes(cache) : 0;
	return checked_pages_bytes(pointer);
}

/*
 * As glibc's calloc(): all that malloc_usable_size() may say is zero, but what the block gets by
 * that call alone, then.
 */
static void *clear_block(void *block, size_t bytes)
{
	size_t usable = block_usable(block);

	return memset(block, 0, max(bytes, usable ? usable : checked_clear_bytes(block)));
}

static noinline void *calloc_pages(size_t bytes, const void *caller)
{
	bool zeroed;
	void *block = alloc_pages_counted(bytes, MIN_ALIGN, &zeroed, caller);

	if (unlikely(!block))
		return malloc_out_of_memory();
	return zeroed ? block : clear_block(block, bytes);
}

static noinline void *calloc_slow(size_t bytes, const void *caller)
{
	void *block;

	if (bytes > CLASS_MAX_BYTES)
		return calloc_pages(bytes, caller);
	block = alloc_object_counted(bytes, bytes, MIN_ALIGN, caller);
	return likely(block) ? clear_block(block, bytes) : malloc_out_of_memory();
}

/* More are worth a call of memset(). */
#define CLEARED_IN_LINE_BYTES 64

/*
 * All of an object. Those of a class are aligned to 16 bytes, and multiples of them: stores may
 * overlap.
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

EXPORT __hot void *(calloc)(size_t n, size_t size)
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
	void *block = alloc_pages_counted(size, align, NULL, caller);

	return block ? block : malloc_out_of_memory();
}

/* align is a power of two. The class of a multiple of it is one: its steps are, too, or less. */
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
		object = alloc_object_counted(class_size, size, align,
					      __builtin_return_address(0));
	return object ? object : malloc_out_of_memory();
}

/* --- Sizes ------------------------------------------------------------------ */

EXPORT size_t (malloc_usable_size)(void *pointer)
{
	size_t bytes;

	if (!pointer)
		return 0;
	bytes = block_usable(pointer);
	if (unlikely(!bytes))
		bytes = checked_usable(pointer, __builtin_return_address(0));
	return bytes;
}

/* --- Alignment --------------------------------------------------------------- */

EXPORT int (posix_memalign)(void **result, size_t align, size_t size)
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

EXPORT void *(aligned_alloc)(size_t align, size_t size)
{
	if (!is_power_of_2(align)) {
		errno = EINVAL;
		return NULL;
	}
	return alloc_aligned(align, size);
}

/* As in glibc an odd alignment is rounded up to a power of two. */
EXPORT void *(memalign)(size_t align, size_t size)
{
	if (align > SIZE_MAX / 2 + 1) {
		errno = EINVAL;
		return NULL;
	}
	return alloc_aligned(roundup_pow_of_two(align), size);
}

EXPORT void *(valloc)(size_t size)
{
	return alloc_aligned(os_page_bytes(), size);
}

EXPORT void *(pvalloc)(size_t size)
{
	size_t bytes;

	if (__builtin_add_overflow(size, os_page_bytes() - 1, &bytes))
		return malloc_out_of_memory();
	return alloc_aligned(os_page_bytes(), ALIGN_DOWN(bytes, os_page_bytes()));
}

/* As in glibc: 1 if some memory went back to the system. */
EXPORT int (malloc_trim)(size_t pad)
{
	return mapped_trim() + usermm_trim(pad) != 0;
}
