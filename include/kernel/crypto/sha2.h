/* SPDX-License-Identifier: MIT */
#ifndef _CRYPTO_SHA2_H
#define _CRYPTO_SHA2_H

#include <crypto/usermm_hash.h>
#include <linux/types.h>

#define SHA224_DIGEST_SIZE 28
#define SHA224_BLOCK_SIZE 64
#define SHA256_DIGEST_SIZE 32
#define SHA256_BLOCK_SIZE 64
#define SHA384_DIGEST_SIZE 48
#define SHA384_BLOCK_SIZE 128
#define SHA512_DIGEST_SIZE 64
#define SHA512_BLOCK_SIZE 128

USERMM_HASH_CALLS(sha224)
USERMM_HASH_CALLS(sha256)
USERMM_HASH_CALLS(sha384)
USERMM_HASH_CALLS(sha512)

/* Up to 6.15 the state of sha224 and sha256 has one type. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
USERMM_HASH_STEPS(sha224, struct sha224_ctx)
USERMM_HASH_STEPS(sha256, struct sha256_ctx)
#else
struct sha256_state {
	struct usermm_hash_state state;
};
USERMM_HASH_STEPS(sha224, struct sha256_state)
USERMM_HASH_STEPS(sha256, struct sha256_state)
#endif
USERMM_HASH_STEPS(sha384, struct sha384_ctx)
USERMM_HASH_STEPS(sha512, struct sha512_ctx)

#endif
