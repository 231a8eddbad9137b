/* SPDX-License-Identifier: MIT */
/*
 * malloc's size classes: 16-byte steps to 128, then 8 classes a doubling up to
 * 32 KiB. From 113 bytes up at most an eighth of an object is unused.
 *
 * A class gets its cache when it is asked for the first time. Most processes are short and use
 * a few classes; all 72 would cost each of them 18 pages. Until then the class's steps show
 * nothing, as before the first call of all, so the fast paths ask for nothing more.
 */
#ifndef MALLOC_SIZE_CLASSES_H
#define MALLOC_SIZE_CLASSES_H

#include "slab/slab_fast.h"

#define CLASS_MAX_BYTES (32 * KIB)
#define CLASS_COUNT 72
/*
 * The class of a size is looked up: all classes are multiples of a small step up to
 * CLASS_SMALL_MAX_BYTES, and of a large one beyond.
 */
#define CLASS_SMALL_STEP 16UL
#define CLASS_SMALL_MAX_BYTES KMALLOC_SMALL_BYTES
#define CLASS_LARGE_STEP 64UL
#define CLASS_SMALL_STEPS (CLASS_SMALL_MAX_BYTES / CLASS_SMALL_STEP + 1)
#define CLASS_LARGE_STEPS (CLASS_MAX_BYTES / CLASS_LARGE_STEP + 1)

/* Sizes that differ by less than a step: (i - 1) * step + 1 .. i * step. */
struct class_step {
	/*
	 * Sync: constant once the class is made; NULL, which is always empty, before, and with
	 * profile= for good.
	 */
	struct percpu_array *sheaf __off_mark;
	struct kmem_cache *cache;	/* the class's. Sync: the same, but for profile= */
};
extern struct class_step class_small_steps[CLASS_SMALL_STEPS] __hidden;
extern struct class_step class_large_steps[CLASS_LARGE_STEPS] __hidden;
/*
 * For smaller sizes than these malloc() looks for a sheaf, in steps of either kind. Sync: atomic
 * relaxed; 0 until classes_init(), and with hardened=1, profile= and kfence_sample= for good.
 * Whoever sees that late goes the long way. Nearly every malloc() reads the first one, so it is
 * where that finds its slot.
 */
#define class_small_limit percpu.hot.malloc_small_limit
extern size_t class_large_limit __hidden;

/* kfence_sample= alone: malloc() asks slab_kfence_passes(). Sync: constant after classes_init() */
extern bool classes_are_guarded __hidden;

/* Brings up everything below that classes need. 0 or -1. */
int classes_init(void);

/* Sizes within step_bytes share one. A subscript would be an instruction or two more. */
static __always_inline const struct class_step *class_step_in(const struct class_step *steps,
							      size_t step_bytes, size_t size)
{
	uint32_t offset = ALIGN((uint32_t)size, (uint32_t)step_bytes) /
			  (uint32_t)(step_bytes / sizeof(*steps));

	return (const void *)((const char *)steps + offset);
}

/* Of a size up to CLASS_SMALL_MAX_BYTES. */
static __always_inline const struct class_step *class_step_small(size_t size)
{
	return class_step_in(class_small_steps, CLASS_SMALL_STEP, size);
}

/* Of a larger one, up to CLASS_MAX_BYTES. */
static __always_inline const struct class_step *class_step_large(size_t size)
{
	return class_step_in(class_large_steps, CLASS_LARGE_STEP, size);
}

/* Of any size up to CLASS_MAX_BYTES. */
static __always_inline const struct class_step *class_step_of(size_t size)
{
	return size <= CLASS_SMALL_MAX_BYTES ? class_step_small(size) : class_step_large(size);
}

/*
 * The class of any size up to CLASS_MAX_BYTES; NULL until it is made. With hardened=1,
 * profile= and kfence_sample= classes_init() makes all.
 */
static inline struct kmem_cache *class_of(size_t size)
{
	/* pairs with show(): the cache */
	return atomic_load_acquire(&class_step_of(size)->cache);
}

/*
 * Makes the class, if nobody has, behind classes_init(). NULL if this thread may not wait for
 * slab_caches_lock: it is a signal handler above a holder, and the next call tries again.
 */
struct kmem_cache *class_make(size_t size) slow_path;

/* class_of(), made if need be. */
static inline struct kmem_cache *class_get(size_t size)
{
	struct kmem_cache *cache = class_of(size);

	return likely(cache) ? cache : class_make(size);
}

/* Bytes of the class of any such size but 0. */
static __always_inline size_t class_bytes_of(size_t size)
{
	/* Of 8 in a doubling; up to 128 bytes as between 128 and 256 */
	return ALIGN(size, 1UL << (ilog2((size - 1) | 128) - 3));
}

static inline size_t class_bytes(unsigned int index)
{
	unsigned int power;

	if (index < 8)
		return (index + 1) * 16;
	power = 7 + (index - 8) / 8;
	return (1UL << power) + ((index - 8) % 8 + 1) * (1UL << (power - 3));
}

#endif
