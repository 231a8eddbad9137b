/* SPDX-License-Identifier: MIT */
/*
 * malloc's size classes: steps of 16 bytes up to 128, then 8 classes for each doubling up to
 * 32 KiB. From 113 bytes on, at most an eighth of an object is unused.
 *
 * A class gets its cache at its first allocation. Most processes are short and use a few classes;
 * all 72 would cost each process 18 pages. Until then the class's entries in the tables below are
 * NULL, as before the first malloc(), so the fast paths need no further check.
 */
#ifndef MALLOC_SIZE_CLASSES_H
#define MALLOC_SIZE_CLASSES_H

#include "slab/slab_fast.h"

/* The alignment of all blocks, as in glibc. */
#define MIN_ALIGN 16
#define CLASS_MAX_BYTES (32 * KIB)
#define CLASS_COUNT 72
/*
 * Two tables give the class of a size: one with an entry for each 16 bytes up to
 * CLASS_SMALL_MAX_BYTES, one with an entry for each 64 bytes beyond. All classes are multiples of
 * their table's step.
 */
#define CLASS_SMALL_STEP 16UL
#define CLASS_SMALL_MAX_BYTES KMALLOC_SMALL_BYTES
#define CLASS_LARGE_STEP 64UL
#define CLASS_SMALL_STEPS (CLASS_SMALL_MAX_BYTES / CLASS_SMALL_STEP + 1)
#define CLASS_LARGE_STEPS (CLASS_MAX_BYTES / CLASS_LARGE_STEP + 1)

/* Entry i of a table: the class of the sizes (i - 1) * step + 1 to i * step. */
struct class_step {
	/*
	 * Sync: atomic. NULL until the class is made. With profile= NULL until
	 * profile_switch(), and with kfence_sample= always; a NULL sheaf is always empty.
	 */
	struct percpu_array *sheaf __off_mark;
	struct kmem_cache *cache;	/* Sync: constant once the class is made, NULL before */
};
extern struct class_step class_small_steps[CLASS_SMALL_STEPS] __hidden;
extern struct class_step class_large_steps[CLASS_LARGE_STEPS] __hidden;
/*
 * malloc() looks for a sheaf in the small table below the first limit, in the large table below the
 * second. Sync: atomic relaxed; 0 until classes_init(), while samples are taken (profile.h), and
 * always with hardened=1, with kfence_sample= and without restartable sequences. A thread that sees
 * the new value late takes the slow path meanwhile, or is not sampled. Nearly every malloc() reads
 * the first limit, so this limit lies in the cache line of the percpu variables that malloc() reads
 * anyway (percpu/percpu.h).
 */
#define class_small_limit percpu.hot.malloc_small_limit
extern size_t class_large_limit __hidden;

/*
 * Does malloc() count down to guarded objects (kfence_sample= without hardened=1 and profile=)?
 * Sync: constant after classes_init()
 */
extern bool classes_are_guarded __hidden;

/* Brings up the library: the layers below, and the classes. 0, or -1 if that fails. */
int classes_init(void);

/* Makes all classes that do not exist yet; false without memory. Call classes_init() first. */
bool classes_make_all(void);
/*
 * Shows the classes' sheaves to malloc(), or hides them, at run time: for profile_switch(). A
 * thread that sees the change late takes the other path meanwhile, which works as well. With
 * hardened=1 nothing is ever shown.
 */
void classes_show_sheaves(bool shown);
/*
 * Sets both limits, which decide whether malloc()'s fast path serves anything. The fast path does
 * not test whether there are restartable sequences. So without them the limits stay 0. The caller
 * holds slab_caches_lock, or is the only thread.
 */
void classes_set_limits(bool shown);

/* The table's entry for a size. A subscript would take an instruction or two more. */
static __always_inline const struct class_step *class_step_in(const struct class_step *steps,
							      size_t step_bytes, size_t size)
{
	uint32_t offset = ALIGN((uint32_t)size, (uint32_t)step_bytes) /
			  (uint32_t)(step_bytes / sizeof(*steps));

	return (const void *)((const char *)steps + offset);
}

/* For a size up to CLASS_SMALL_MAX_BYTES. */
static __always_inline const struct class_step *class_step_small(size_t size)
{
	return class_step_in(class_small_steps, CLASS_SMALL_STEP, size);
}

/* For a larger size, up to CLASS_MAX_BYTES. */
static __always_inline const struct class_step *class_step_large(size_t size)
{
	return class_step_in(class_large_steps, CLASS_LARGE_STEP, size);
}

/* For any size up to CLASS_MAX_BYTES. */
static __always_inline const struct class_step *class_step_of(size_t size)
{
	return size <= CLASS_SMALL_MAX_BYTES ? class_step_small(size) : class_step_large(size);
}

/*
 * The cache of the class of a size up to CLASS_MAX_BYTES; NULL until the class is made. With
 * hardened=1, profile= and kfence_sample= classes_init() makes all classes.
 */
static inline struct kmem_cache *class_of(size_t size)
{
	/* pairs with show(): the cache */
	return atomic_load_acquire(&class_step_of(size)->cache);
}

/*
 * Makes the class unless it exists. Call classes_init() first. NULL in a signal handler above a
 * holder of slab_caches_lock, which must not wait for the lock; a later call tries again.
 */
struct kmem_cache *class_make(size_t size) slow_path;

/* Like class_of(), but makes the class if it does not exist yet. */
static inline struct kmem_cache *class_get(size_t size)
{
	struct kmem_cache *cache = class_of(size);

	return likely(cache) ? cache : class_make(size);
}

/* The bytes of an object of the class of a size from 1 to CLASS_MAX_BYTES. */
static __always_inline size_t class_bytes_of(size_t size)
{
	/* 8 classes for each doubling; up to 128 bytes the step is 16, as from 128 to 256 */
	return ALIGN(size, 1UL << (ilog2((size - 1) | 128) - 3));
}

/* The bytes of an object of class number index. */
static inline size_t class_bytes(unsigned int index)
{
	unsigned int power;

	if (index < 8)
		return (index + 1) * 16;
	power = 7 + (index - 8) / 8;
	return (1UL << power) + ((index - 8) % 8 + 1) * (1UL << (power - 3));
}

/* The inverse of class_bytes(): the number of the smallest class that has room for size. */
static inline unsigned int class_index(size_t size)
{
	unsigned int power;

	if (size <= 128)
		return (unsigned int)(size - !!size) / 16;
	power = 63 - (unsigned int)__builtin_clzl(size - 1);
	return (power - 7) * 8 + (unsigned int)((size - 1) >> (power - 3));
}

/*
 * The alignment of a class's objects: the largest that divides their size. aligned_alloc() relies
 * on it, also where objects have red zones.
 */
static inline unsigned int class_align(size_t bytes)
{
	return (unsigned int)min(bytes & -bytes, PAGE_SIZE);
}

#endif
