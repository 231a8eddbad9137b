// SPDX-License-Identifier: MIT
/* Hashes of blocks, and the hmac() of any: RFC 2104. */
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "block_hash.h"

void block_hash_init(const struct block_hash *hash, struct usermm_hash_state *state)
{
	state->count = 0;
	memcpy(&state->h, hash->start, sizeof(u32) * 8 << hash->words_of_64);
}

void block_hash_update(const struct block_hash *hash, struct usermm_hash_state *state,
		       const u8 *data, size_t length)
{
	size_t filled = state->count & (hash->block_size - 1);

	state->count += length;
	while (length) {
		size_t piece = min(length, hash->block_size - filled);

		if (piece == hash->block_size) {
			hash->compress(state, data);
		} else {
			memcpy(state->buffer + filled, data, piece);
			if (filled + piece == hash->block_size)
				hash->compress(state, state->buffer);
		}
		filled = 0;
		data += piece;
		length -= piece;
	}
}

static void put_state(const struct block_hash *hash, const struct usermm_hash_state *state, u8 *out)
{
	u8 all[sizeof(state->h)];

	for (unsigned int i = 0; i < 8; i++)
		if (hash->words_of_64)
			put_unaligned_be64(state->h.d[i], all + 8 * i);
		else if (hash->little_endian)
			put_unaligned_le32(state->h.w[i], all + 4 * i);
		else
			put_unaligned_be32(state->h.w[i], all + 4 * i);
	memcpy(out, all, hash->digest_size);
}

void block_hash_final(const struct block_hash *hash, struct usermm_hash_state *state, u8 *out)
{
	static const u8 padding[SHA512_BLOCK_SIZE] = { 0x80 };
	unsigned int filled = (unsigned int)state->count & (hash->block_size - 1);
	unsigned int end = hash->block_size - hash->length_size;
	u64 bits = state->count * 8;
	u8 length[16] = { 0 };

	if (hash->little_endian)
		put_unaligned_le64(bits, length);
	else
		put_unaligned_be64(bits, length + hash->length_size - 8);
	block_hash_update(hash, state, padding,
			  filled < end ? end - filled : hash->block_size + end - filled);
	block_hash_update(hash, state, length, hash->length_size);
	put_state(hash, state, out);
	memzero_explicit(state, sizeof(*state));
}

static void hash_key(const struct block_hash *hash, struct usermm_hash_state *state, const u8 *key,
		     u8 pad)
{
	u8 block[SHA512_BLOCK_SIZE];

	for (unsigned int i = 0; i < hash->block_size; i++)
		block[i] = key[i] ^ pad;
	block_hash_init(hash, state);
	block_hash_update(hash, state, block, hash->block_size);
	memzero_explicit(block, sizeof(block));
}

void hmac_prepare(const struct block_hash *hash, struct hmac_state *key, const u8 *raw,
		  size_t length)
{
	u8 block[SHA512_BLOCK_SIZE] = { 0 };

	if (length > hash->block_size) {
		block_hash_init(hash, &key->inner);
		block_hash_update(hash, &key->inner, raw, length);
		block_hash_final(hash, &key->inner, block);
	} else {
		memcpy(block, raw, length);
	}
	hash_key(hash, &key->inner, block, 0x36);
	hash_key(hash, &key->outer, block, 0x5c);
	memzero_explicit(block, sizeof(block));
}

void hmac_final(const struct block_hash *hash, const struct hmac_state *key,
		struct usermm_hash_state *inner, u8 *out)
{
	struct usermm_hash_state outer = key->outer;
	u8 digest[SHA512_DIGEST_SIZE];

	block_hash_final(hash, inner, digest);
	block_hash_update(hash, &outer, digest, hash->digest_size);
	block_hash_final(hash, &outer, out);
}
