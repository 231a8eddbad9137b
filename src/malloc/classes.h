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

extern const uint8_t class_table[CLASS_TABLE_MAX_BYTES / 16 + 1];
extern struct kmem_cache class_caches[CLASS_COUNT];
/* Sync: constant after classes_init(); NULL, which is always empty, before. */
extern struct percpu_array *class_sheaves[CLASS_COUNT];

/* Brings up everything below and the caches of all classes. 0 or -1. */
int classes_init(void);

/* The class of any size up to CLASS_MAX_BYTES. */
static inline unsigned int class_of(size_t size)
{
	unsigned int power;

	if (size <= CLASS_TABLE_MAX_BYTES)
		return class_table[(size + 15) / 16];
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
