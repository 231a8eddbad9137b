/* SPDX-License-Identifier: MIT */
#ifndef _CRYPTO_SHA1_H
#define _CRYPTO_SHA1_H

#include <linux/types.h>

#define SHA1_DIGEST_SIZE 20
#define SHA1_BLOCK_SIZE 64

#endif
