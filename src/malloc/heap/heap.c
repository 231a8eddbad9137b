/* SPDX-License-Identifier: MIT */
/*
 * Heaps: sets of blocks that are freed together (usermm/heap.h).
 *
 * 1. Purpose. Small blocks are objects of caches that only this heap uses, one for each of malloc's
 *    size classes, and lie in slabs of the heap's own. So all of them can go without a look at any
 *    object (slab/destroy/). Large blocks are malloc's page blocks and mappings; a table has them.
 *
 * 2. Who may touch what. A class's cache is made by the first thread that needs it. Two threads may
 *    make one at the same time: the first to store it wins, and the other destroys its own. Once
 *    stored, a cache stays as long as the heap. Freed objects go to the CPU's sheaf of their cache,
 *    so any thread may free.
 *
 * 3. Caches of heaps are like those of programs: slab_debug=, kfence_sample= and init_on_free=
 *    apply, hardened=1 and profile= do not. Large blocks are malloc's, with all of its options.
 *
 * 4. Failure: NULL and ENOMEM. A block that is not the heap's, or not in use, is reported before
 *    anything is changed. The report ends the process, but for that of a cache with debugging
 *    flags, which is Linux's.
 */
#include "usermm/heap.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/fmt.h"
#include "malloc/heap/heap_blocks.h"
#include "malloc/malloc.h"
#include "malloc/malloc_slow.h"
#include "malloc/realloc.h"
#include "malloc/size_classes.h"
#include "os/os.h"
#include "slab/cache.h"
#include "slab/debug/debug.h"
#include "slab/debug/report.h"
#include "slab/destroy/destroy.h"
#include "slab/kfence/kfence.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/partial.h"

/* Room for a cache's name: HEAP-SIZE. */
#define HEAP_NAME_BYTES 16

struct usermm_heap {
	/*
	 * Entry i: the sheaf of the class of (i - 1) * 16 + 1 to i * 16 bytes, as in
	 * class_small_steps[]. Sync: atomic; NULL until the class has its cache, which may have
	 * none to show
	 */
	struct percpu_array *sheaves[CLASS_SMALL_STEPS];
	/* Sync: atomic; constant once the class has its cache, NULL before */
	struct kmem_cache *classes[CLASS_COUNT];
	struct heap_blocks blocks;
	char name[HEAP_NAME_BYTES];	/* Sync: constant */
};

_Static_assert(CLASS_COUNT <= SLAB_DESTROY_MAX, "all caches of a heap are destroyed at once");

/* --- Classes -------------------------------------------------------------------------------- */

/* The cache for a size up to CLASS_MAX_BYTES; NULL if the class has none yet. */
static __always_inline struct kmem_cache *cache_for(const struct usermm_heap *heap, size_t size)
{
	/* pairs with make_class(): the cache */
	return atomic_load_acquire(&heap->classes[class_index(size)]);
}

/* The sheaf for a size up to CLASS_SMALL_MAX_BYTES. */
static __always_inline struct percpu_array *sheaf_for(const struct usermm_heap *heap, size_t size)
{
	uint32_t step = (uint32_t)(size + CLASS_SMALL_STEP - 1) / (uint32_t)CLASS_SMALL_STEP;

	/* pairs with show_sheaf(): the rest of the cache */
	return atomic_load_acquire(&heap->sheaves[step]);
}

static struct kmem_cache *create_cache(const struct usermm_heap *heap, size_t bytes)
{
	char name[CACHE_NAME_BYTES];

	fmt_format(name, sizeof(name), "%s-%zu", heap->name, bytes);
	return slab_cache_create(&(struct slab_cache_request){
		.name = name, .size = (unsigned int)bytes, .align = class_align(bytes),
		.flags = SLAB_NO_MERGE, .owner = heap,
	});
}

