/* SPDX-License-Identifier: MIT */
#ifndef _CRYPTO_INTERNAL_SKCIPHER_H
#define _CRYPTO_INTERNAL_SKCIPHER_H

#include <crypto/skcipher.h>

#endif
