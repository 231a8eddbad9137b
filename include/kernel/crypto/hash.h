/* SPDX-License-Identifier: MIT */
/* As on a kernel without a cipher or a hash: none is found, -ENOENT. */
#ifndef _CRYPTO_HASH_H
#define _CRYPTO_HASH_H

#include <linux/crypto.h>
#include <linux/scatterlist.h>
#include <linux/string.h>

struct crypto_shash {
	struct crypto_tfm base;
};

struct crypto_ahash {
	struct crypto_tfm base;
};

struct shash_desc {
	struct crypto_shash *tfm;
	void *__ctx[] __attribute__((aligned(16)));
};

struct ahash_request {
	struct crypto_async_request base;
	unsigned int nbytes;
	struct scatterlist *src;
	u8 *result;
};

#define HASH_MAX_DIGESTSIZE 64
#define SHASH_DESC_ON_STACK(desc, hash)						\
	char usermm_##desc[sizeof(struct shash_desc) + 512] __attribute__((aligned(16))); \
	struct shash_desc *desc = (struct shash_desc *)usermm_##desc

static inline struct crypto_shash *crypto_alloc_shash(const char *name, u32 type, u32 mask)
{
	(void)name;
	(void)type;
	(void)mask;
	return (struct crypto_shash *)ERR_PTR(-ENOENT);
}

#define crypto_alloc_ahash(name, type, mask) \
	((struct crypto_ahash *)crypto_alloc_shash(name, type, mask))
#define crypto_free_shash(hash) ((void)(hash))
#define crypto_free_ahash(hash) ((void)(hash))
#define crypto_shash_descsize(hash) ((void)(hash), 0U)
#define crypto_shash_digestsize(hash) ((void)(hash), 0U)
#define crypto_shash_blocksize(hash) ((void)(hash), 0U)
#define crypto_ahash_digestsize(hash) ((void)(hash), 0U)
#define crypto_shash_setkey(hash, key, n) ((void)(hash), (void)(key), (void)(n), -ENOSYS)
#define crypto_shash_init(desc) ((void)(desc), -ENOSYS)
#define crypto_shash_update(desc, data, n) ((void)(desc), (void)(data), (void)(n), -ENOSYS)
#define crypto_shash_final(desc, out) ((void)(desc), (void)(out), -ENOSYS)
#define crypto_shash_finup(desc, data, n, out) crypto_shash_digest(desc, data, n, out)
#define crypto_shash_digest(desc, data, n, out) \
	((void)(desc), (void)(data), (void)(n), (void)(out), -ENOSYS)
#define crypto_shash_tfm_digest(hash, data, n, out) crypto_shash_digest(hash, data, n, out)
#define shash_desc_zero(desc) ((void)(desc))
#define ahash_request_alloc(hash, gfp) \
	((void)(hash), (void)(gfp), (struct ahash_request *)NULL)
#define ahash_request_free(request) ((void)(request))
#define ahash_request_set_callback(request, flags, done, data) \
	((void)(request), (void)(flags), (void)(done), (void)(data))
#define ahash_request_set_crypt(request, from, out, n) \
	((void)(request), (void)(from), (void)(out), (void)(n))
#define crypto_ahash_digest(request) ((void)(request), -ENOSYS)
#define crypto_ahash_init(request) ((void)(request), -ENOSYS)
#define crypto_ahash_update(request) ((void)(request), -ENOSYS)
#define crypto_ahash_final(request) ((void)(request), -ENOSYS)
#define crypto_has_shash(name, type, mask) ((void)(name), (void)(type), (void)(mask), 0)

#endif
