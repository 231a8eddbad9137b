/* SPDX-License-Identifier: MIT */
/*
 * Ciphers of data in pieces: linux/crypto.h says which there are. A call returns when its work is
 * done.
 */
#ifndef _CRYPTO_SKCIPHER_H
#define _CRYPTO_SKCIPHER_H

#include <linux/completion.h>
#include <linux/container_of.h>
#include <linux/crypto.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

struct crypto_skcipher {
	unsigned int reqsize;
	struct crypto_tfm base;
};

struct crypto_sync_skcipher {
	struct crypto_skcipher base;
};

struct skcipher_request {
	unsigned int cryptlen;
	u8 *iv;
	struct scatterlist *src, *dst;
	struct crypto_async_request base;
	void *__ctx[] CRYPTO_MINALIGN_ATTR;
};

struct skcipher_alg {
	int (*setkey)(struct crypto_skcipher *cipher, const u8 *key, unsigned int length);
	int (*encrypt)(struct skcipher_request *request);
	int (*decrypt)(struct skcipher_request *request);
	int (*init)(struct crypto_skcipher *cipher);
	void (*exit)(struct crypto_skcipher *cipher);
	unsigned int min_keysize, max_keysize, ivsize, chunksize, walksize;
	struct crypto_alg base;
};

#define MAX_SYNC_SKCIPHER_REQSIZE 384
#define SYNC_SKCIPHER_REQUEST_ON_STACK(name, cipher)				\
	char usermm_##name[sizeof(struct skcipher_request) + MAX_SYNC_SKCIPHER_REQSIZE] \
		CRYPTO_MINALIGN_ATTR = { 0 };					\
	struct skcipher_request *name = (struct skcipher_request *)usermm_##name; \
	skcipher_request_set_sync_tfm(name, cipher)

USERMM_BEGIN_DECLS

/* ERR_PTR: -ENOENT for a name that is not there, -ENOMEM. May sleep. */
struct crypto_skcipher *crypto_alloc_skcipher(const char *name, u32 type, u32 mask)
	USERMM_API(crypto_alloc_skcipher);
/* 0; -EINVAL for a length that the cipher does not take. */
int crypto_skcipher_setkey(struct crypto_skcipher *cipher, const u8 *key, unsigned int length)
	USERMM_API(crypto_skcipher_setkey);
/*
 * 0; -ENOKEY without a key; -EINVAL for a length that is no multiple of the block size. The
 * request's iv becomes the iv with which a request for the following blocks would begin. These
 * calls do not sleep.
 */
int crypto_skcipher_encrypt(struct skcipher_request *request) USERMM_API(crypto_skcipher_encrypt);
int crypto_skcipher_decrypt(struct skcipher_request *request) USERMM_API(crypto_skcipher_decrypt);

USERMM_END_DECLS

#define crypto_skcipher_tfm(cipher) (&(cipher)->base)
#define crypto_has_skcipher(name, type, mask) crypto_has_alg(name, type, mask)
#define crypto_skcipher_blocksize(cipher) crypto_tfm_alg_blocksize(crypto_skcipher_tfm(cipher))
#define crypto_skcipher_alg_name(cipher) crypto_tfm_alg_name(crypto_skcipher_tfm(cipher))
#define crypto_skcipher_driver_name(cipher) \
	crypto_tfm_alg_driver_name(crypto_skcipher_tfm(cipher))
#define crypto_skcipher_set_flags(cipher, flags) \
	crypto_tfm_set_flags(crypto_skcipher_tfm(cipher), flags)
#define crypto_skcipher_clear_flags(cipher, flags) \
	crypto_tfm_clear_flags(crypto_skcipher_tfm(cipher), flags)
#define crypto_skcipher_get_flags(cipher) crypto_tfm_get_flags(crypto_skcipher_tfm(cipher))

static inline struct skcipher_alg *crypto_skcipher_alg(struct crypto_skcipher *cipher)
{
	return container_of(cipher->base.__crt_alg, struct skcipher_alg, base);
}

static inline void *crypto_skcipher_ctx(struct crypto_skcipher *cipher)
{
	return crypto_tfm_ctx(crypto_skcipher_tfm(cipher));
}

static inline unsigned int crypto_skcipher_ivsize(struct crypto_skcipher *cipher)
{
	return crypto_skcipher_alg(cipher)->ivsize;
}

static inline unsigned int crypto_skcipher_min_keysize(struct crypto_skcipher *cipher)
{
	return crypto_skcipher_alg(cipher)->min_keysize;
}

static inline unsigned int crypto_skcipher_max_keysize(struct crypto_skcipher *cipher)
{
	return crypto_skcipher_alg(cipher)->max_keysize;
}

static inline unsigned int crypto_skcipher_reqsize(struct crypto_skcipher *cipher)
{
	return cipher->reqsize;
}

static inline void crypto_skcipher_set_reqsize(struct crypto_skcipher *cipher, unsigned int size)
{
	cipher->reqsize = size;
}

static inline void crypto_free_skcipher(struct crypto_skcipher *cipher)
{
	crypto_destroy_tfm(cipher, crypto_skcipher_tfm(cipher));
}

static inline void skcipher_request_set_tfm(struct skcipher_request *request,
					    struct crypto_skcipher *cipher)
{
	request->base.tfm = crypto_skcipher_tfm(cipher);
}

static inline struct crypto_skcipher *crypto_skcipher_reqtfm(struct skcipher_request *request)
{
	return container_of(request->base.tfm, struct crypto_skcipher, base);
}

static inline void *skcipher_request_ctx(struct skcipher_request *request)
{
	return request->__ctx;
}

static inline struct skcipher_request *skcipher_request_alloc(struct crypto_skcipher *cipher,
							      gfp_t gfp)
{
	struct skcipher_request *request = (struct skcipher_request *)
		kzalloc(sizeof(*request) + cipher->reqsize, gfp);

	if (request)
		skcipher_request_set_tfm(request, cipher);
	return request;
}

static inline void skcipher_request_free(struct skcipher_request *request)
{
	kfree_sensitive(request);
}

static inline void skcipher_request_zero(struct skcipher_request *request)
{
	memzero_explicit(request, sizeof(*request) + crypto_skcipher_reqtfm(request)->reqsize);
}

static inline void skcipher_request_set_callback(struct skcipher_request *request, u32 flags,
						 crypto_completion_t done, void *data)
{
	request->base.complete = done;
	request->base.data = data;
	request->base.flags = flags;
}

static inline void skcipher_request_set_crypt(struct skcipher_request *request,
					      struct scatterlist *from, struct scatterlist *to,
					      unsigned int length, void *iv)
{
	request->src = from;
	request->dst = to;
	request->cryptlen = length;
	request->iv = (u8 *)iv;
}

#define crypto_alloc_sync_skcipher(name, type, mask) \
	((struct crypto_sync_skcipher *)crypto_alloc_skcipher(name, type, mask))
#define crypto_free_sync_skcipher(cipher) crypto_free_skcipher(&(cipher)->base)
#define crypto_sync_skcipher_setkey(cipher, key, length) \
	crypto_skcipher_setkey(&(cipher)->base, key, length)
#define crypto_sync_skcipher_ivsize(cipher) crypto_skcipher_ivsize(&(cipher)->base)
#define skcipher_request_set_sync_tfm(request, cipher) \
	skcipher_request_set_tfm(request, &(cipher)->base)

#endif
