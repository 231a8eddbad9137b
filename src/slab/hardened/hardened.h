/* SPDX-License-Identifier: MIT */
/*
 * Hardened caches: those of malloc's classes with hardened=1.
 *
 * 1. Purpose. Mistakes that hand memory to an attacker are found at the next call for the same
 *    object. The price is one that a program can pay all the time: no lock, no stack trace. Slab
 *    debugging (debug.h) tells who made the mistake; a cache with its flags is not hardened.
 *
 * 2. How such a cache leaves the fast path. It shows no sheaf, and its start_limit is 0, so
 *    object_starts_at() takes no address for an object. Both fast paths fail, and the slow ones end
 *    here. malloc() does not even look: the limits of the sizes that it serves itself are 0 then
 *    (size_classes.h). Other caches pay nothing.
 *
 * 3. An object, from cache->size bytes, a multiple of 16:
 *
 *			in use				free		in its slab, or deferred
 *	asked		the user's			zero		zero
 *	to size - 8	fence, of one byte's value	zero		zero; last 8 bytes: link
 *	last 8 bytes	seal: fence, and a key		zero		mark
 *
 *    The seal's upper 16 bits encode the length of the fence. The other bits mix that length, the
 *    object's address and a key of the process. The first byte of the seal is never 0, nor is the
 *    fence's: so a text that is one byte too long is found by the 0 at its end. An
 *    overflow meets first the fence and then the seal; a longer one is also found at the next
 *    object. malloc() writes the fence in whole words. The first of these words may
 *    begin with zeros in front of the fence, where the object is zero anyway.
 *
 *	seal is right		in use
 *	zero, or marked		free already, or overwritten with 0
 *	else			overwritten
 *
 *    A mark in all free objects would tell the two cases of the second line apart. Writing and
 *    checking such a mark took a twentieth of the time of malloc() and free()
 *    (docs/notes/hardened.md).
 *
 * 4. The way of a free object: it is checked and cleared by free(); it waits in the quarantine; it
 *    is in sheaf, barn and slab like any other; it is checked to be zero when it is handed out.
 *
 *    The quarantine is an array for each class and CPU, like the sheaf, so a free is one
 *    restartable sequence here, too. When the array is full, the half that was filled first leaves
 *    it in random order, for the sheaf or the slabs. So an object waits for at least as many frees
 *    of its class on that CPU as half an array has places (percpu/generations.h). An object does
 *    not wait if its free finds the array stopped, or is interrupted again and again.
 *
 *    All waiting objects leave at once when a request would find no memory, when memory is trimmed,
 *    and, in a process that has freed much, when no object of the class was freed for a second
 *    (decay.h). An object that is freed meanwhile may leave with them. When the process ends,
 *    waiting objects are checked once more.
 *
 *    In all caches slabs open with their objects in random order, and links are encoded: hardened=1
 *    means slab_freelist_random=on and slab_freelist_hardened=on, too.
 *
 * 5. Failure: a mistake that is found is reported in one line, and the process ends.
 */
#ifndef SLAB_HARDENED_HARDENED_H
#define SLAB_HARDENED_HARDENED_H

#include "slab/freeptr.h"
#include "slab/hardened/hardened_object.h"
#include "slab/random.h"
#include "slab/slab.h"

/* Sets the options that hardened=1 stands for. To be called before any cache is made. */
void slab_hardened_init(void);
/* Makes the quarantine of a cache that is to be hardened. */
void slab_hardened_setup(struct kmem_cache *cache);

/*
 * Allocates an object that is zero up to size; NULL without memory. size + SLAB_SEAL_BYTES must fit
 * into an object.
 */
void *slab_hardened_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
/*
 * Frees the object, or reports a mistake. The arguments have the callers' order, so that none moves
 * to another register.
 */
void slab_hardened_free(void *object, struct kmem_cache *cache, const void *caller,
			const char *function);
/* The bytes that were asked for. Ends the process if this is no object in use. */
size_t slab_hardened_size(struct kmem_cache *cache, void *object, const char *function,
			  const void *caller);
/* From now on the object counts as asked for `size` bytes; false if these do not fit. */
bool slab_hardened_resize(struct kmem_cache *cache, void *object, size_t size);

/*
 * Looks at all objects of the window's first slabs, free or in use, and ends the process if one was
 * written to where nobody may write. No CPU has free objects any more (slab_hardened_sweep()), and
 * no other thread runs.
 */
void slab_hardened_check_slabs(void);

/*
 * The largest cache->quarantine_half. A quarantine is an array of two generations
 * (percpu/generations.h), each of half of its places.
 */
#define QUARANTINE_HALF_MAX SLAB_RANDOM_ORDER_MAX
/*
 * Takes the half that has waited longest into objects[], in random order, as percpu_take_older()
 * says. Returns how many.
 */
