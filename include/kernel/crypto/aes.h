/* SPDX-License-Identifier: MIT */
/* AES without the names of linux/crypto.h: a block at a time. */
#ifndef _CRYPTO_AES_H
#define _CRYPTO_AES_H

#include <linux/crypto.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define AES_MIN_KEY_SIZE 16
#define AES_MAX_KEY_SIZE 32
#define AES_KEYSIZE_128 16
#define AES_KEYSIZE_192 24
#define AES_KEYSIZE_256 32
#define AES_BLOCK_SIZE 16
#define AES_MAX_KEYLENGTH (15 * 16)
#define AES_MAX_KEYLENGTH_U32 (AES_MAX_KEYLENGTH / sizeof(u32))

/* The keys of the rounds, each word in the processor's order of bytes. */
struct crypto_aes_ctx {
	u32 key_enc[AES_MAX_KEYLENGTH_U32];
	u32 key_length;
};

USERMM_BEGIN_DECLS

/* 0; -EINVAL for a length that is not 16, 24 or 32 bytes. In any context. */
int aes_expandkey(struct crypto_aes_ctx *ctx, const u8 *key, unsigned int length)
	USERMM_API(aes_expandkey);
void aes_encrypt(const struct crypto_aes_ctx *ctx, u8 *to, const u8 *from)
	USERMM_API(aes_encrypt);
void aes_decrypt(const struct crypto_aes_ctx *ctx, u8 *to, const u8 *from)
	USERMM_API(aes_decrypt);

USERMM_END_DECLS

#define aes_check_keylen(length) \
	((length) == 16 || (length) == 24 || (length) == 32 ? 0 : -EINVAL)

#endif
