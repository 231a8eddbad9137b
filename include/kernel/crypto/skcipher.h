/* SPDX-License-Identifier: MIT */
/* As on a kernel without any cipher: -ENOENT. */
#ifndef _CRYPTO_SKCIPHER_H
#define _CRYPTO_SKCIPHER_H

#include <linux/completion.h>
#include <linux/crypto.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

struct crypto_skcipher {
	struct crypto_tfm base;
};

struct skcipher_request {
	unsigned int cryptlen;
	u8 *iv;
	struct scatterlist *src, *dst;
	struct crypto_async_request base;
};

static inline struct crypto_skcipher *crypto_alloc_skcipher(const char *name, u32 type, u32 mask)
{
	(void)name;
	(void)type;
	(void)mask;
	return (struct crypto_skcipher *)ERR_PTR(-ENOENT);
}

#define crypto_free_skcipher(cipher) ((void)(cipher))
#define crypto_skcipher_ivsize(cipher) ((void)(cipher), 0U)
#define crypto_skcipher_blocksize(cipher) ((void)(cipher), 0U)
#define crypto_skcipher_setkey(cipher, key, n) ((void)(cipher), (void)(key), (void)(n), -ENOSYS)
#define crypto_skcipher_encrypt(request) ((void)(request), -ENOSYS)
#define crypto_skcipher_decrypt(request) ((void)(request), -ENOSYS)
#define skcipher_request_alloc(cipher, gfp) \
	((void)(cipher), (void)(gfp), (struct skcipher_request *)NULL)
#define skcipher_request_free(request) ((void)(request))
#define skcipher_request_set_callback(request, flags, done, data) \
	((void)(request), (void)(flags), (void)(done), (void)(data))
#define skcipher_request_set_crypt(request, from, to, n, iv_bytes) \
	((void)(request), (void)(from), (void)(to), (void)(n), (void)(iv_bytes))
#define skcipher_request_set_tfm(request, cipher) ((void)(request), (void)(cipher))

#endif
