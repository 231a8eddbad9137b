// SPDX-License-Identifier: MIT
/* Hashes by their own calls: crypto/sha1.h, crypto/sha2.h, crypto/md5.h. */
#include <crypto/md5.h>
#include <crypto/sha1.h>

#include <linux/string.h>

#include "block_hash.h"

#define HASH(name)								\
	void usermm_##name##_init(struct usermm_hash_state *ctx)		\
	{									\
		block_hash_init(&block_##name, ctx);				\
	}									\
	void usermm_##name##_update(struct usermm_hash_state *ctx, const u8 *data, size_t length) \
	{									\
		block_hash_update(&block_##name, ctx, data, length);		\
	}									\
	void usermm_##name##_final(struct usermm_hash_state *ctx, u8 *out)	\
	{									\
		block_hash_final(&block_##name, ctx, out);			\
	}									\
	void usermm_##name##_of(const u8 *data, size_t length, u8 *out)		\
	{									\
		struct usermm_hash_state state;					\
										\
		block_hash_init(&block_##name, &state);				\
		block_hash_update(&block_##name, &state, data, length);		\
		block_hash_final(&block_##name, &state, out);			\
	}									\
	void usermm_##name##_hmac_of(const u8 *key, size_t key_length, const u8 *data, \
				     size_t length, u8 *out)			\
	{									\
		struct hmac_state state;					\
										\
		hmac_prepare(&block_##name, &state, key, key_length);		\
		block_hash_update(&block_##name, &state.inner, data, length);	\
		hmac_final(&block_##name, &state, &state.inner, out);		\
		memzero_explicit(&state, sizeof(state));			\
	}

HASH(md5)
HASH(sha1)
HASH(sha224)
HASH(sha256)
HASH(sha384)
HASH(sha512)
