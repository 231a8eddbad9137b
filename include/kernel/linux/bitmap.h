/* SPDX-License-Identifier: MIT */
/* Arrays of bits. The unused bits of the last word have no meaning. */
#ifndef KERNEL_LINUX_BITMAP_H
#define KERNEL_LINUX_BITMAP_H

#include <asm/bitops.h>
#include <asm/string.h>
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/find.h>
#include <linux/string.h>
#include <usermm/compiler.h>

#define BITMAP_FIRST_WORD_MASK(start) (~0UL << ((start) & (BITS_PER_LONG - 1)))
#define BITMAP_LAST_WORD_MASK(nr) (~0UL >> (-(nr) & (BITS_PER_LONG - 1)))
#define bitmap_size(nr) (BITS_TO_LONGS(nr) * sizeof(long))

static inline void bitmap_zero(unsigned long *map, unsigned int nr)
{
	memset(map, 0, bitmap_size(nr));
}

static inline void bitmap_fill(unsigned long *map, unsigned int nr)
{
	memset(map, 0xff, bitmap_size(nr));
	if (nr % BITS_PER_LONG)
		map[nr / BITS_PER_LONG] = BITMAP_LAST_WORD_MASK(nr);
}

static inline void bitmap_copy(unsigned long *to, const unsigned long *from, unsigned int nr)
{
	memcpy(to, from, bitmap_size(nr));
}

static inline bool bitmap_and(unsigned long *to, const unsigned long *a, const unsigned long *b,
			      unsigned int nr)
{
	unsigned long any = 0;

	for (unsigned int i = 0; i < BITS_TO_LONGS(nr); i++) {
		to[i] = a[i] & b[i];
		any |= to[i] & (i == nr / BITS_PER_LONG ? BITMAP_LAST_WORD_MASK(nr) : ~0UL);
	}
	return any;
}

static inline void bitmap_or(unsigned long *to, const unsigned long *a, const unsigned long *b,
			     unsigned int nr)
{
	for (unsigned int i = 0; i < BITS_TO_LONGS(nr); i++)
		to[i] = a[i] | b[i];
}

static inline void bitmap_xor(unsigned long *to, const unsigned long *a, const unsigned long *b,
			      unsigned int nr)
{
	for (unsigned int i = 0; i < BITS_TO_LONGS(nr); i++)
		to[i] = a[i] ^ b[i];
}

static inline bool bitmap_andnot(unsigned long *to, const unsigned long *a,
				 const unsigned long *b, unsigned int nr)
{
	unsigned long any = 0;

	for (unsigned int i = 0; i < BITS_TO_LONGS(nr); i++) {
		to[i] = a[i] & ~b[i];
		any |= to[i] & (i == nr / BITS_PER_LONG ? BITMAP_LAST_WORD_MASK(nr) : ~0UL);
	}
	return any;
}

static inline void bitmap_complement(unsigned long *to, const unsigned long *from,
				     unsigned int nr)
{
	for (unsigned int i = 0; i < BITS_TO_LONGS(nr); i++)
		to[i] = ~from[i];
}

static inline bool bitmap_empty(const unsigned long *map, unsigned int nr)
{
	return find_first_bit(map, nr) == nr;
}

static inline bool bitmap_full(const unsigned long *map, unsigned int nr)
{
	return find_first_zero_bit(map, nr) == nr;
}

static inline bool bitmap_equal(const unsigned long *a, const unsigned long *b, unsigned int nr)
{
	for (unsigned int i = 0; i < nr / BITS_PER_LONG; i++)
		if (a[i] != b[i])
			return false;
	return !(nr % BITS_PER_LONG) ||
	       !((a[nr / BITS_PER_LONG] ^ b[nr / BITS_PER_LONG]) & BITMAP_LAST_WORD_MASK(nr));
}

static inline bool bitmap_intersects(const unsigned long *a, const unsigned long *b,
				     unsigned int nr)
{
	return find_first_and_bit(a, b, nr) < nr;
}

/* Is every bit of a also set in b? */
static inline bool bitmap_subset(const unsigned long *a, const unsigned long *b,
				 unsigned int nr)
{
	return find_next_andnot_bit(a, b, nr, 0) == nr;
}

static inline unsigned int bitmap_weight(const unsigned long *map, unsigned int nr)
{
	unsigned int weight = 0;

	for (unsigned int i = 0; i < nr / BITS_PER_LONG; i++)
		weight += (unsigned int)__builtin_popcountl(map[i]);
	if (nr % BITS_PER_LONG)
		weight += (unsigned int)__builtin_popcountl(map[nr / BITS_PER_LONG] &
							    BITMAP_LAST_WORD_MASK(nr));
	return weight;
}

static inline void bitmap_set(unsigned long *map, unsigned int start, unsigned int nr)
{
	for (unsigned int i = start; i < start + nr; i++)
		__set_bit(i, map);
}

static inline void bitmap_clear(unsigned long *map, unsigned int start, unsigned int nr)
{
	for (unsigned int i = start; i < start + nr; i++)
		__clear_bit(i, map);
}

static inline void bitmap_shift_right(unsigned long *to, const unsigned long *from,
				      unsigned int shift, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		__assign_bit(i, to, shift < nr - i && test_bit(i + shift, from));
}