unsigned int slab_quarantine_take(struct kmem_cache *cache, void **objects, unsigned int least);
/* The cache's quarantine; NULL if the cache is not hardened. */
static inline struct percpu_array *slab_quarantine(const struct kmem_cache *cache)
{
	return cache->quarantine ? percpu_piece(cache->quarantine) : NULL;
}

/* Objects in the quarantine; approximate. */
unsigned long slab_hardened_waiting(const struct kmem_cache *cache);
/* Objects that got into the quarantine so far; approximate. */
unsigned long slab_hardened_frees(const struct kmem_cache *cache);

/*
 * Clears a long object, and puts it into the quarantine. The object is the first argument, as in
 * free(); also in the next function.
 */
void slab_hardened_free_long(void *object, struct kmem_cache *cache);
/* Makes room in the quarantine, which had none, and puts the object there. */
void slab_hardened_quarantine(void *object, struct kmem_cache *cache);
/* Does not return: reports a free object that was written to. */
void slab_hardened_report_written(const struct kmem_cache *cache, const void *object) slow_path
	__attribute__((__noreturn__));

/* Checks that an object which is about to be handed out is zero. */
static __always_inline void slab_hardened_check_free(const struct kmem_cache *cache,
						     const void *object)
{
	if (unlikely(!slab_hardened_is_clear(object, cache->size)))
		slab_hardened_report_written(cache, object);
}

/*
 * An object of `bytes` bytes from this CPU's sheaf, for a request of `size` bytes; or NULL. The
 * sheaf is cache->hardened_sheaf.
 */
static __always_inline void *slab_hardened_alloc_fast(struct percpu_array *sheaf, size_t bytes,
						      size_t size)
{
	void *object = percpu_pop_fast_at(sheaf);

	if (unlikely(!object))
		return NULL;
	if (unlikely(!slab_hardened_is_clear(object, bytes)))
		slab_hardened_report_written(cache_of(object), object);
	slab_hardened_enclose(object, bytes, size);
	return object;
}

/*
 * Frees an object that is in use and whole. `small` says that the size has a function of its own,
 * and that there are restartable sequences. False, and nothing has happened, if no object starts
 * there, if it is not in use or not whole, or if a small one has a longer fence than malloc()
 * makes, as after memalign() and realloc(). slab_hardened_free() finds out which.
 */
static __always_inline bool slab_hardened_free_whole(struct kmem_cache *cache, void *object,
						     size_t bytes, bool small)
{
	size_t most = bytes - SLAB_SEAL_BYTES;

	if (small)	/* malloc() leaves no more than the step between classes */
		most = min(most, (size_t)(bytes <= 256 ? 16 : 32));
	if (unlikely(!slab_hardened_is_whole_up_to(object, bytes, most)))
		return false;
	if (slab_hardened_is_long(bytes)) {
		slab_hardened_free_long(object, cache);
		return true;
	}
	slab_hardened_clear_short(object, bytes);
	if (small && !percpu.index_field)
		__builtin_unreachable();
	if (unlikely(!percpu_push_fast_at(cache->quarantine, object)))
		slab_hardened_quarantine(object, cache);
	return true;
}

/*
 * The function that is free() for objects of `bytes` bytes: one for that size, or the one for any
 * size. With avx2 it uses AVX2, which the machine must have: see hardened_sizes.h.
 */
slab_free_fn *slab_hardened_free_of(size_t bytes, bool avx2);
slab_free_fn *slab_hardened_free_of_avx2(size_t bytes);
/* slab_hardened_alloc_fast(), with or without AVX2: one function for all sizes. */
slab_hardened_take_fn *slab_hardened_take_of(bool avx2);
slab_hardened_take_fn *slab_hardened_take_of_avx2(void);

/*
 * Checks two words of objects that go into their slabs or are deferred: link and mark will
 * overwrite them, and with them any trace of a write after free. The other words are checked when
 * the object is handed out.
 */
static inline void slab_hardened_check_ends(const struct kmem_cache *cache, void *const *objects,
					    unsigned int n)
{
	while (n--)
		if (unlikely(*slab_link_word(cache, objects[n]) |
			     *object_mark(objects[n], cache->mark_offset)))
			slab_hardened_report_written(cache, objects[n]);
}

/* Clears link and mark of objects that come from their slabs. */
static inline void slab_hardened_clear_ends(const struct kmem_cache *cache, void **objects,
					    unsigned int n)
{
	while (n--) {
		*slab_link_word(cache, objects[n]) = 0;
		*object_mark(objects[n], cache->mark_offset) = 0;
	}
}

/* Clears link and mark of a deferred object, whose link has been followed. */
static inline void slab_hardened_take_back(const struct kmem_cache *cache, void *object)
{
	*slab_link_word(cache, object) = 0;
	*object_mark(object, cache->mark_offset) ^= free_mark(object);
	/* The mark is zero now, unless somebody wrote to it. */
	if (unlikely(*object_mark(object, cache->mark_offset)))
		slab_hardened_report_written(cache, object);
}

#endif
