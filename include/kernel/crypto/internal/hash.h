/* SPDX-License-Identifier: MIT */
#ifndef _CRYPTO_INTERNAL_HASH_H
#define _CRYPTO_INTERNAL_HASH_H

#include <crypto/hash.h>
#include <linux/module.h>

#endif
