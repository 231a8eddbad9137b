/* SPDX-License-Identifier: MIT */
/* Bob Jenkins' hash of 2006, "lookup3", from its public description. */
#ifndef KERNEL_LINUX_JHASH_H
#define KERNEL_LINUX_JHASH_H

#include <asm/bitops.h>
#include <linux/bitops.h>
#include <linux/string.h>
#include <linux/types.h>

#define JHASH_INITVAL 0xdeadbeef
#define jhash_size(n) ((u32)1 << (n))
#define jhash_mask(n) (jhash_size(n) - 1)

static inline void usermm_jhash_mix(u32 s[3])
{
	static const u8 shifts[6] = { 4, 6, 8, 16, 19, 4 };

	for (unsigned int i = 0; i < 6; i++) {
		u32 *x = &s[i % 3], *y = &s[(i + 1) % 3], *z = &s[(i + 2) % 3];

		*x -= *z;
		*x ^= rol32(*z, shifts[i]);
		*z += *y;
	}
}

static inline u32 usermm_jhash_final(u32 s[3])
{
	static const u8 shifts[7] = { 14, 11, 25, 16, 4, 14, 24 };

	for (unsigned int i = 0; i < 7; i++) {
		u32 *x = &s[(i + 2) % 3], from = s[(i + 1) % 3];

		*x ^= from;
		*x -= rol32(from, shifts[i]);
	}
	return s[2];
}

static inline u32 jhash(const void *key, u32 length, u32 initval)
{
	const u8 *bytes = key;
	u32 first = JHASH_INITVAL + length + initval, s[3] = { first, first, first };
	u32 words[3] = { 0 };

	for (; length > 12; length -= 12, bytes += 12) {
		memcpy(words, bytes, 12);
		for (unsigned int i = 0; i < 3; i++)
			s[i] += words[i];
		usermm_jhash_mix(s);
	}
	if (!length)
		return s[2];
	memset(words, 0, sizeof(words));
	memcpy(words, bytes, length);
	for (unsigned int i = 0; i < 3; i++)
		s[i] += words[i];
	return usermm_jhash_final(s);
}

static inline u32 jhash2(const u32 *key, u32 length, u32 initval)
{
	return jhash(key, 4 * length, initval);
}

static inline u32 usermm_jhash_words(u32 a, u32 b, u32 c, u32 initval)
{
	u32 s[3] = { a + initval, b + initval, c + initval };

	return usermm_jhash_final(s);
}

static inline u32 jhash_3words(u32 a, u32 b, u32 c, u32 initval)
{
	return usermm_jhash_words(a, b, c, initval + JHASH_INITVAL + (3 << 2));
}

static inline u32 jhash_2words(u32 a, u32 b, u32 initval)
{
	return usermm_jhash_words(a, b, 0, initval + JHASH_INITVAL + (2 << 2));
}

static inline u32 jhash_1word(u32 a, u32 initval)
{
	return usermm_jhash_words(a, 0, 0, initval + JHASH_INITVAL + (1 << 2));
}

#endif
