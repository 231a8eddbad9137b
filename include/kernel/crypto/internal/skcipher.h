/* SPDX-License-Identifier: MIT */
/* Ciphers that a module registers. */
#ifndef _CRYPTO_INTERNAL_SKCIPHER_H
#define _CRYPTO_INTERNAL_SKCIPHER_H

#include <crypto/algapi.h>
#include <crypto/skcipher.h>

USERMM_BEGIN_DECLS

/* 0; -EEXIST for a driver's name that is taken; -EINVAL for one that lacks a part. May sleep. */
int crypto_register_skcipher(struct skcipher_alg *alg) USERMM_API(crypto_register_skcipher);
void crypto_unregister_skcipher(struct skcipher_alg *alg) USERMM_API(crypto_unregister_skcipher);

USERMM_END_DECLS

static inline void *skcipher_request_ctx_dma(struct skcipher_request *request)
{
	return request->__ctx;
}

#endif
