/* SPDX-License-Identifier: MIT */
/*
 * malloc() when the fast path (malloc_fast.h) finds no object at hand.
 *
 * The decision table: malloc_dispatch() calls the function of the first mode that is on.
 *
 *	mode		function		what it tries, in this order
 *
 *	hardened=1 (*)	hardened_malloc()	a hardened object; a mapping
 *	profile=	malloc_profiled()	if a sample is due: a block of its own (profile.h),
 *						else: the CPU's sheaf; then slab
 *	kfence_sample=	malloc_guarded()	if a sample is due: slab, which makes a guarded
 *						object (kfence.h), else: the CPU's sheaf; then slab
 *	no rseq		malloc_locked()		the sheaf of a locked slot; then slab
 *	none of these	malloc_counted()	slab
 *
 *	(*) together with profile=, the line of profile= counts, and slab means a hardened cache
 *
 * "slab" is alloc_object_slow(): the class's cache; then a mapping, if a lock or an address limit
 * may be the reason why the cache has nothing.
 *
 * In the first four modes the fast path never finds an object, so every request comes here. So does
 * the first request of a process: classes_init() then brings the library up.
 *
 * calloc() and aligned_alloc() come to malloc_object_counted(), which chooses in the same way. Each
 * function leads a size beyond CLASS_MAX_BYTES to malloc_pages(): a page block, or a mapping.
 */
#include "malloc/malloc_slow.h"

#include <errno.h>

#include "base/options.h"
#include "malloc/early_blocks.h"
#include "malloc/hardened/hardened.h"
#include "malloc/malloc_fast.h"
#include "malloc/mapped/mapped.h"
#include "malloc/page_blocks.h"
#include "malloc/perturb.h"
#include "malloc/profile/profile.h"
#include "malloc/size_classes.h"
#include "os/load_options.h"
#include "os/lock.h"
#include "os/os.h"
#include "page/zone.h"
#include "slab/kfence/kfence.h"
#include "slab/mixed/mixed_source.h"

noinline void *malloc_out_of_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

/*
 * Can a small mapping succeed although no section of the window can come online, or the library
 * cannot even come up? RLIMIT_AS can cause that; so can a limit of locked memory, for a section.
 * Never with hardened=1 or limit=, since guard pages and the budget need a library that is up. Nor
 * when the budget has run out, unless the budget was made of an RLIMIT_AS that is higher now.
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
 * Should a mapping take the place of a page block? A page block leaves the rest of a power of two
 * to smaller blocks. If all blocks of a program have one size, nobody uses that rest. So when
 * addresses get scarce, a mapping is better if the page block would break up a whole section and
 * leave more than an eighth of the power of two.
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

/*
 * The flags for a block that can still become a mapping if there is no page block. For a large
 * block, they ask no layer to give up memory that it keeps free (page/slowpath.c, step 4).
 */
static gfp_t modest_gfp(size_t size)
{
	return size > PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER ? MALLOC_GFP & ~__GFP_RETRY_MAYFAIL :
							     MALLOC_GFP;
}

/* A page block; NULL without memory, or if the request is beyond the largest page block. */
static void *pages_of_window(size_t size, size_t align, gfp_t gfp, bool *zeroed)
{
	if (size > BLOCK_MAX_BYTES || align > BLOCK_MAX_BYTES)
		return NULL;
	return block_alloc(size, align, gfp, zeroed);
}

/*
 * With hardened=1 a mapping between guard pages comes first, while the process may have more
 * mappings. The order is then: a page block, with modest_gfp(); a mapping, which can also grow in
 * place; a page block for which all layers give up what they keep free.
 */
void *malloc_pages(size_t size, size_t align, bool *zeroed)
{
	bool is_zero = true, *wanted = zeroed ? &is_zero : NULL;
	void *block = NULL;

	if (size > PTRDIFF_MAX)
		return NULL;
	if (classes_init()) {
		if (zeroed)
			*zeroed = true;
		if (early_is_now())
			return early_alloc(size, align);
		if (lock_none_held() && !small_mappings_may_fit())
			return NULL;
	}
	if (hardened_is_on() ? mapped_may_be_mapped() : should_save_addresses(size, align))
		block = mapped_alloc(size, align, wanted);
	if (!block)
		block = pages_of_window(size, align, modest_gfp(size), &is_zero);
	if (!block)
		block = mapped_alloc(size, align, wanted);
	if (!block)
		block = pages_of_window(size, align, MALLOC_GFP, &is_zero);
	if (zeroed)
		*zeroed = is_zero;
	return block;
}

/*
 * An object of the class; makes the class if it does not exist yet. Where the class would need a
 * new slab, what is free in mixed slabs (slab/mixed/mixed.h) comes first. Such a block has the
 * bytes of the class, too, so realloc() leaves it in place where it leaves an object of the class.
 */
