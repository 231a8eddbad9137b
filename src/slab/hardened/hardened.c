/* SPDX-License-Identifier: MIT */
/* See hardened.h. */
#include "slab/hardened/hardened.h"

#include "base/check.h"
#include "base/options.h"
#include "os/os.h"
#include "slab/debug/debug.h"
#include "slab/debug/report.h"
#include "slab/kfence/kfence.h"
#include "slab/sheaf/sheaf.h"
#include "slab/slab_word.h"
#include "slab/small_slab.h"

/*
 * A CPU's quarantine has room for QUARANTINE_BYTES of objects: at least two objects, and at most
 * QUARANTINE_OBJECTS_MAX.
 */
#define QUARANTINE_BYTES (64 * KIB)
#define QUARANTINE_OBJECTS_MAX (2 * QUARANTINE_HALF_MAX)

struct slab_hardened_keys slab_hardened_keys __aligned(CACHE_LINE_BYTES);

/* A word whose last `room` bytes in memory are fence, and the others 0. */
static unsigned long fence_at_end(unsigned long fence, size_t room)
{
	if (!room)
		return 0;
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? fence >> (64 - 8 * room) :
							fence << (64 - 8 * room);
}

/* The number of the first byte in memory that is not 0. */
static unsigned int first_byte(unsigned long word)
{
	return (unsigned int)(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_clzl(word) :
								       __builtin_ctzl(word)) / 8;
}

void slab_hardened_set_keys(unsigned long seal, unsigned char fence)
{
	struct slab_hardened_keys *keys = &slab_hardened_keys;

	keys->seal = seal;
	keys->fence = fence * 0x0101010101010101UL;
	for (size_t room = 0; room < ARRAY_SIZE(keys->seals); room++) {
		keys->fences[room] = fence_at_end(keys->fence, room);
		keys->seals[room] = seal ^ room * SLAB_SEAL_FACTOR;
	}
}

often_called void slab_hardened_init(void)
{
	if (!options.hardened)
		return;
	options.slab_freelist_random = 1;
	options.slab_freelist_hardened = 1;
	/*
	 * Objects' addresses are multiples of 16, so bit 0 of each seal is the key's, which is 1.
	 */
	slab_hardened_set_keys(os_random() | 1, (unsigned char)os_random() | 1);
	slab_random_make_orders();
}

static uint32_t half_of(const struct kmem_cache *cache)
{
	size_t objects = clamp(QUARANTINE_BYTES / cache->size, 2UL, (size_t)QUARANTINE_OBJECTS_MAX);

	/* A power of two: random orders exist for these alone (random.h). */
	return 1u << ilog2((unsigned int)objects / 2);
}

void slab_hardened_setup(struct kmem_cache *cache)
{
	uint32_t half = half_of(cache);
	size_t bytes = sizeof(struct percpu_array) + 2 * half * sizeof(void *);
	bool fast;

	cache->quarantine_half = half;
	cache->quarantine = percpu_ptr(percpu_alloc(ALIGN(bytes, CACHE_LINE_BYTES),
						    CACHE_LINE_BYTES), 0);
	cache->free_checked = slab_hardened_free_of(cache->size, os_has_avx2());
	cache->hardened_take = slab_hardened_take_of(os_has_avx2());
	/* Pages come cleared, and a free clears the object. So nothing else has to be cleared. */
	cache->allocflags |= __GFP_ZERO;
	cache->init_on_alloc = cache->init_on_free = false;
	/*
	 * Failing on purpose, counting and guarding are the work of slab_alloc_dispatch(). So with
	 * these options no object may come from the sheaf before that.
	 */
	fast = !slab_failslab_is_armed() && !options.slab_stats && !options.kfence_sample;
	cache->hardened_sheaf = percpu_ptr(fast ? cache->own_sheaf : NULL, 0);
}

/* --- The end of an object ------------------------------------------------------ */

/* The first byte that is not the fence's value; NULL if all are. */
static const char *find_in_fence(const char *start, const char *end)
{
	while (start < end && *start == (char)slab_hardened_keys.fence)
		start++;
	return start < end ? start : NULL;
}

static slow_path __attribute__((__noreturn__)) void
report_overflow(const struct kmem_cache *cache, const char *object, size_t size,
		const char *byte, const char *function, const void *caller)
{
	slab_report_fatal(caller, "%s(%p): heap overflow: byte %ld behind the %zu bytes of the "
			  "block was overwritten with 0x%02x (first one, at %p; cache %s); "
			  "slab_debug=FZU,%s as well tells who allocated it", function, object,
			  (long)(byte - object) - (long)size, size, *byte & 0xffu, byte,
			  cache->name, cache->name);
}

static bool items_hold(void *const *items, int32_t n, const void *object)
{
	while (n-- > 0)
		if (atomic_load_relaxed(&items[n]) == object)
			return true;
	return false;
}

