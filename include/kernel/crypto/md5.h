/* SPDX-License-Identifier: MIT */
#ifndef _CRYPTO_MD5_H
#define _CRYPTO_MD5_H

#include <crypto/usermm_hash.h>
#include <linux/types.h>

#define MD5_DIGEST_SIZE 16
#define MD5_HMAC_BLOCK_SIZE 64
#define MD5_BLOCK_SIZE 64
#define MD5_BLOCK_WORDS 16
#define MD5_HASH_WORDS 4

USERMM_HASH_CALLS(md5)
USERMM_HASH_STEPS(md5, struct md5_ctx)

#endif
