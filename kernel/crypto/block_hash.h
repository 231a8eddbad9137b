/* SPDX-License-Identifier: MIT */
/* What the hashes of blocks share: filling blocks, and the padding at the end. */
#ifndef KERNEL_CRYPTO_BLOCK_HASH_H
#define KERNEL_CRYPTO_BLOCK_HASH_H

#include <crypto/sha2.h>
#include <linux/types.h>

struct block_hash {
	unsigned int digest_size, block_size;
	unsigned int length_size;	/* bytes of the length at the end of the padding */
	bool little_endian, words_of_64;
	const void *start;		/* the state before the first block */
	void (*compress)(struct usermm_hash_state *state, const u8 *block);
};

extern const struct block_hash block_md5, block_sha1, block_sha224, block_sha256, block_sha384,
	block_sha512;

void block_hash_init(const struct block_hash *hash, struct usermm_hash_state *state);
void block_hash_update(const struct block_hash *hash, struct usermm_hash_state *state,
		       const u8 *data, size_t length);
/* Writes digest_size bytes; clears the state. */
void block_hash_final(const struct block_hash *hash, struct usermm_hash_state *state, u8 *out);

struct hmac_state {
	struct usermm_hash_state inner, outer;	/* each after the block of its key */
};

void hmac_prepare(const struct block_hash *hash, struct hmac_state *key, const u8 *raw,
		  size_t length);
/* inner is a copy of the key's inner state with the data added. */
void hmac_final(const struct block_hash *hash, const struct hmac_state *key,
		struct usermm_hash_state *inner, u8 *out);

#endif
