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
 *    end here. Other caches pay nothing.
 *
 * 3. An object, from cache->size bytes, a multiple of 16:
 *
 *			in use				free
 *	asked		the user's			zero
 *	to size - 8	fence, of one byte's value	zero; the last 8 bytes: the link,
 *							while it is in its slab
 *	last 8 bytes	seal: asked, and a key		mark
 *
 *    The seal's upper 16 bits are the bytes that were asked for, the others a key of the
 *    process's, the address and these bytes together. Its first byte and the fence's are
 *    never 0, so the 0 behind a text that is one too long is found. Whoever runs over the
 *    end of an object meets the fence, then the seal, before anything else; what runs on is
 *    found at the next object as well.
 *
 *	seal is right	in use
 *	mark is right	free already
 *	neither		overwritten
 *
 * 4. The way of a free object: checked and cleared when it is freed; in the quarantine; in
 *    the sheaf, barn and slab like any other; checked to be zero when it is handed out.
 *
 *    The quarantine is an array for each class and CPU, like the sheaf, so that a free is one
 *    restartable sequence as well. When it is full its older half leaves it, in a random order,
 *    for the sheaf or the slabs. So an object waits for at least as many frees of its class on
 *    that CPU as half an array holds: that is QUARANTINE_BYTES, within limits.
 *
 *    Slabs open with their objects in a random order, and links are encoded, in all caches:
 *    hardened=1 means slab_freelist_random=on and slab_freelist_hardened=on as well.
 *
 * 5. Failure: what is found is told in one line, and the process ends.
 */
#ifndef SLAB_HARDENED_H
#define SLAB_HARDENED_H

#include <string.h>

#include "slab/link.h"
#include "slab/slab.h"

/* What an object has behind the bytes that were asked for, at least. */
#define SLAB_SEAL_BYTES 8

/* Sets the options that hardened=1 stands for. Before any cache is made. */
void slab_hardened_init(void);
/* The quarantine of a cache that is to be hardened. */
void slab_hardened_setup(struct kmem_cache *cache);

/* size and SLAB_SEAL_BYTES fit into the object. It is zero; NULL without memory. */
void *slab_hardened_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
void slab_hardened_free(struct kmem_cache *cache, void *object, const char *function,
			const void *caller);
/* The bytes that were asked for; what is no object in use ends the process. */
size_t slab_hardened_size(struct kmem_cache *cache, void *object, const char *function,
			  const void *caller);
/* So many are from now on, if they fit. */
bool slab_hardened_resize(struct kmem_cache *cache, void *object, size_t size);

/* Objects in the quarantine; approximate. */
unsigned long slab_hardened_waiting(const struct kmem_cache *cache);

/* Does not return. */
void slab_hardened_report_written(const struct kmem_cache *cache, const void *object) slow_path
	__attribute__((__noreturn__));

/* Two words at once. */
typedef unsigned long slab_pair __attribute__((__vector_size__(16), __may_alias__));

/* An object that is about to be handed out holds nothing but its mark. */
static __always_inline void slab_hardened_check_free(const struct kmem_cache *cache,
						     void *object)
{
	const slab_pair *pair = object;
	const slab_pair *last = (const void *)((char *)object + cache->size - sizeof(*last));
	slab_pair any = *last ^ (slab_pair){ 0, free_mark(object) };

#pragma GCC unroll 4
	while (pair < last)
		any |= *pair++;
	if (unlikely(any[0] | any[1]))
		slab_hardened_report_written(cache, object);
}

/* Cleared, and marked free. */
static __always_inline void slab_hardened_clear(const struct kmem_cache *cache, void *object)
{
	slab_pair *pair = object;
	slab_pair *last = (void *)((char *)object + cache->size - sizeof(*last));

	*last = (slab_pair){ 0, free_mark(object) };
#pragma GCC unroll 4
	while (pair < last)
		*pair++ = (slab_pair){ 0 };
}

static __always_inline unsigned long *slab_hardened_seal(const struct kmem_cache *cache,
							 const void *object)
{
	return (unsigned long *)((char *)object + cache->size - SLAB_SEAL_BYTES);
}

/* Constant when the first cache is made. */
struct slab_hardened_keys {
	unsigned long seal;
	unsigned long fence;		/* one byte, eight times */
};
extern struct slab_hardened_keys slab_hardened_keys __hidden;

/* size << 48, and a number below 2^48 that has size in it, but not in its lowest byte */
#define SLAB_SEAL_FACTOR ((1UL << 48) + 0x79b1a700UL)

static __always_inline unsigned long slab_hardened_seal_base(const void *object)
{
	return (unsigned long)object ^ slab_hardened_keys.seal;
}

/* The compiler makes one access of it, aligned or not. */
static __always_inline void slab_put_word(char *at, unsigned long word)
{
	memcpy(at, &word, sizeof(word));
}

/* Fence and seal. Both ends of the fence may be the same word, or reach into the seal. */
static __always_inline void slab_hardened_enclose(const struct kmem_cache *cache, char *object,
						  size_t size)
{
	char *seal = (char *)slab_hardened_seal(cache, object), *start = object + size;
	unsigned long fence = slab_hardened_keys.fence;

	slab_put_word(start, fence);
	if (seal - start > 8) {
		slab_put_word(seal - 8, fence);
		if (unlikely(seal - start > 16))
			memset(start, (int)(fence & 0xff), (size_t)(seal - start));
	}
	slab_put_word(seal, slab_hardened_seal_base(object) ^ size * SLAB_SEAL_FACTOR);
}

/* See slab_hardened_alloc(): NULL if there is nothing at hand. */
static __always_inline void *slab_hardened_alloc_fast(struct kmem_cache *cache, size_t size)
{
	void *object = percpu_pop_fast(cache->hardened_sheaf);

	if (unlikely(!object))
		return NULL;
	slab_hardened_check_free(cache, object);
	slab_hardened_enclose(cache, object, size);
	return object;
}

/* Objects that come from their slabs have links. */
static inline void slab_hardened_unlink(const struct kmem_cache *cache, void **objects,
					unsigned int n)
{
	while (n--)
		*slab_link_word(cache, objects[n]) = 0;
}

#endif