/* Several threads may do so for one class; all of them store the same. */
static void show_sheaf(struct usermm_heap *heap, unsigned int index,
		       const struct kmem_cache *cache)
{
	struct percpu_array *sheaf = cache_sheaf(cache);

	ASSERT(!sheaf || !cache->byte_marks);
	for (size_t i = index ? class_bytes(index - 1) / CLASS_SMALL_STEP + 1 : 0;
	     i <= class_bytes(index) / CLASS_SMALL_STEP; i++)
		/* pairs with sheaf_for(): the rest of the cache */
		atomic_store_release(&heap->sheaves[i], sheaf);
}

static slow_path struct kmem_cache *make_class(struct usermm_heap *heap, unsigned int index)
{
	struct kmem_cache *cache = create_cache(heap, class_bytes(index)), *first = NULL;

	if (!cache)
		return NULL;
	/*
	 * pairs with cache_for(), usermm_heap_destroy(), usermm_heap_stats_read(), and the load
	 * below: the cache
	 */
	if (!atomic_cas_release(&heap->classes[index], &first, cache)) {
		kmem_cache_destroy(cache);
		/* pairs with the swap above in the thread that came first: its cache */
		cache = atomic_load_acquire(&heap->classes[index]);
	}
	if (class_bytes(index) <= CLASS_SMALL_MAX_BYTES)
		show_sheaf(heap, index, cache);
	return cache;
}

/* --- Allocation ------------------------------------------------------------------------------- */

static slow_path void *alloc_object(struct usermm_heap *heap, size_t size, const void *caller)
{
	struct kmem_cache *cache = cache_for(heap, size);
	void *object = NULL;

	if (!cache)
		cache = make_class(heap, class_index(size));
	if (cache)
		object = slab_alloc_slow(cache, MALLOC_GFP, SIZE_MAX, caller);
	return object ? object : malloc_out_of_memory();
}

/* A block beyond the classes; zeroed as for malloc_pages(). */
static slow_path void *alloc_block(struct usermm_heap *heap, size_t align, size_t size,
				   bool *zeroed, const void *caller)
{
	struct heap_block *block = kmalloc(sizeof(*block), MALLOC_GFP);

	if (!block)
		return malloc_out_of_memory();
	block->start = malloc_pages_counted(size, align, zeroed, caller);
	if (!block->start) {
		kfree(block);
		return malloc_out_of_memory();
	}
	block->bytes = malloc_usable_size(block->start);
	heap_blocks_add(&heap->blocks, block);
	return block->start;
}

/*
 * For larger sizes the heap keeps no sheaves, whose table would be long. Small ones come here if
 * the sheaf is empty, and where slab_kept_sheaf_limit is 0.
 */
static noinline void *alloc_class(struct usermm_heap *heap, size_t size, const void *caller)
{
	const struct kmem_cache *cache = cache_for(heap, size);
	void *object = likely(cache) ? slab_alloc_fast(cache) : NULL;

	return likely(object) ? object : alloc_object(heap, size, caller);
}

static noinline void *alloc_other(struct usermm_heap *heap, size_t size, const void *caller)
{
	if (size > CLASS_MAX_BYTES)
		return alloc_block(heap, MIN_ALIGN, size, NULL, caller);
	return alloc_class(heap, size, caller);
}

/*
 * As malloc_inline(): an object of this CPU's sheaf, after the argument of malloc_at_hand() about
 * sequences. The entry point's return address is read only if there is none.
 */
static __always_inline void *alloc_inline(struct usermm_heap *heap, size_t size)
{
	void *object = NULL;

	if (likely(size < atomic_load_operand(&slab_kept_sheaf_limit)))
		object = slab_alloc_small(sheaf_for(heap, size), true);
	return almost_always(object) ? object :
				       alloc_other(heap, size, __builtin_return_address(0));
}

void *usermm_heap_alloc(struct usermm_heap *heap, size_t size)
{
	return alloc_inline(heap, size);
}

void *usermm_heap_zalloc(struct usermm_heap *heap, size_t size)
{
	const void *caller = __builtin_return_address(0);
	bool zeroed = false;
	void *block = size > CLASS_MAX_BYTES ?
			      alloc_block(heap, MIN_ALIGN, size, &zeroed, caller) :
			      alloc_inline(heap, size);

	return block && !zeroed ? memset(block, 0, size) : block;
}

