// SPDX-License-Identifier: MIT
/* SHA-1: FIPS 180-4. */
#include <crypto/sha1.h>
#include <linux/bitops.h>
#include <linux/unaligned.h>

#include "block_hash.h"

static const u32 start[8] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
static const u32 constants[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };

static u32 mix(int round, u32 b, u32 c, u32 d)
{
	switch (round) {
	case 0:
		return (b & c) | (~b & d);
	case 2:
		return (b & c) | (b & d) | (c & d);
	default:
		return b ^ c ^ d;
	}
}

static void compress(struct usermm_hash_state *state, const u8 *block)
{
	u32 *h = state->h.w, a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], w[80];

	for (int i = 0; i < 16; i++)
		w[i] = get_unaligned_be32(block + 4 * i);
	for (int i = 16; i < 80; i++)
		w[i] = rol32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (int i = 0; i < 80; i++) {
		u32 sum = rol32(a, 5) + mix(i / 20, b, c, d) + e + constants[i / 20] + w[i];

		e = d;
		d = c;
		c = rol32(b, 30);
		b = a;
		a = sum;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

const struct block_hash block_sha1 = {
	.digest_size = SHA1_DIGEST_SIZE, .block_size = SHA1_BLOCK_SIZE, .length_size = 8,
	.start = start, .compress = compress,
};
