/* SPDX-License-Identifier: MIT */
/*
 * The bytes of an object of a hardened cache: how they are checked, cleared, fenced in. hardened.h
 * says what lies where. In all of these functions `bytes` is cache->size, a multiple of 16.
 *
 * Every malloc() and free() does this work. Small sizes are constants for the compiler
 * (hardened_sizes.h), which leaves short loops of these functions, or none.
 */
#ifndef SLAB_HARDENED_HARDENED_OBJECT_H
#define SLAB_HARDENED_HARDENED_OBJECT_H

#include <string.h>

#include "base/word_pair.h"
#include "slab/free_mark.h"

/* The size of the seal at an object's end. */
#define SLAB_SEAL_BYTES 8

/* Sync: constant, once the first cache is made. */
struct slab_hardened_keys {
	unsigned long seal;
	unsigned long fence;		/* one byte, eight times */
	/* For a fence of 0 to 8 bytes: its word, and the seal of an object at the address 0 */
	unsigned long fences[SLAB_SEAL_BYTES + 1], seals[SLAB_SEAL_BYTES + 1];
};
extern struct slab_hardened_keys slab_hardened_keys __hidden;

/* seal is odd. fence is the byte that fences are made of, and not 0. */
void slab_hardened_set_keys(unsigned long seal, unsigned char fence);

/* Load and store a word at any address, aligned or not. */
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

/* Is any bit set? */
static __always_inline unsigned long slab_pair_bits(word_pair pair)
{
#ifdef __SSE2__
	typedef short eight __attribute__((__vector_size__(16)));

	/* Packing saturates, and a saturated number is not 0 either. */
	return ((word_pair)__builtin_ia32_packsswb128((eight)pair, (eight)pair))[0];
#else
	return pair[0] | pair[1];
#endif
}

/* The sizes that have functions of their own: hardened_sizes.h. */
#define SLAB_HARDENED_SIZES(X) \
	X(16) X(32) X(48) X(64) X(80) X(96) X(112) X(128) X(144) X(160) X(176) X(192) X(208) \
	X(224) X(240) X(256) X(288) X(320)

/* Objects of more pairs of words than that are long: libc clears them. */
#define SLAB_HARDENED_PAIRS_MAX 36

/* --- A free object --------------------------------------------------------------- */

/*
 * Free objects are checked and cleared by accesses as wide as the compiler may make them. With AVX2
 * (hardened_sizes_avx2.c) these are half as many, and a store of either width takes one cycle.
 */
#ifdef __AVX2__
typedef long long slab_wide __attribute__((__vector_size__(32), __may_alias__, __aligned__(16)));

static __always_inline bool slab_wide_is_clear(slab_wide any)
{
	return __builtin_ia32_ptestz256(any, any);
}
#else
typedef word_pair slab_wide;

static __always_inline bool slab_wide_is_clear(slab_wide any)
{
	return !slab_pair_bits(any);
}
#endif

/* Is the object zero, as it should be? The last access may overlap the one before. */
static __always_inline bool slab_hardened_is_clear(const void *object, size_t bytes)
{
	const slab_wide *wide = object;
	const slab_wide *last = (const void *)((const char *)object + bytes - sizeof(*last));
	slab_wide any;

	if (bytes < sizeof(any))
		return likely(!slab_pair_bits(*(const word_pair *)object));
	any = *last;
	/* Two loads a round, since each round waits for the one before. */
#pragma GCC unroll 4
	for (; wide < last - 1; wide += 2)
		any |= wide[0] | wide[1];
	if (wide < last)
		any |= *wide;
	return likely(slab_wide_is_clear(any));
}

static __always_inline bool slab_hardened_is_long(size_t bytes)
{
	return unlikely(bytes > SLAB_HARDENED_PAIRS_MAX * sizeof(word_pair));
}

/*
 * Clears an object that is not long. The last store is only as wide as the rest: an overlapping one
 * could cross a cache line, which takes twice as long.
 */
static __always_inline void slab_hardened_clear_short(void *object, size_t bytes)
{
	slab_wide zero = { 0 }, *wide = object;
	const slab_wide *end = wide + bytes / sizeof(zero);

#pragma GCC unroll 10
	for (; wide < end; wide++) {
		*wide = zero;
		__asm__("" : : : "memory");	/* else the compiler makes a string operation */
	}
	if (bytes % sizeof(zero))
		*(word_pair *)wide = (word_pair){ 0 };
}

/* --- An object in use --------------------------------------------------------------- */

/*
 * The seal names the room: the bytes between those that were asked for and the seal. It is the
 * product room * FACTOR, XORed with the address and a key. FACTOR is 2^48 + MIX.
 *
 * - The upper 16 bits of the product are the room.
 * - MIX is even, so bit 0 of the product is 0.
 * - FACTOR / 2 is odd, so it has an inverse modulo 2^64. Multiplied by that inverse, the product
 *   becomes twice the room. Any other word hardly ever becomes so small a number, and hardly ever
 *   an even one.
 */