/* Classes are aligned as in malloc.c: alloc_aligned(). */
void *usermm_heap_aligned_alloc(struct usermm_heap *heap, size_t align, size_t size)
{
	const void *caller = __builtin_return_address(0);

	if (!is_power_of_2(align)) {
		errno = EINVAL;
		return NULL;
	}
	if (align > PAGE_SIZE || size > CLASS_MAX_BYTES)
		return alloc_block(heap, align, size, NULL, caller);
	if (align > MIN_ALIGN)
		size = ALIGN(max(size, align), align);
	return alloc_inline(heap, size);
}

/* --- Sizes and frees -------------------------------------------------------------------------- */

static slow_path void __attribute__((__noreturn__))
report_not_ours(const struct usermm_heap *heap, const char *function, const void *block,
		const void *caller)
{
	slab_report_fatal(caller, "%s(%p): this is no block in use of the heap \"%s\"; give it to "
			  "the heap or the allocator that it came from, once, by the address that "
			  "was returned", function, block, heap ? heap->name : "NULL");
}

/*
 * Reports a guarded object that is in use, but is not the heap's. kfence/ reports one that is not
 * in use.
 */
static void check_guarded(const struct usermm_heap *heap, const char *function,
			  const void *block, const void *caller)
{
	const struct kmem_cache *cache = slab_kfence_cache(block);

	if (cache && cache->owner != heap)
		report_not_ours(heap, function, block, caller);
}

/* Returns 0 if a cache with debugging flags has reported the block: the program then goes on. */
static size_t object_bytes(const struct usermm_heap *heap, struct kmem_cache *cache, void *block,
			   const char *function, const void *caller)
{
	if (cache_is_debugged(cache)) {
		if (!slab_debug_check_in_use(cache, block, function, caller))
			return 0;
	} else if (!object_is_at(cache, block) || is_marked_free(cache, block)) {
		report_not_ours(heap, function, block, caller);
	}
	return cache_object_bytes(cache);
}

/* Returns 0 as object_bytes() does. */
static size_t usable_bytes(struct usermm_heap *heap, void *block, const char *function,
			   const void *caller)
{
	struct kmem_cache *cache = cache_of(block);
	size_t bytes;

	if (cache && cache->owner == heap)
		return object_bytes(heap, cache, block, function, caller);
	if (slab_kfence_owns(block)) {
		check_guarded(heap, function, block, caller);
		return slab_kfence_size(block, function, caller);
	}
	bytes = heap ? heap_blocks_bytes_of(&heap->blocks, block) : 0;
	if (!bytes)
		report_not_ours(heap, function, block, caller);
	return bytes;
}

size_t usermm_heap_usable_size(struct usermm_heap *heap, void *block)
{
	return block ? usable_bytes(heap, block, "usermm_heap_usable_size",
				    __builtin_return_address(0)) : 0;
}

static void free_block(struct heap_block *block)
{
	own_free(block->start);
	kfree(block);
}

/* A block of no slab. */
static void free_outside(struct usermm_heap *heap, void *pointer, const void *caller)
{
	struct heap_block *block;

	if (!pointer)
		return;
	if (slab_kfence_owns(pointer)) {
		check_guarded(heap, "usermm_heap_free", pointer, caller);
		slab_kfence_free(NULL, pointer, "usermm_heap_free", caller);
		return;
	}
	block = heap ? heap_blocks_take(&heap->blocks, pointer) : NULL;
	if (!block)
		report_not_ours(heap, "usermm_heap_free", pointer, caller);
	free_block(block);
}

/* Every free comes here at once where mm_window.free_bytes is 0. */
static slow_path void free_other(struct usermm_heap *heap, void *pointer, const void *caller)
{
	struct kmem_cache *cache = cache_of(pointer);

	if (!cache || cache->owner != heap)
		free_outside(heap, pointer, caller);
	else if (!slab_free_fast(cache, pointer, false))
		slab_free_checked(cache, pointer, "usermm_heap_free", caller);
}

