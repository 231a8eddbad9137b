/* SPDX-License-Identifier: MIT */
/*
 * Hardened caches: those of malloc's classes with hardened=1.
 *
 * 1. Purpose. Mistakes that hand memory to an attacker are found at the call that follows
 *    them, at a price that a program can pay all the time: no lock, no stack. To find out
 *    who made the mistake there is slab debugging (debug.h), which such a cache gives way to.
 *
 * 2. How such a cache leaves the fast path. It shows no sheaf, and its start_limit is 0, so
 *    no address is an object to object_starts_at(); both fast paths fail, and the slow ones
 *    end here. malloc() does not even look: the limits of the sizes that it serves itself are 0
 *    then (size_classes.h). Other caches pay nothing.
 *
 * 3. An object, from cache->size bytes, a multiple of 16:
 *
 *			in use				free		in its slab, or deferred
 *	asked		the user's			zero		zero
 *	to size - 8	fence, of one byte's value	zero		zero; last 8 bytes: link
 *	last 8 bytes	seal: fence, and a key		zero		mark
 *
 *    The seal's upper 16 bits are the length of the fence, the others that, the address and a
 *    key of the process's together. Its first byte and the fence's are
 *    never 0, so the 0 behind a text that is one too long is found. Whoever runs over the
 *    end of an object meets the fence, then the seal, before anything else; what runs on is
 *    found at the next object as well. malloc() writes whole words, of which the first may have
 *    zeros in front of the fence, where the object is zero anyway.
 *
 *	seal is right		in use
 *	zero, or marked		free already, or overwritten with 0
 *	else			overwritten
 *
 *    A mark in all free objects would tell these two apart. It would be written and looked at in
 *    each pair of calls, and took a twentieth of one's time (docs/notes/hardened.md).
 *
 * 4. The way of a free object: checked and cleared when it is freed; in the quarantine; in
 *    the sheaf, barn and slab like any other; checked to be zero when it is handed out.
 *
 *    The quarantine is an array for each class and CPU, like the sheaf, so that a free is one
 *    restartable sequence as well. When it is full the half that was filled first leaves it, in a
 *    random order, for the sheaf or the slabs. So an object waits for at least as many frees of
 *    its class on that CPU as half an array has places (percpu/generations.h); but one that finds
 *    the array stopped, or is interrupted again and again, does not wait. All leave at once
 *    where memory would be refused that they may make room for, when memory is trimmed, and, in
 *    a process that has freed much, when none of the class was freed for a second (release.c);
 *    then also what is freed while they leave. When the process ends those that wait are looked
 *    at once more.
 *
 *    Slabs open with their objects in a random order, and links are encoded, in all caches:
 *    hardened=1 means slab_freelist_random=on and slab_freelist_hardened=on as well.
 *
 * 5. Failure: what is found is told in one line, and the process ends.
 */
#ifndef SLAB_HARDENED_HARDENED_H
#define SLAB_HARDENED_HARDENED_H

#include "slab/freeptr.h"
#include "slab/hardened/hardened_object.h"
#include "slab/random.h"
#include "slab/slab.h"

/* Sets the options that hardened=1 stands for. Before any cache is made. */
void slab_hardened_init(void);
/* The quarantine of a cache that is to be hardened. */
void slab_hardened_setup(struct kmem_cache *cache);

/* size and SLAB_SEAL_BYTES fit into the object. It is zero; NULL without memory. */
void *slab_hardened_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
/* The order is that of the functions that call it: nothing has to move for it there. */
void slab_hardened_free(void *object, struct kmem_cache *cache, const void *caller,
			const char *function);
/* The bytes that were asked for; what is no object in use ends the process. */
size_t slab_hardened_size(struct kmem_cache *cache, void *object, const char *function,
			  const void *caller);
/* So many are from now on, if they fit. */
bool slab_hardened_resize(struct kmem_cache *cache, void *object, size_t size);

/*
 * At most. It is an array by halves (percpu/generations.h) of twice cache->quarantine_half
 * objects.
 */
