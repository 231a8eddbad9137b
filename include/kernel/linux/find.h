/* SPDX-License-Identifier: MIT */
/* Finds bits in a bitmap of size bits. Returns the bit's number; size if there is none. */
#ifndef KERNEL_LINUX_FIND_H
#define KERNEL_LINUX_FIND_H

#include <linux/bits.h>

/*
 * The next bit from start on of (a[i] ^ invert_a) & (b[i] ^ invert_b); b may be NULL. The bytes of
 * a's words are taken in the other order if `swap`.
 */
static inline unsigned long usermm_find_next(const unsigned long *a, unsigned long invert_a,
					     const unsigned long *b, unsigned long invert_b,
					     unsigned long size, unsigned long start, bool swap)
{
	unsigned long mask = ~0UL << (start % BITS_PER_LONG);

	for (unsigned long i = start / BITS_PER_LONG; start < size; i++) {
		unsigned long word = ((swap ? __builtin_bswap64(a[i]) : a[i]) ^ invert_a) & mask;

		if (b)
			word &= b[i] ^ invert_b;
		if (word) {
			start = i * BITS_PER_LONG + (unsigned long)__builtin_ctzl(word);
			return start < size ? start : size;
		}
		mask = ~0UL;
		start = (i + 1) * BITS_PER_LONG;
	}
	return size;
}

static inline unsigned long find_next_bit(const unsigned long *map, unsigned long size,
					  unsigned long start)
{
	return usermm_find_next(map, 0, NULL, 0, size, start, false);
}

static inline unsigned long find_next_zero_bit(const unsigned long *map, unsigned long size,
					       unsigned long start)
{
	return usermm_find_next(map, ~0UL, NULL, 0, size, start, false);
}

static inline unsigned long find_next_and_bit(const unsigned long *a, const unsigned long *b,
					      unsigned long size, unsigned long start)
{
	return usermm_find_next(a, 0, b, 0, size, start, false);
}

static inline unsigned long find_next_andnot_bit(const unsigned long *a, const unsigned long *b,
						 unsigned long size, unsigned long start)
{
	return usermm_find_next(a, 0, b, ~0UL, size, start, false);
}

#define find_first_bit(map, size) find_next_bit(map, size, 0)
#define find_first_zero_bit(map, size) find_next_zero_bit(map, size, 0)
#define find_first_and_bit(a, b, size) find_next_and_bit(a, b, size, 0)

/*
 * In bitmaps as they stand on a disk, bit 0 is the lowest of the first byte, whatever the CPU is.
 * As in Linux, they are read by words.
 */
#define USERMM_SWAPS_LE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline unsigned long find_next_bit_le(const void *map, unsigned long size,
					     unsigned long start)
{
	return usermm_find_next(map, 0, NULL, 0, size, start, USERMM_SWAPS_LE);
}

static inline unsigned long find_next_zero_bit_le(const void *map, unsigned long size,
						  unsigned long start)
{
	return usermm_find_next(map, ~0UL, NULL, 0, size, start, USERMM_SWAPS_LE);
}

#define find_first_zero_bit_le(map, size) find_next_zero_bit_le(map, size, 0)

static inline unsigned long find_last_bit(const unsigned long *map, unsigned long size)
{
	for (unsigned long nr = size; nr-- > 0;)
		if (map[nr / BITS_PER_LONG] >> (nr % BITS_PER_LONG) & 1)
			return nr;
	return size;
}

/* The n-th set bit, counted from 0. */
static inline unsigned long find_nth_bit(const unsigned long *map, unsigned long size,
					 unsigned long n)
{
	unsigned long nr = find_first_bit(map, size);

	while (nr < size && n--)
		nr = find_next_bit(map, size, nr + 1);
	return nr;
}

static inline unsigned long find_next_bit_wrap(const unsigned long *map, unsigned long size,
					       unsigned long start)
{
	unsigned long nr = find_next_bit(map, size, start);

	if (nr < size || start == 0)
		return nr;
	nr = find_first_bit(map, start);
	return nr < start ? nr : size;
}

#define for_each_set_bit(nr, map, size)					\
	for ((nr) = find_first_bit(map, size); (nr) < (size);		\
	     (nr) = find_next_bit(map, size, (nr) + 1))
#define for_each_set_bit_from(nr, map, size)				\
	for ((nr) = find_next_bit(map, size, nr); (nr) < (size);	\
	     (nr) = find_next_bit(map, size, (nr) + 1))
#define for_each_clear_bit(nr, map, size)				\
	for ((nr) = find_first_zero_bit(map, size); (nr) < (size);	\
	     (nr) = find_next_zero_bit(map, size, (nr) + 1))
#define for_each_clear_bit_from(nr, map, size)				\
	for ((nr) = find_next_zero_bit(map, size, nr); (nr) < (size);	\
	     (nr) = find_next_zero_bit(map, size, (nr) + 1))
#define for_each_and_bit(nr, a, b, size)				\
	for ((nr) = find_first_and_bit(a, b, size); (nr) < (size);	\
	     (nr) = find_next_and_bit(a, b, size, (nr) + 1))

#endif
