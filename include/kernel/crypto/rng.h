/* SPDX-License-Identifier: MIT */
/* Random bytes: "stdrng" is get_random_bytes(). */
#ifndef _CRYPTO_RNG_H
#define _CRYPTO_RNG_H

#include <linux/crypto.h>
#include <linux/random.h>

struct crypto_rng {
	struct crypto_tfm base;
};

USERMM_BEGIN_DECLS

/* The one generator; other names than "stdrng" are not found: -ENOENT. */
struct crypto_rng *crypto_alloc_rng(const char *name, u32 type, u32 mask)
	USERMM_API(crypto_alloc_rng);

USERMM_END_DECLS

#define crypto_free_rng(rng) ((void)(rng))
#define crypto_rng_seedsize(rng) ((void)(rng), 0)
#define crypto_rng_reset(rng, seed, size) ((void)(rng), (void)(seed), (void)(size), 0)
#define crypto_default_rng crypto_alloc_rng("stdrng", 0, 0)
#define crypto_get_default_rng() 0
#define crypto_put_default_rng() ((void)0)

static inline int crypto_rng_get_bytes(struct crypto_rng *rng, u8 *to, unsigned int size)
{
	(void)rng;
	get_random_bytes(to, size);
	return 0;
}

static inline int crypto_stdrng_get_bytes(void *to, unsigned int size)
{
	get_random_bytes(to, size);
	return 0;
}

#endif