/* half: the size of a generation, or 0 for a plain array. */
static bool array_holds(struct percpu_array *arrays, unsigned int half, const void *object)
{
	for (unsigned int slot = 0; arrays && slot < percpu_nr_slots(); slot++) {
		const struct percpu_array *array = percpu_ptr(arrays, slot);

		if (items_hold(array->items, (int32_t)atomic_load_relaxed(&array->count), object) ||
		    (atomic_load_relaxed(&array->limit) == half &&
		     items_hold(array->items + half, (int32_t)half, object)))
			return true;
	}
	return false;
}

/* Is the object in a quarantine or sheaf? A free object may also be on its way between them. */
static bool is_in_an_array(const struct kmem_cache *cache, const void *object)
{
	return array_holds(slab_quarantine(cache), cache->quarantine_half, object) ||
	       array_holds(cache->own_sheaf, 0, object);
}

/* The seal is 0: the object is free, or somebody has written zeros over its end. */
static slow_path __attribute__((__noreturn__)) void
report_no_seal(const struct kmem_cache *cache, const void *object, const char *function,
	       const void *caller)
{
	if (is_in_an_array(cache, object))
		slab_report_bad_free(function, object, caller);
	slab_report_fatal(caller, "%s(%p): heap overflow: the block's end was overwritten with 0, "
			  "or double free (cache %s); slab_debug=FZU,%s as well tells which",
			  function, object, cache->name, cache->name);
}

/*
 * Reports an address where no object is, or an object that slab_hardened_is_whole() does not find
 * whole. If the seal is broken, nobody knows where the fence begins.
 */
static slow_path __attribute__((__noreturn__)) void
report_broken(const struct kmem_cache *cache, const char *object, const char *function,
	    const void *caller)
{
	const char *seal = object + cache->size - SLAB_SEAL_BYTES;
	unsigned long word, room;

	if (!object_is_at(cache, object))	/* then the memory may end before the seal */
		slab_report_bad_free(function, object, caller);
	word = slab_get_word(seal);
	if (mark_says_free(word, object))
		slab_report_bad_free(function, object, caller);
	if (!word)
		report_no_seal(cache, object, function, caller);
	/* If the overflow did not reach the seal's upper bits, these say where the block ends. */
	room = (word ^ slab_hardened_seal_base(object)) >> 48;
	if (room <= (size_t)(seal - object)) {
		const char *byte = find_in_fence(seal - room, seal);
		unsigned long right = slab_hardened_seal_of(object, room);

		if (!byte)
			byte = seal + first_byte(word ^ right);
		report_overflow(cache, object, (size_t)(seal - object) - room, byte, function,
				caller);
	}
	slab_report_fatal(caller, "%s(%p): heap overflow: the block's end at %p was overwritten "
			  "(0x%016lx; cache %s); slab_debug=FZU,%s as well tells who allocated it",
			  function, object, seal, word, cache->name, cache->name);
}

void slab_hardened_report_written(const struct kmem_cache *cache, const void *object)
{
	const char *bytes = object, *last = bytes + cache->size - 1, *byte = bytes;

	while (byte < last && !*byte)
		byte++;
	report_fatal("malloc: write after free: byte %ld of the free block %p was overwritten "
		     "with 0x%02x (first one; cache %s); slab_debug=FPU,%s as well tells who had "
		     "it", (long)(byte - bytes), object, *byte & 0xffu, cache->name,
		     cache->name);
}

/* --- Allocation ------------------------------------------------------------------ */

void *slab_hardened_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller)
{
	void *object = cache->hardened_take(cache->hardened_sheaf, cache->size, size);

	if (likely(object))
		return object;
	object = slab_alloc_slow(cache, gfp, size, caller);	/* checks it as well */
	if (object && !slab_kfence_owns(object))
		slab_hardened_enclose(object, cache->size, size);
	return object;
}

/* --- Free -------------------------------------------------------------------------- */

often_called unsigned long slab_hardened_waiting(const struct kmem_cache *cache)
{
	struct percpu_array *quarantine = slab_quarantine(cache);
	unsigned long waiting = 0;

	for (unsigned int slot = 0; quarantine && slot < percpu_nr_slots(); slot++)
		waiting += percpu_generations_nr(percpu_ptr(quarantine, slot),
					    cache->quarantine_half);
	return waiting;
}

unsigned long slab_hardened_frees(const struct kmem_cache *cache)
{
	return slab_hardened_waiting(cache) + atomic_load_relaxed(&cache->passed_quarantine);
}

unsigned int slab_quarantine_take(struct kmem_cache *cache, void **objects, unsigned int least)
{
	unsigned int half = cache->quarantine_half;
	struct percpu_order order;

	slab_random_order(&order, half);
	return percpu_take_older(slab_quarantine(cache), objects, half, least, &order);
}

/* The half that was freed first leaves the quarantine. */
static noinline void release_older(struct kmem_cache *cache)
{
	void *objects[QUARANTINE_HALF_MAX];
	unsigned int n;

	/*
	 * Touches all pages of the array before the sequence. It is smaller than a page: two at
	 * most.
	 */
	atomic_store_relaxed(&objects[0], NULL);
	atomic_store_relaxed(&objects[QUARANTINE_HALF_MAX - 1], NULL);
	n = slab_quarantine_take(cache, objects, cache->quarantine_half);
	if (!n)		/* others were faster */
		return;
	slab_count_lossy(&cache->passed_quarantine, n);
	sheaf_free_n(cache, objects, n);
}

