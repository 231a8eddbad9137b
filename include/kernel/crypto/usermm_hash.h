/* SPDX-License-Identifier: MIT */
/* What crypto/md5.h, crypto/sha1.h and crypto/sha2.h share: the calls of one hash. */
#ifndef _CRYPTO_USERMM_HASH_H
#define _CRYPTO_USERMM_HASH_H

#include <linux/types.h>
#include <linux/version.h>
#include <usermm/compiler.h>

/* The state of a hash over data of any length. */
struct usermm_hash_state {
	u64 count;		/* bytes */
	union {
		u32 w[16];
		u64 d[8];
	} h;
	u8 buffer[128];		/* the bytes of the block that is not full yet */
};

/*
 * NAME_init(), _update() and _final(), which clears ctx; NAME() of all the data at once; and
 * hmac_NAME_usingrawkey(). In any context; none fails.
 */
#define USERMM_HASH_CALLS(name)							\
	USERMM_BEGIN_DECLS							\
	void usermm_##name##_init(struct usermm_hash_state *ctx);		\
	void usermm_##name##_update(struct usermm_hash_state *ctx, const u8 *data, size_t length); \
	void usermm_##name##_final(struct usermm_hash_state *ctx, u8 *out);	\
	void usermm_##name##_of(const u8 *data, size_t length, u8 *out);	\
	void usermm_##name##_hmac_of(const u8 *key, size_t key_length, const u8 *data, \
				     size_t length, u8 *out);			\
	USERMM_END_DECLS							\
	struct name##_ctx {							\
		struct usermm_hash_state state;					\
	};									\
	static inline void name(const u8 *data, size_t length, u8 *out)		\
	{									\
		usermm_##name##_of(data, length, out);				\
	}									\
	static inline void hmac_##name##_usingrawkey(const u8 *key, size_t key_length, \
						     const u8 *data, size_t length, u8 *out) \
	{									\
		usermm_##name##_hmac_of(key, key_length, data, length, out);	\
	}

/* In steps, with the type that keeps the state. */
#define USERMM_HASH_STEPS(name, ctx_type)					\
	static inline void name##_init(ctx_type *ctx)				\
	{									\
		usermm_##name##_init(&ctx->state);				\
	}									\
	static inline void name##_update(ctx_type *ctx, const u8 *data, size_t length) \
	{									\
		usermm_##name##_update(&ctx->state, data, length);		\
	}									\
	static inline void name##_final(ctx_type *ctx, u8 *out)			\
	{									\
		usermm_##name##_final(&ctx->state, out);			\
	}

#endif
