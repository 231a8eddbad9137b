/* SPDX-License-Identifier: MIT */
/* The algorithms by name, and handles for them. */
#ifndef KERNEL_CRYPTO_ALGORITHMS_H
#define KERNEL_CRYPTO_ALGORITHMS_H

#include <linux/crypto.h>

/* The best algorithm of the type (0: any) with this name or driver name; NULL if there is none. */
struct crypto_alg *algorithm_find(const char *name, u32 type);
int algorithm_register(struct crypto_alg *alg, u32 type);

/*
 * Makes a handle for the algorithm: memory that holds its struct crypto_tfm at offset, and the
 * context behind that. An error pointer if there is no such algorithm (-ENOENT), or no memory
 * (-ENOMEM).
 */
void *algorithm_use(const char *name, u32 type, size_t offset);

/* Each type's own last step when one of its handles is freed. */
void shash_exit(struct crypto_tfm *tfm);
void skcipher_exit(struct crypto_tfm *tfm);

/* The algorithms that are always there, each list with a NULL at its end. */
extern struct crypto_alg *const shash_builtin[], *const skcipher_builtin[], *const aead_builtin[],
	*const cipher_builtin[];

#endif
