/* SPDX-License-Identifier: MIT */
/*
 * The bytes of an object of a hardened cache: looked at, cleared, fenced in. hardened.h says
 * what lies where. bytes is cache->size in all of these, a multiple of 16.
 *
 * Every malloc and free does this, so it is made of overlapping accesses in place of loops
 * wherever the object is small: two stores of 16 bytes, one from the start and one from the
 * end, are any length from 16 to 32.
 */
#ifndef SLAB_HARDENED_OBJECT_H
#define SLAB_HARDENED_OBJECT_H

#include <string.h>

#include "slab/marks.h"

/* What an object has behind the bytes that were asked for, at least. */
#define SLAB_SEAL_BYTES 8

/* Constant when the first cache is made. */
struct slab_hardened_keys {
	unsigned long seal;
	unsigned long fence;		/* one byte, eight times */
};
extern struct slab_hardened_keys slab_hardened_keys __hidden;

/* Two words at once. */
typedef unsigned long slab_pair __attribute__((__vector_size__(16), __may_alias__));
typedef slab_pair slab_pair_anywhere __attribute__((__aligned__(1)));

/* The compiler makes one access of each, aligned or not. */
static __always_inline unsigned long slab_get_word(const char *at)
{
	unsigned long word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static __always_inline void slab_put_word(char *at, unsigned long word)
{
	memcpy(at, &word, sizeof(word));
}

/* --- Of a free object ------------------------------------------------------------ */

/* Those in front of the last two words. */
static __always_inline unsigned long slab_hardened_any(const slab_pair *pair,
						       const slab_pair *last)
{
	const slab_pair *end = last - 4;
	size_t nr = (size_t)(last - pair);
	slab_pair any;

	if (nr <= 2) {
		if (!nr)
			return 0;
		any = pair[0] | last[-1];
	} else if (nr <= 4) {
		any = (pair[0] | pair[1]) | (last[-2] | last[-1]);
	} else {
		any = (end[0] | end[1]) | (end[2] | end[3]);
		do {
			any |= (pair[0] | pair[1]) | (pair[2] | pair[3]);
			pair += 4;
		} while (pair < end);
	}
	return any[0] | any[1];
}

/* Does it hold nothing but its mark? */
static __always_inline bool slab_hardened_is_clear(const void *object, size_t bytes)
{
	const char *last = (const char *)object + bytes - sizeof(slab_pair);
	unsigned long any = slab_get_word(last) | (slab_get_word(last + 8) ^ free_mark(object));

	return likely(!(any | slab_hardened_any(object, (const void *)last)));
}

/* Cleared, and marked free. */
static __always_inline void slab_hardened_clear(void *object, size_t bytes)
{
	const slab_pair zero = { 0 };
	slab_pair *pair = object;
	slab_pair *last = (void *)((char *)object + bytes - sizeof(*last));
	size_t nr = (size_t)(last - pair);

	slab_put_word((char *)last, 0);
	slab_put_word((char *)last + 8, free_mark(object));
	if (nr > 4) {
		memset(object, 0, bytes - sizeof(*last));
	} else if (nr > 2) {
		pair[0] = pair[1] = zero;
		last[-2] = last[-1] = zero;
	} else if (nr) {
		pair[0] = last[-1] = zero;
	}
}

/* --- Of an object in use ------------------------------------------------------------ */

/* Size and a number below 2^48 that has size in it, but not in its lowest byte; size on top. */
#define SLAB_SEAL_MIX 0x79b1a700UL
#define SLAB_SEAL_FACTOR ((1UL << 48) + SLAB_SEAL_MIX)
/*
 * The same rotated, so that size is below, is a product with an odd number. Of any word the
 * product with that one's inverse is the size if there is one; else it is hardly ever so small.
 * (1 + a) * (1 - a + a^2) is 1 + a^3, and a^3 has more than 64 zeros below.
 */
#define SLAB_SEAL_INVERSE						\
	(1 - (SLAB_SEAL_MIX << 16) + (SLAB_SEAL_MIX << 16) * (SLAB_SEAL_MIX << 16))
_Static_assert((1 + (SLAB_SEAL_MIX << 16)) * SLAB_SEAL_INVERSE == 1, "it is the inverse");

static __always_inline unsigned long slab_hardened_seal_base(const void *object)
{
	return (unsigned long)object ^ slab_hardened_keys.seal;
}

/* A fence of more than 8 bytes. */
static __always_inline void slab_hardened_put_fence(char *start, char *end)
{
	unsigned long fence = slab_hardened_keys.fence;
	slab_pair_anywhere *last = (void *)(end - sizeof(*last));

	if (end - start < (long)sizeof(*last)) {
		slab_put_word(start, fence);
		slab_put_word(end - 8, fence);
		return;
	}
	for (slab_pair_anywhere *pair = (void *)start; pair < last; pair++)
		*pair = (slab_pair){ fence, fence };
	*last = (slab_pair){ fence, fence };
}

static __always_inline bool slab_hardened_fence_is(const char *start, const char *end)
{
	unsigned long fence = slab_hardened_keys.fence;
	const slab_pair_anywhere *last = (const void *)(end - sizeof(*last));
	const slab_pair whole = { fence, fence };
	slab_pair any;

	if (end - start < (long)sizeof(*last))
		return slab_get_word(start) == fence && slab_get_word(end - 8) == fence;
	any = *last ^ whole;
	for (const slab_pair_anywhere *pair = (const void *)start; pair < last; pair++)
		any |= *pair ^ whole;
	return !(any[0] | any[1]);
}

/* Fence and seal. The first word of a short fence reaches into the seal, which follows. */
static __always_inline void slab_hardened_enclose(char *object, size_t bytes, size_t size)
{
	char *seal = object + bytes - SLAB_SEAL_BYTES, *start = object + size;

	if (seal - start <= 8)
		slab_put_word(start, slab_hardened_keys.fence);
	else
		slab_hardened_put_fence(start, seal);
	slab_put_word(seal, slab_hardened_seal_base(object) ^ size * SLAB_SEAL_FACTOR);
}

/* Of a fence of so many bytes, those in the word that ends with it. */
extern const unsigned long slab_hardened_fence_masks[SLAB_SEAL_BYTES + 1] __hidden;

/* Are seal and fence whole? Then *size is what was asked for. */
static __always_inline bool slab_hardened_is_whole(const char *object, size_t bytes,
						   size_t *size)
{
	const char *seal = object + bytes - SLAB_SEAL_BYTES;
	unsigned long word = slab_get_word(seal) ^ slab_hardened_seal_base(object);
	size_t room;

	*size = (word << 16 | word >> 48) * SLAB_SEAL_INVERSE;
	room = (size_t)(seal - object) - *size;
	if (likely(room <= 8))
		return !((slab_get_word(seal - 8) ^ slab_hardened_keys.fence) &
			 slab_hardened_fence_masks[room]);
	return room < bytes && slab_hardened_fence_is(object + *size, seal);
}

#endif