void usermm_heap_free(struct usermm_heap *heap, void *block)
{
	struct kmem_cache *cache = cache_if_freeable(block);

	if (unlikely(!cache) || unlikely(cache->owner != heap))
		free_other(heap, block, __builtin_return_address(0));
	else if (unlikely(!slab_free_fast(cache, block, true)))
		slab_free_checked(cache, block, "usermm_heap_free", __builtin_return_address(0));
}

/* --- realloc ---------------------------------------------------------------------------------- */

/* Resizes a large block by realloc(), which may move its pages; NULL, and no change, on failure. */
static void *resize_block(struct usermm_heap *heap, void *pointer, size_t size,
			  const void *caller)
{
	struct heap_block *block = heap_blocks_take(&heap->blocks, pointer);
	void *moved;

	if (!block)
		report_not_ours(heap, "usermm_heap_realloc", pointer, caller);
	moved = own_realloc(pointer, size);
	if (moved) {
		block->start = moved;
		block->bytes = malloc_usable_size(moved);
	}
	heap_blocks_add(&heap->blocks, block);
	return moved;
}

static void *move_block(struct usermm_heap *heap, void *pointer, size_t old_bytes, size_t size)
{
	int saved_errno = errno;
	void *block = usermm_heap_alloc(heap, size);

	if (!block && size <= old_bytes) {
		errno = saved_errno;
		return pointer;
	}
	if (!block)
		return NULL;
	memcpy(block, pointer, min(old_bytes, size));
	usermm_heap_free(heap, pointer);
	return block;
}

void *usermm_heap_realloc(struct usermm_heap *heap, void *block, size_t size)
{
	const void *caller = __builtin_return_address(0);
	size_t old_bytes;

	if (!block)
		return usermm_heap_alloc(heap, size);
	old_bytes = usable_bytes(heap, block, "usermm_heap_realloc", caller);
	if (!old_bytes)
		return malloc_out_of_memory();
	if (!size) {
		usermm_heap_free(heap, block);
		return NULL;
	}
	if (block_may_stay(old_bytes, size))
		return block;
	if (size > CLASS_MAX_BYTES && !cache_of(block) && !slab_kfence_owns(block))
		return resize_block(heap, block, size, caller);
	return move_block(heap, block, old_bytes, size);
}

/* --- Heaps ---------------------------------------------------------------------------------- */

struct usermm_heap *usermm_heap_create(const char *name)
{
	struct usermm_heap *heap = classes_init() ? NULL : kzalloc(sizeof(*heap), MALLOC_GFP);

	if (!heap)
		return malloc_out_of_memory();
	fmt_format(heap->name, sizeof(heap->name), "%s", name && *name ? name : "heap");
	heap_blocks_init(&heap->blocks);
	return heap;
}

void usermm_heap_destroy(struct usermm_heap *heap)
{
	struct kmem_cache *caches[CLASS_COUNT];
	unsigned int nr = 0;

	if (!heap)
		return;
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		/* pairs with make_class(): the cache */
		struct kmem_cache *cache = atomic_load_acquire(&heap->classes[i]);

		if (cache)
			caches[nr++] = cache;
	}
	slab_destroy_with_objects(caches, nr, __builtin_return_address(0));
	heap_blocks_end(&heap->blocks, free_block);
	kfree(heap);
}

void usermm_heap_stats_read(struct usermm_heap *heap, struct usermm_heap_stats *stats)
{
	struct slab_usage usage;

	heap_blocks_sum(&heap->blocks, &stats->blocks, &stats->bytes);
	stats->held_bytes = stats->bytes;
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		/* pairs with make_class(): the cache */
		struct kmem_cache *cache = atomic_load_acquire(&heap->classes[i]);
		size_t objects, guarded;

		if (!cache)
			continue;
		guarded = slab_kfence_objects(cache);
		objects = slab_objects_in_use(cache, &usage) + guarded;
		stats->blocks += objects;
		stats->bytes += objects * class_bytes(i);
		stats->held_bytes += usage.pages * PAGE_SIZE + guarded * os_page_bytes();
	}
}
