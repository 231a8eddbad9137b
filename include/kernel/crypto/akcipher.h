/* SPDX-License-Identifier: MIT */
/* Ciphers with two keys: none is there. */
#ifndef _CRYPTO_AKCIPHER_H
#define _CRYPTO_AKCIPHER_H

#include <linux/atomic.h>
#include <linux/crypto.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

struct crypto_akcipher {
	unsigned int reqsize;
	struct crypto_tfm base;
};

struct akcipher_request {
	struct crypto_async_request base;
	struct scatterlist *src, *dst;
	unsigned int src_len, dst_len;
};

static inline struct crypto_akcipher *crypto_alloc_akcipher(const char *name, u32 type, u32 mask)
{
	(void)name;
	(void)type;
	(void)mask;
	return ERR_PTR(-ENOENT);
}

#define crypto_akcipher_tfm(cipher) (&(cipher)->base)
#define crypto_free_akcipher(cipher) ((void)(cipher))
#define crypto_akcipher_reqsize(cipher) ((cipher)->reqsize)
#define crypto_akcipher_maxsize(cipher) ((void)(cipher), 0U)
#define crypto_akcipher_set_pub_key(cipher, key, n) \
	((void)(cipher), (void)(key), (void)(n), -ENOSYS)
#define crypto_akcipher_set_priv_key(cipher, key, n) \
	((void)(cipher), (void)(key), (void)(n), -ENOSYS)
#define crypto_akcipher_encrypt(request) ((void)(request), -ENOSYS)
#define crypto_akcipher_decrypt(request) ((void)(request), -ENOSYS)
#define crypto_akcipher_sign(request) ((void)(request), -ENOSYS)
#define crypto_akcipher_verify(request) ((void)(request), -ENOSYS)

static inline struct akcipher_request *akcipher_request_alloc(struct crypto_akcipher *cipher,
							      gfp_t gfp)
{
	struct akcipher_request *request = kzalloc(sizeof(*request) + cipher->reqsize, gfp);

	if (request)
		request->base.tfm = crypto_akcipher_tfm(cipher);
	return request;
}

static inline void akcipher_request_free(struct akcipher_request *request)
{
	kfree_sensitive(request);
}

static inline void akcipher_request_set_callback(struct akcipher_request *request, u32 flags,
						 crypto_completion_t complete, void *data)
{
	request->base.flags = flags;
	request->base.complete = complete;
	request->base.data = data;
}

static inline void akcipher_request_set_crypt(struct akcipher_request *request,
					      struct scatterlist *src, struct scatterlist *dst,
					      unsigned int src_len, unsigned int dst_len)
{
	request->src = src;
	request->dst = dst;
	request->src_len = src_len;
	request->dst_len = dst_len;
}

#endif
