/* SPDX-License-Identifier: MIT */
/* Hashes that a module registers. */
#ifndef _CRYPTO_INTERNAL_HASH_H
#define _CRYPTO_INTERNAL_HASH_H

#include <crypto/algapi.h>
#include <crypto/hash.h>
#include <linux/module.h>

USERMM_BEGIN_DECLS

/* 0; -EEXIST for a driver's name that is taken; -EINVAL for one that lacks a part. May sleep. */
int crypto_register_shash(struct shash_alg *alg) USERMM_API(crypto_register_shash);
void crypto_unregister_shash(struct shash_alg *alg) USERMM_API(crypto_unregister_shash);

USERMM_END_DECLS

#endif