static inline void bitmap_shift_left(unsigned long *to, const unsigned long *from,
				     unsigned int shift, unsigned int nr)
{
	for (unsigned int i = nr; i-- > 0;)
		__assign_bit(i, to, i >= shift && test_bit(i - shift, from));
}

/* Up to a word's bits, as a number. */
static inline unsigned long bitmap_read(const unsigned long *map, unsigned long start,
					unsigned long nr)
{
	unsigned long shift = start % BITS_PER_LONG, value;

	if (!nr)
		return 0;
	value = map[start / BITS_PER_LONG] >> shift;
	if (shift + nr > BITS_PER_LONG)
		value |= map[start / BITS_PER_LONG + 1] << (BITS_PER_LONG - shift);
	return value & BITMAP_LAST_WORD_MASK(nr);
}

static inline void bitmap_write(unsigned long *map, unsigned long value, unsigned long start,
				unsigned long nr)
{
	unsigned long shift = start % BITS_PER_LONG, mask = nr ? BITMAP_LAST_WORD_MASK(nr) : 0;

	if (!nr)
		return;
	map += start / BITS_PER_LONG;
	value &= mask;
	map[0] = (map[0] & ~(mask << shift)) | value << shift;
	if (shift + nr <= BITS_PER_LONG)
		return;
	shift = BITS_PER_LONG - shift;
	map[1] = (map[1] & ~(mask >> shift)) | value >> shift;
}

#define bitmap_get_value8(map, start) bitmap_read(map, start, BITS_PER_BYTE)
#define bitmap_set_value8(map, value, start) bitmap_write(map, value, start, BITS_PER_BYTE)

/* Numbers of 32 bits, the lowest bits first. The unused bits of the last one are 0. */
static inline void bitmap_from_arr32(unsigned long *map, const u32 *from, unsigned int nr)
{
	for (unsigned int start = 0; start < nr; start += 32)
		bitmap_write(map, from[start / 32], start, nr - start < 32 ? nr - start : 32);
	if (nr % BITS_PER_LONG)
		map[nr / BITS_PER_LONG] &= BITMAP_LAST_WORD_MASK(nr);
}

static inline void bitmap_to_arr32(u32 *to, const unsigned long *map, unsigned int nr)
{
	for (unsigned int start = 0; start < nr; start += 32)
		to[start / 32] = (u32)bitmap_read(map, start, nr - start < 32 ? nr - start : 32);
}

static inline void bitmap_from_u64(unsigned long *map, u64 value)
{
	for (unsigned int start = 0; start < 64; start += BITS_PER_LONG)
		map[start / BITS_PER_LONG] = (unsigned long)(value >> start);
}

/* The bits of `new_bits` where the mask has bits, and those of `old` elsewhere. */
static inline void bitmap_replace(unsigned long *to, const unsigned long *old,
				  const unsigned long *new_bits, const unsigned long *mask,
				  unsigned int nr)
{
	for (unsigned int i = 0; i < BITS_TO_LONGS(nr); i++)
		to[i] = (old[i] & ~mask[i]) | (new_bits[i] & mask[i]);
}

USERMM_BEGIN_DECLS

/*
 * Finds nr clear bits in a row, from `start` on. Their first number plus offset has no bit of
 * align_mask. Returns this number; size or more if there are none.
 */
unsigned long bitmap_find_next_zero_area_off(unsigned long *map, unsigned long size,
					     unsigned long start, unsigned int nr,
					     unsigned long align_mask, unsigned long offset)
	USERMM_API(bitmap_find_next_zero_area_off);
#define bitmap_find_next_zero_area(map, size, start, nr, align_mask) \
	bitmap_find_next_zero_area_off(map, size, start, nr, align_mask, 0)
/* Finds and sets 2^order clear bits, aligned. Returns the first number, or -ENOMEM. */
int bitmap_find_free_region(unsigned long *map, unsigned int bits, int order)
	USERMM_API(bitmap_find_free_region);
void bitmap_release_region(unsigned long *map, unsigned int start, int order)
	USERMM_API(bitmap_release_region);
int bitmap_allocate_region(unsigned long *map, unsigned int start, int order)
	USERMM_API(bitmap_allocate_region);
/* Parses a list like "0-3,7". 0 or -errno. */
int bitmap_parselist(const char *text, unsigned long *map, int nr)
	USERMM_API(bitmap_parselist);

unsigned long *bitmap_alloc(unsigned int nr, gfp_t gfp) USERMM_API(bitmap_alloc);
unsigned long *bitmap_zalloc(unsigned int nr, gfp_t gfp) USERMM_API(bitmap_zalloc);
#define bitmap_alloc_node(nr, gfp, node) ((void)(node), bitmap_alloc(nr, gfp))
#define bitmap_zalloc_node(nr, gfp, node) ((void)(node), bitmap_zalloc(nr, gfp))
/* For sources that also include linux/device.h. */
#define devm_bitmap_alloc(dev, nr, gfp) \
	((unsigned long *)devm_kmalloc(dev, bitmap_size(nr), gfp))
#define devm_bitmap_zalloc(dev, nr, gfp) devm_bitmap_alloc(dev, nr, (gfp) | __GFP_ZERO)
void bitmap_free(const unsigned long *map) USERMM_API(bitmap_free);

USERMM_END_DECLS

#endif