#define SLAB_SEAL_MIX 0x79b1a716UL
#define SLAB_SEAL_FACTOR ((1UL << 48) + SLAB_SEAL_MIX)
#define SLAB_SEAL_HALF_INVERSE 0x7ab4c57f7523bc23UL
_Static_assert(SLAB_SEAL_FACTOR / 2 * SLAB_SEAL_HALF_INVERSE == 1, "it is the inverse");

static __always_inline unsigned long slab_hardened_seal_base(const void *object)
{
	return (unsigned long)object ^ slab_hardened_keys.seal;
}

/* The seal of an object with `room` bytes of fence. */
static __always_inline unsigned long slab_hardened_seal_of(const void *object, size_t room)
{
	return slab_hardened_seal_base(object) ^ room * SLAB_SEAL_FACTOR;
}

/* The number of 0 bits at the word's end in memory. */
static __always_inline size_t slab_zeros_at_end(unsigned long word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return word ? (size_t)__builtin_ctzl(word) : 64;
#elif defined(__LZCNT__)
	return __builtin_ia32_lzcnt_u64(word);
#else
	return word ? (size_t)__builtin_clzl(word) : 64;
#endif
}

/*
 * Writes a fence from its end at the seal: pairs of words, then single words. Fences are checked by
 * the same words, since a load of bytes from two stores would wait until both are in the cache. The
 * fence may begin in the middle of its first word, whose other bytes are zero.
 */
static __always_inline void slab_hardened_put_long_fence(char *seal, size_t room)
{
	unsigned long fence = slab_hardened_keys.fence;

	for (; unlikely(room > 16); room -= 16)
		*(word_pair_anywhere *)(seal -= 16) = (word_pair){ fence, fence };
	if (room > 8) {
		slab_put_word(seal -= 8, fence);
		room -= 8;
	}
	slab_put_word(seal - 8, slab_hardened_keys.fences[room]);
}

/* `twice` is twice the bytes of the fence, which has at most 8. */
static __always_inline bool slab_hardened_short_fence_is_whole(const char *seal, size_t twice)
{
	return slab_zeros_at_end(slab_get_word(seal - 8) ^ slab_hardened_keys.fence) >= 4 * twice;
}

static __always_inline bool slab_hardened_long_fence_is_whole(const char *seal, size_t twice)
{
	unsigned long fence = slab_hardened_keys.fence;
	word_pair wrong = { 0 };

	if (twice & 1)
		return false;
	for (; unlikely(twice > 2 * 16); twice -= 2 * 16)
		wrong |= *(const word_pair_anywhere *)(seal -= 16) ^ (word_pair){ fence, fence };
	if (slab_pair_bits(wrong))
		return false;
	if (twice <= 2 * 8)
		return slab_hardened_short_fence_is_whole(seal, twice);
	return slab_get_word(seal - 8) == fence &&
	       slab_hardened_short_fence_is_whole(seal - 8, twice - 2 * 8);
}

/* Writes fence and seal of an object that is zero. */
static __always_inline void slab_hardened_enclose(char *object, size_t bytes, size_t size)
{
	size_t room = bytes - SLAB_SEAL_BYTES - size;
	char *seal = object + bytes - SLAB_SEAL_BYTES;

	if (likely(room <= 8)) {
		slab_put_word(seal - 8, slab_hardened_keys.fences[room]);
		slab_put_word(seal, (unsigned long)object ^ slab_hardened_keys.seals[room]);
		return;
	}
	slab_hardened_put_long_fence(seal, room);
	slab_put_word(seal, slab_hardened_seal_of(object, room));
}

/* Writes fence and seal of an object that holds `size` bytes of its user's. */
static inline void slab_hardened_enclose_used(char *object, size_t bytes, size_t size)
{
	size_t room = bytes - SLAB_SEAL_BYTES - size;

	memset(object + size, (int)slab_hardened_keys.fence, room);
	slab_put_word(object + size + room, slab_hardened_seal_of(object, room));
}

/* Are seal and fence whole? False, too, if the fence has more than `most` bytes. */
static __always_inline bool slab_hardened_is_whole_up_to(const char *object, size_t bytes,
							 size_t most)
{
	const char *seal = object + bytes - SLAB_SEAL_BYTES;
	unsigned long word = slab_get_word(seal) ^ slab_hardened_seal_base(object);
	size_t twice = word * SLAB_SEAL_HALF_INVERSE;

	__asm__("" : "+r"(twice));	/* else the compiler multiplies once more below */
	if (likely(twice <= 2 * 8))
		return slab_hardened_short_fence_is_whole(seal, twice);
	return twice <= 2 * most && slab_hardened_long_fence_is_whole(seal, twice);
}

static __always_inline bool slab_hardened_is_whole(const char *object, size_t bytes)
{
	return slab_hardened_is_whole_up_to(object, bytes, bytes - SLAB_SEAL_BYTES);
}

/* The bytes that the object was asked for. The object must be whole. */
static inline size_t slab_hardened_asked(const char *object, size_t bytes)
{
	unsigned long seal = slab_get_word(object + bytes - SLAB_SEAL_BYTES);

	return bytes - SLAB_SEAL_BYTES - ((seal ^ slab_hardened_seal_base(object)) >> 48);
}

#endif
