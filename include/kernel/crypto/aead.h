/* SPDX-License-Identifier: MIT */
/*
 * gcm(aes). src and dst consist of assoclen bytes that are not encrypted, the text, and the tag of
 * authsize bytes.
 */
#ifndef _CRYPTO_AEAD_H
#define _CRYPTO_AEAD_H

#include <linux/container_of.h>
#include <linux/crypto.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/types.h>

struct crypto_aead {
	unsigned int authsize, reqsize;
	struct crypto_tfm base;
};

struct aead_request {
	struct crypto_async_request base;
	unsigned int assoclen, cryptlen;
	u8 *iv;
	struct scatterlist *src, *dst;
};

USERMM_BEGIN_DECLS

/* ERR_PTR: -ENOENT for a name that is not there, -ENOMEM. May sleep. */
struct crypto_aead *crypto_alloc_aead(const char *name, u32 type, u32 mask)
	USERMM_API(crypto_alloc_aead);
/* 0; -EINVAL for a length that the cipher does not take. */
int crypto_aead_setkey(struct crypto_aead *aead, const u8 *key, unsigned int length)
	USERMM_API(crypto_aead_setkey);
int crypto_aead_setauthsize(struct crypto_aead *aead, unsigned int size)
	USERMM_API(crypto_aead_setauthsize);
/* 0; -ENOKEY; -EINVAL; -ENOMEM. Decryption gives -EBADMSG for a tag that is not the data's. */
int crypto_aead_encrypt(struct aead_request *request) USERMM_API(crypto_aead_encrypt);
int crypto_aead_decrypt(struct aead_request *request) USERMM_API(crypto_aead_decrypt);

USERMM_END_DECLS

#define crypto_aead_tfm(aead) (&(aead)->base)
#define crypto_aead_ivsize(aead) ((void)(aead), 12U)
#define crypto_aead_authsize(aead) ((aead)->authsize)
#define crypto_aead_maxauthsize(aead) ((void)(aead), 16U)
#define crypto_aead_blocksize(aead) crypto_tfm_alg_blocksize(crypto_aead_tfm(aead))
#define crypto_aead_reqsize(aead) ((aead)->reqsize)
#define crypto_aead_set_flags(aead, flags) crypto_tfm_set_flags(crypto_aead_tfm(aead), flags)
#define crypto_aead_clear_flags(aead, flags) crypto_tfm_clear_flags(crypto_aead_tfm(aead), flags)

static inline void crypto_free_aead(struct crypto_aead *aead)
{
	crypto_destroy_tfm(aead, crypto_aead_tfm(aead));
}

static inline void aead_request_set_tfm(struct aead_request *request, struct crypto_aead *aead)
{
	request->base.tfm = crypto_aead_tfm(aead);
}

static inline struct crypto_aead *crypto_aead_reqtfm(struct aead_request *request)
{
	return container_of(request->base.tfm, struct crypto_aead, base);
}

static inline struct aead_request *aead_request_alloc(struct crypto_aead *aead, gfp_t gfp)
{
	struct aead_request *request = (struct aead_request *)kzalloc(sizeof(*request), gfp);

	if (request)
		aead_request_set_tfm(request, aead);
	return request;
}

static inline void aead_request_free(struct aead_request *request)
{
	kfree_sensitive(request);
}

static inline void aead_request_set_callback(struct aead_request *request, u32 flags,
					     crypto_completion_t done, void *data)
{
	request->base.complete = done;
	request->base.data = data;
	request->base.flags = flags;
}

static inline void aead_request_set_crypt(struct aead_request *request, struct scatterlist *from,
					  struct scatterlist *to, unsigned int length, u8 *iv)
{
	request->src = from;
	request->dst = to;
	request->cryptlen = length;
	request->iv = iv;
}

static inline void aead_request_set_ad(struct aead_request *request, unsigned int length)
{
	request->assoclen = length;
}

#endif
