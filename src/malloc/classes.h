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
/* Classes up to this size are looked up in a table. */
#define CLASS_TABLE_MAX_BYTES 1024UL
#define CLASS_STEP_BYTES 16UL

/* Sizes that differ by less than a step: (i - 1) * 16 + 1 .. i * 16. */
struct class_step {
	/* Sync: constant after classes_init(); NULL, which is always empty, before. */
	struct percpu_array *sheaf __off_mark;
	uint8_t index;		/* of the class */
};
extern struct class_step class_steps[CLASS_TABLE_MAX_BYTES / CLASS_STEP_BYTES + 1] __hidden;
extern struct kmem_cache class_caches[CLASS_COUNT] __hidden;

/* Brings up everything below and the caches of all classes. 0 or -1. */
int classes_init(void);

/* The step of a size up to CLASS_TABLE_MAX_BYTES. */
static __always_inline const struct class_step *class_step_of(size_t size)
{
	return &class_steps[(size + CLASS_STEP_BYTES - 1) / CLASS_STEP_BYTES];
}

/* The class of any size up to CLASS_MAX_BYTES. */
static inline unsigned int class_of(size_t size)
{
	unsigned int power;

	if (size <= CLASS_TABLE_MAX_BYTES)
		return class_step_of(size)->index;
	power = ilog2(size - 1);	/* 2^power < size <= 2^(power + 1) */
	return 8 + (power - 7) * 8 +
	       (unsigned int)((size - 1 - (1UL << power)) >> (power - 3));
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
