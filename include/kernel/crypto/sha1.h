/* SPDX-License-Identifier: MIT */
#ifndef _CRYPTO_SHA1_H
#define _CRYPTO_SHA1_H

#include <crypto/usermm_hash.h>
#include <linux/types.h>

#define SHA1_DIGEST_SIZE 20
#define SHA1_BLOCK_SIZE 64

USERMM_HASH_CALLS(sha1)
USERMM_HASH_STEPS(sha1, struct sha1_ctx)

#endif
