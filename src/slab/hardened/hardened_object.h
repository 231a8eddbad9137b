/* SPDX-License-Identifier: MIT */
/*
 * The bytes of an object of a hardened cache: looked at, cleared, fenced in. hardened.h says
 * what lies where. bytes is cache->size in all of these, a multiple of 16.
 *
 * Every malloc and free does this, so where the size is known, as that of small objects is
 * (hardened_sizes.h), the loops here are none, or short.
 */
#ifndef SLAB_HARDENED_HARDENED_OBJECT_H
#define SLAB_HARDENED_HARDENED_OBJECT_H

#include <string.h>

#include "base/word_pair.h"
#include "slab/free_mark.h"

/* What an object has behind the bytes that were asked for, at least. */
#define SLAB_SEAL_BYTES 8

/* Constant when the first cache is made. */
struct slab_hardened_keys {
	unsigned long seal;
	unsigned long fence;		/* one byte, eight times */
	/* For each fence of up to a word: that word, and the seal of an object at address 0 */
	unsigned long fences[SLAB_SEAL_BYTES + 1], seals[SLAB_SEAL_BYTES + 1];
};
extern struct slab_hardened_keys slab_hardened_keys __hidden;

/* The seal is odd; of the fence the byte, which is not 0. */
void slab_hardened_set_keys(unsigned long seal, unsigned char fence);

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

/* Is any bit set? */
static __always_inline unsigned long slab_pair_bits(word_pair pair)
{
#ifdef __SSE2__
	typedef short eight __attribute__((__vector_size__(16)));

	/* What saturates is not 0 either. */
	return ((word_pair)__builtin_ia32_packsswb128((eight)pair, (eight)pair))[0];
#else
	return pair[0] | pair[1];
#endif
}

/* The sizes of objects that have functions of their own. */
#define SLAB_HARDENED_SIZES(X) \
	X(16) X(32) X(48) X(64) X(80) X(96) X(112) X(128) X(144) X(160) X(176) X(192) X(208) \
	X(224) X(240) X(256) X(288) X(320)

/* Objects with more pairs than that are long: cleared by libc. */
#define SLAB_HARDENED_PAIRS_MAX 36

/* --- Of a free object ------------------------------------------------------------ */

/*
 * Looked at, and cleared, by accesses as wide as the compiler is told that the machine has them
 * (hardened_sizes_avx2.c): half of the loads and stores, and a store of either is one cycle's.
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

/* Is it zero, as it should be? The last access may overlap the one before. */
static __always_inline bool slab_hardened_is_clear(const void *object, size_t bytes)
{
	const slab_wide *wide = object;
	const slab_wide *last = (const void *)((const char *)object + bytes - sizeof(*last));
	slab_wide any;

	if (bytes < sizeof(any))
		return likely(!slab_pair_bits(*(const word_pair *)object));
	any = *last;
	/* Two at a time, since each turn waits for the one before. */
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
 * Clears an object that is not long. The last store is no longer than it has to be, since one that
 * crosses a line takes twice as long.
 */
static __always_inline void slab_hardened_clear_short(void *object, size_t bytes)
{
	slab_wide zero = { 0 }, *wide = object;
	const slab_wide *end = wide + bytes / sizeof(zero);

#pragma GCC unroll 10
	for (; wide < end; wide++) {
		*wide = zero;
		__asm__("" : : : "memory");	/* or it becomes a string operation */
	}
	if (bytes % sizeof(zero))
		*(word_pair *)wide = (word_pair){ 0 };
}

/* --- Of an object in use ------------------------------------------------------------ */

/*
 * The seal names the room between the bytes that were asked for and itself: as the product
 * with a number that has 1 on top, so that the room can be read in the seal's upper 16 bits,
 * and a mix below. The mix is even, so bit 0 of the product is 0; half of the number is odd,
 * so of any word the product with that half's inverse is twice the room if there is one; else
 * it is hardly ever so small, and hardly ever even.
 */
#define SLAB_SEAL_MIX 0x79b1a716UL
#define SLAB_SEAL_FACTOR ((1UL << 48) + SLAB_SEAL_MIX)
#define SLAB_SEAL_HALF_INVERSE 0x7ab4c57f7523bc23UL
_Static_assert(SLAB_SEAL_FACTOR / 2 * SLAB_SEAL_HALF_INVERSE == 1, "it is the inverse");

static __always_inline unsigned long slab_hardened_seal_base(const void *object)
{
	return (unsigned long)object ^ slab_hardened_keys.seal;
}

/* In front of it are so many bytes of fence. */
static __always_inline unsigned long slab_hardened_seal_of(const void *object, size_t room)
{
	return slab_hardened_seal_base(object) ^ room * SLAB_SEAL_FACTOR;
}

/* Bits that are 0 from the word's end in memory on, up to the first that is not. */
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
 * A fence is written and looked at by words that end with the seal, two at a time and then one,
 * since a load that takes bytes of two stores waits until both are in the cache. The first word,
 * where the fence may begin in the middle, has zeros in front of it.
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

/* Twice the bytes of the fence, 8 at most. */
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

/* Fence and seal. The object is zero. */
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

/* The same for one that holds what it was asked for. */
static inline void slab_hardened_enclose_used(char *object, size_t bytes, size_t size)
{
	size_t room = bytes - SLAB_SEAL_BYTES - size;

	memset(object + size, (int)slab_hardened_keys.fence, room);
	slab_put_word(object + size + room, slab_hardened_seal_of(object, room));
}

/* Are seal and fence whole? False as well if the fence has more than so many bytes. */
static __always_inline bool slab_hardened_is_whole_up_to(const char *object, size_t bytes,
							 size_t most)
{
	const char *seal = object + bytes - SLAB_SEAL_BYTES;
	unsigned long word = slab_get_word(seal) ^ slab_hardened_seal_base(object);
	size_t twice = word * SLAB_SEAL_HALF_INVERSE;

	__asm__("" : "+r"(twice));	/* or it is multiplied once more below */
	if (likely(twice <= 2 * 8))
		return slab_hardened_short_fence_is_whole(seal, twice);
	return twice <= 2 * most && slab_hardened_long_fence_is_whole(seal, twice);
}

static __always_inline bool slab_hardened_is_whole(const char *object, size_t bytes)
{
	return slab_hardened_is_whole_up_to(object, bytes, bytes - SLAB_SEAL_BYTES);
}

/* What was asked for, if that is so. */
static inline size_t slab_hardened_asked(const char *object, size_t bytes)
{
	unsigned long seal = slab_get_word(object + bytes - SLAB_SEAL_BYTES);

	return bytes - SLAB_SEAL_BYTES - ((seal ^ slab_hardened_seal_base(object)) >> 48);
}

#endif