#define QUARANTINE_HALF_MAX SLAB_RANDOM_ORDER_MAX
/*
 * The half that has waited longest, in a random order, as percpu_take_older() does: objects[] has
 * room for it. How many these are.
 */
unsigned int slab_quarantine_take(struct kmem_cache *cache, void **objects, unsigned int least);
/* NULL if it is not hardened. */
static inline struct percpu_array *slab_quarantine(const struct kmem_cache *cache)
{
	return cache->quarantine ? percpu_piece(cache->quarantine) : NULL;
}

/*
 * Looks at the objects that wait, on this CPU and, up to a number, on others and in barns, and
 * gives them back to their slabs: for the end of the process, since nobody looks at them later. At
 * those that are in their slabs by then it does not look.
 */
void slab_hardened_sweep(void);

/* Objects in the quarantine; approximate. */
unsigned long slab_hardened_waiting(const struct kmem_cache *cache);
/* Objects that got into the quarantine so far; approximate. */
unsigned long slab_hardened_frees(const struct kmem_cache *cache);

/*
 * The object is first in these two, where free() has it. A long one is cleared and put into the
 * quarantine:
 */
void slab_hardened_free_long(void *object, struct kmem_cache *cache);
/* The quarantine had no room for this one. */
void slab_hardened_quarantine(void *object, struct kmem_cache *cache);
/* Does not return. */
void slab_hardened_report_written(const struct kmem_cache *cache, const void *object) slow_path
	__attribute__((__noreturn__));

/* An object that is about to be handed out holds nothing. */
static __always_inline void slab_hardened_check_free(const struct kmem_cache *cache,
						     const void *object)
{
	if (unlikely(!slab_hardened_is_clear(object, cache->size)))
		slab_hardened_report_written(cache, object);
}

/*
 * An object of so many bytes from the CPU's sheaf, which is cache->hardened_sheaf, for a request of
 * size bytes; or NULL.
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
 * small: of a size that has functions of its own, where there are restartable sequences. False:
 * nothing has happened, since no object starts there, or it is not in use, or not whole, or small
 * and its fence longer than malloc() makes them: slab_hardened_free() tells which.
 */
static __always_inline bool slab_hardened_free_whole(struct kmem_cache *cache, void *object,
						     size_t bytes, bool small)
{
	size_t most = bytes - SLAB_SEAL_BYTES;

	if (small)	/* What classes differ by: memalign() and realloc() may leave more. */
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
 * free() of objects of so many bytes, or of any size; with these instructions, which the machine
 * has to have, if avx2 is set: see hardened_sizes.h.
 */
slab_free_fn *slab_hardened_free_of(size_t bytes, bool avx2);
slab_free_fn *slab_hardened_free_of_avx2(size_t bytes);
/* slab_hardened_alloc_fast(), in the same way. */
slab_hardened_take_fn *slab_hardened_take_of(bool avx2);
slab_hardened_take_fn *slab_hardened_take_of_avx2(void);

/*
 * Objects on their way into slabs, or to be deferred, where link and mark are written: what was
 * written over these two words would be forgotten. All others are looked at when the object is
 * handed out.
 */
static inline void slab_hardened_check_ends(const struct kmem_cache *cache, void *const *objects,
					    unsigned int n)
{
	while (n--)
		if (unlikely(*slab_link_word(cache, objects[n]) |
			     *object_mark(objects[n], cache->mark_offset)))
			slab_hardened_report_written(cache, objects[n]);
}

/* Objects that come from their slabs have links and marks. */
static inline void slab_hardened_clear_ends(const struct kmem_cache *cache, void **objects,
					    unsigned int n)
{
	while (n--) {
		*slab_link_word(cache, objects[n]) = 0;
		*object_mark(objects[n], cache->mark_offset) = 0;
	}
}

/* One that was deferred, whose link has been followed. */
static inline void slab_hardened_take_back(const struct kmem_cache *cache, void *object)
{
	*slab_link_word(cache, object) = 0;
	*object_mark(object, cache->mark_offset) ^= free_mark(object);
	/* So it is zero again, but for what was written to it. */
	if (unlikely(*object_mark(object, cache->mark_offset)))
		slab_hardened_report_written(cache, object);
}

#endif