static void *alloc_of_class(size_t class_size, size_t size, size_t align, const void *caller)
{
	struct kmem_cache *cache = class_get(class_size);
	void *object = NULL;

	if (unlikely(!cache))
		return NULL;
	if (slab_mixed_may_serve(cache))
		object = slab_mixed_alloc(cache->object_size, align);
	return object ? object : slab_alloc_slow(cache, MALLOC_GFP, size, caller);
}

/*
 * An object of the class of class_size bytes, past the CPU's sheaf. size <= class_size, align and
 * caller are for caches that check their objects.
 */
static void *alloc_object_slow(size_t class_size, size_t size, size_t align, const void *caller)
{
	bool is_up = !classes_init();
	void *object = NULL;

	if (unlikely(!is_up) && early_is_now())
		return early_alloc(size, align);
	if (is_up && hardened_is_on())
		object = hardened_alloc(size, align, caller);
	else if (is_up)
		object = alloc_of_class(class_size, size, align, caller);
	if (unlikely(!object) && (!lock_none_held() || small_mappings_may_fit()))
		object = mapped_alloc(size, align, NULL);
	return object;
}

/* alloc_object_slow() after profile_passes() was false: the object may be a sample. */
static slow_path void *alloc_object_due(size_t class_size, size_t size, size_t align,
					const void *caller)
{
	void *object = NULL;

	if (profile_is_due(size))
		object = profile_alloc(class_of(class_size), size, align, caller);
	return object ? object : alloc_object_slow(class_size, size, align, caller);
}

/*
 * With kfence_sample=: an object of the sheaf. NULL if there is none, or if a guarded object is
 * due, which slab_alloc_dispatch() makes.
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

void *malloc_object_counted(size_t class_size, size_t size, size_t align, const void *caller)
{
	void *object = NULL;

	if (!classes_init() && profile_is_on()) {
		if (!profile_passes(size))
			return alloc_object_due(class_size, size, align, caller);
		object = slab_alloc_fast(class_of(class_size));
	} else if (classes_are_guarded) {
		object = alloc_object_guarded(class_size);
	}
	if (!object)
		object = alloc_object_slow(class_size, size, align, caller);
	if (perturb_is_on())
		perturb_new(object, size);
	return object;
}

void *malloc_pages_counted(size_t size, size_t align, bool *zeroed, const void *caller)
{
	void *block = malloc_pages(size, align, zeroed);

	if (profile_is_on() && block)
		profile_count(block, size, caller);
	if (perturb_is_on() && !zeroed)		/* with `zeroed`, calloc() needs zeros */
		perturb_new(block, size);
	return block;
}

static slow_path void *malloc_counted(size_t size, const void *caller)
{
	void *block;

	if (size <= CLASS_MAX_BYTES)
		block = malloc_object_counted(size, size, MIN_ALIGN, caller);
	else
		block = malloc_pages_counted(size, MIN_ALIGN, NULL, caller);
	return likely(block) ? block : malloc_out_of_memory();
}

/* The end of malloc_profiled() when a sample may be due. */
static slow_path void *malloc_due(size_t size, const void *caller)
{
	void *object = alloc_object_due(size, size, MIN_ALIGN, caller);

	return object ? object : malloc_out_of_memory();
}

/* The end of malloc_profiled() and malloc_guarded() when the sheaf is empty. */
static slow_path void *malloc_passed(size_t size, const void *caller)
{
	void *object = alloc_object_slow(size, size, MIN_ALIGN, caller);

	return object ? object : malloc_out_of_memory();
}

/* All of malloc() with profile=. */
static seldom_called noinline void *malloc_profiled(size_t size, const void *caller)
{
	void *object;

	if (unlikely(size > CLASS_MAX_BYTES))
		return malloc_counted(size, caller);
	if (unlikely(!profile_passes(size)))
		return malloc_due(size, caller);
	object = slab_alloc_fast(class_of(size));
	return likely(object) ? object : malloc_passed(size, caller);
}

/* All of malloc() with kfence_sample=. */
static seldom_called noinline void *malloc_guarded(size_t size, const void *caller)
{
	void *object;

	if (unlikely(size > CLASS_MAX_BYTES))
		return malloc_counted(size, caller);
	object = alloc_object_guarded(size);
	return likely(object) ? object : malloc_passed(size, caller);
}

/*
 * All of malloc() without restartable sequences. A request before the library is up may come here
 * too, when the answer of percpu_has_sequences() is not final. So it is asked again once the class
 * is known: a thread that sees a class sees the final answer.
 */
static noinline void *malloc_locked(size_t size, const void *caller)
{
	const struct kmem_cache *cache = size <= CLASS_MAX_BYTES ? class_of(size) : NULL;
	void *object = NULL;

	if (likely(cache) && likely(!percpu_has_sequences()))
		object = slab_alloc_locked(cache);
	return likely(object) ? object : malloc_counted(size, caller);
}

/*
 * Not a slow_path, since some modes serve every request here. This function has no stack frame and
 * ends with a jump to the function that it chooses.
 */
noinline void *malloc_dispatch(size_t size, const void *caller)
{
	/* pairs with hardened_init(): the classes and the steps */
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