void slab_hardened_quarantine(void *object, struct kmem_cache *cache)
{
	struct percpu_array *quarantine = slab_quarantine(cache);

	percpu_generations_prepare(quarantine, cache->quarantine_half);
	if (percpu_push(quarantine, object))
		return;
	release_older(cache);
	if (!percpu_push(quarantine, object))
		slab_free_cleared(cache, object);
}

void slab_hardened_free_long(void *object, struct kmem_cache *cache)
{
	/*
	 * The seal is cleared first: if another thread frees the object too, by mistake, it finds
	 * no seal.
	 */
	slab_put_word((char *)object + cache->mark_offset, 0);
	atomic_signal_barrier();
	memset(object, 0, cache->mark_offset);
	if (unlikely(!percpu_push_fast_at(cache->quarantine, object)))
		slab_hardened_quarantine(object, cache);
}

void slab_hardened_free(void *object, struct kmem_cache *cache, const void *caller,
			const char *function)
{
	if (!object_is_at(cache, object) ||
	    unlikely(!slab_hardened_free_whole(cache, object, cache->size, false)))
		report_broken(cache, object, function, caller);
}

/* --- Sizes --------------------------------------------------------------------------- */

size_t slab_hardened_size(struct kmem_cache *cache, void *object, const char *function,
			  const void *caller)
{
	if (!object_is_at(cache, object) || !slab_hardened_is_whole(object, cache->size))
		report_broken(cache, object, function, caller);
	return slab_hardened_asked(object, cache->size);
}

bool slab_hardened_resize(struct kmem_cache *cache, void *object, size_t size)
{
	if (size > cache->size - SLAB_SEAL_BYTES)
		return false;
	slab_hardened_enclose_used(object, cache->size, size);
	return true;
}

/* --- The end of the process ------------------------------------------------------------ */

/* At exit only so many pages of slabs are checked, so that a large process ends soon. */
#define CHECKED_PAGES (32 * MIB / PAGE_SIZE)

/* An object that is free in its slab is zero but for its link and mark. */
static void check_free_in_slab(const struct kmem_cache *cache, void *object)
{
	unsigned long link = *slab_link_word(cache, object);
	unsigned long mark = *object_mark(object, cache->mark_offset);

	*slab_link_word(cache, object) = 0;
	*object_mark(object, cache->mark_offset) = 0;
	slab_hardened_check_free(cache, object);
	*slab_link_word(cache, object) = link;
	*object_mark(object, cache->mark_offset) = mark;
}

static void check_object(const struct kmem_cache *cache, void *object)
{
	unsigned long word = slab_get_word((char *)object + cache->size - SLAB_SEAL_BYTES);

	if (slab_hardened_is_whole(object, cache->size))
		return;
	if (mark_says_free(word, object))
		check_free_in_slab(cache, object);
	else if (word || !slab_hardened_is_clear(object, cache->size))
		report_broken(cache, object, "exit", NULL);
}

/* A program may have made pages of its objects inaccessible. */
static bool is_readable(char *start, const char *end)
{
	start = (char *)((unsigned long)start & -os_page_bytes());
	return os_is_readable(start, ALIGN((size_t)(end - start), os_page_bytes()));
}

/*
 * Behind a slab's last object, and where no object was opened yet, everything is as zero as the
 * pages came. These bytes may lie in front of the next slab's first object.
 */
static void check_never_used(const struct kmem_cache *cache, struct page *slab, char *start)
{
	char *byte = start, *end = (char *)page_address(slab) + slab_bytes_of(cache, slab);

	/* The end of a small slab has a mark. */
	if (slab_is_small(slab) || start == end || !is_readable(start, end))
		return;
	while (byte < end && !*byte)
		byte++;
	if (byte < end)
		report_fatal("malloc: heap underflow or wild write: %p, which is in no block, was "
			     "overwritten with 0x%02x (first one, %ld bytes in front of %p; cache "
			     "%s); kfence_sample=1 may tell who did it", byte, *byte & 0xffu,
			     (long)(end - byte), end, cache->name);
}

static void check_slab(const struct kmem_cache *cache, struct page *slab)
{
	unsigned int opened = slab_word_read(slab).opened;
	char *object = slab_first(cache, slab), *end = object + opened * (size_t)cache->size;

	check_never_used(cache, slab, end);
	if (!opened || !is_readable(object, end))
		return;
	for (; object < end; object += cache->size)
		check_object(cache, object);
}

void slab_hardened_check_slabs(void)
{
	unsigned long end = min(mm_window.online_bytes / PAGE_SIZE, CHECKED_PAGES);

	for (unsigned long i = 0; i < end; i++) {
		const struct kmem_cache *cache = mm_window.slab_caches[i];
		struct page *page = virt_to_page((void *)(mm_window.base + i * PAGE_SIZE));

		if (cache && cache->is_hardened && slab_of(cache, page_address(page)) == page)
			check_slab(cache, page);
	}
}
