/* SPDX-License-Identifier: MIT */
/*
 * malloc's size classes: 16-byte steps to 128, then 8 classes a doubling up to
 * 32 KiB. From 113 bytes up at most an eighth of an object is unused.
 */
#ifndef MALLOC_CLASSES_H
#define MALLOC_CLASSES_H

#include "slab/slab_fast.h"

#define CLASS_MAX_BYTES (32 * KIB)
#define CLASS_COUNT 72
/*
 * The class of a size is looked up: all classes are multiples of a small step up to
 * CLASS_SMALL_MAX_BYTES, and of a large one beyond.
 */
#define CLASS_SMALL_STEP 16UL
#define CLASS_SMALL_MAX_BYTES SLAB_SMALL_BYTES
#define CLASS_LARGE_STEP 64UL
#define CLASS_SMALL_STEPS (CLASS_SMALL_MAX_BYTES / CLASS_SMALL_STEP + 1)
#define CLASS_LARGE_STEPS (CLASS_MAX_BYTES / CLASS_LARGE_STEP + 1)

/* Sizes that differ by less than a step: (i - 1) * step + 1 .. i * step. */
struct class_step {
	/*
	 * Sync: constant after classes_init(); NULL, which is always empty, before, and with
	 * profile= for good.
	 */
	struct percpu_array *sheaf __off_mark;
	uint8_t index;		/* of the class. Sync: the same */
};
extern struct class_step class_steps[CLASS_SMALL_STEPS + CLASS_LARGE_STEPS] __hidden;
extern struct kmem_cache class_caches[CLASS_COUNT] __hidden;

/* Brings up everything below and the caches of all classes. 0 or -1. */
int classes_init(void);

/* Of any size; NULL if that is more than CLASS_MAX_BYTES. */
static __always_inline const struct class_step *class_step_of(size_t size)
{
	if (likely(size <= CLASS_SMALL_MAX_BYTES))
		return &class_steps[DIV_ROUND_UP(size, CLASS_SMALL_STEP)];
	if (likely(size <= CLASS_MAX_BYTES))
		return &class_steps[CLASS_SMALL_STEPS + DIV_ROUND_UP(size, CLASS_LARGE_STEP)];
	return NULL;
}

/* The class of any size up to CLASS_MAX_BYTES; the caller has called classes_init(). */
static inline struct kmem_cache *class_of(size_t size)
{
	return &class_caches[class_step_of(size)->index];
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
