/* SPDX-License-Identifier: MIT */
/* The algorithms by name, and what uses one. */
#ifndef KERNEL_CRYPTO_ALGORITHMS_H
#define KERNEL_CRYPTO_ALGORITHMS_H

#include <linux/crypto.h>

/* The best of the type that has this name or this driver's name; NULL. */
struct crypto_alg *algorithm_find(const char *name, u32 type);
int algorithm_register(struct crypto_alg *alg, u32 type);

/*
 * A handle for it: memory whose struct crypto_tfm is at offset, with the context behind it.
 * ERR_PTR: -ENOENT, -ENOMEM.
 */
void *algorithm_use(const char *name, u32 type, size_t offset);

/* Each type's own last step when one of its handles is freed. */
void shash_exit(struct crypto_tfm *tfm);
void skcipher_exit(struct crypto_tfm *tfm);

/* The algorithms that are always there, each list with a NULL at its end. */
extern struct crypto_alg *const shash_builtin[], *const skcipher_builtin[], *const aead_builtin[],
	*const cipher_builtin[];

#endif
