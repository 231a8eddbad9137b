/* SPDX-License-Identifier: MIT */
/* Hashes: linux/crypto.h says which there are. Data is hashed before a call returns. */
#ifndef _CRYPTO_HASH_H
#define _CRYPTO_HASH_H

#include <linux/crypto.h>
#include <linux/scatterlist.h>
#include <linux/string.h>

struct shash_desc;
struct crypto_shash;

struct hash_alg_common {
	unsigned int digestsize, statesize;
	struct crypto_alg base;
};

struct shash_alg {
	int (*init)(struct shash_desc *desc);
	int (*update)(struct shash_desc *desc, const u8 *data, unsigned int length);
	int (*final)(struct shash_desc *desc, u8 *out);
	int (*finup)(struct shash_desc *desc, const u8 *data, unsigned int length, u8 *out);
	int (*digest)(struct shash_desc *desc, const u8 *data, unsigned int length, u8 *out);
	int (*export)(struct shash_desc *desc, void *out);
	int (*import)(struct shash_desc *desc, const void *in);
	int (*setkey)(struct crypto_shash *hash, const u8 *key, unsigned int length);
	int (*init_tfm)(struct crypto_shash *hash);
	void (*exit_tfm)(struct crypto_shash *hash);
	unsigned int descsize, digestsize, statesize;
	struct crypto_alg base;
};

struct crypto_shash {
	struct crypto_tfm base;
};

/* Over a crypto_shash, its first member that is not the base. */
struct crypto_ahash {
	struct crypto_shash *usermm_shash;
	struct crypto_tfm base;
};

struct shash_desc {
	struct crypto_shash *tfm;
	void *__ctx[] CRYPTO_MINALIGN_ATTR;
};

struct ahash_request {
	struct crypto_async_request base;
	unsigned int nbytes;
	struct scatterlist *src;
	u8 *result;
	void *__ctx[] CRYPTO_MINALIGN_ATTR;	/* a struct shash_desc */
};

#define HASH_MAX_DIGESTSIZE 64
#define HASH_MAX_DESCSIZE 512
#define HASH_MAX_STATESIZE 512
#define SHASH_DESC_ON_STACK(desc, hash)						\
	char usermm_##desc[sizeof(struct shash_desc) + HASH_MAX_DESCSIZE]	\
		__attribute__((aligned(16)));					\
	struct shash_desc *desc = (struct shash_desc *)usermm_##desc

USERMM_BEGIN_DECLS

/* ERR_PTR: -ENOENT for a name that is not there, -ENOMEM. May sleep. */
struct crypto_shash *crypto_alloc_shash(const char *name, u32 type, u32 mask)
	USERMM_API(crypto_alloc_shash);
struct crypto_ahash *crypto_alloc_ahash(const char *name, u32 type, u32 mask)
	USERMM_API(crypto_alloc_ahash);
void crypto_free_ahash(struct crypto_ahash *hash) USERMM_API(crypto_free_ahash);

/* 0; -ENOSYS for a hash without keys; -EINVAL for a key that it does not take. */
int crypto_shash_setkey(struct crypto_shash *hash, const u8 *key, unsigned int length)
	USERMM_API(crypto_shash_setkey);

/* Do not sleep. 0; -ENOKEY for a hash that lacks its key. */
int crypto_shash_init(struct shash_desc *desc) USERMM_API(crypto_shash_init);
int crypto_shash_update(struct shash_desc *desc, const u8 *data, unsigned int length)
	USERMM_API(crypto_shash_update);
int crypto_shash_final(struct shash_desc *desc, u8 *out) USERMM_API(crypto_shash_final);
int crypto_shash_finup(struct shash_desc *desc, const u8 *data, unsigned int length, u8 *out)
	USERMM_API(crypto_shash_finup);
int crypto_shash_digest(struct shash_desc *desc, const u8 *data, unsigned int length, u8 *out)
	USERMM_API(crypto_shash_digest);
int crypto_shash_tfm_digest(struct crypto_shash *hash, const u8 *data, unsigned int length,
			    u8 *out) USERMM_API(crypto_shash_tfm_digest);
int crypto_shash_export(struct shash_desc *desc, void *out) USERMM_API(crypto_shash_export);
int crypto_shash_import(struct shash_desc *desc, const void *in) USERMM_API(crypto_shash_import);

struct ahash_request *ahash_request_alloc(struct crypto_ahash *hash, gfp_t gfp)
	USERMM_API(ahash_request_alloc);
int crypto_ahash_init(struct ahash_request *request) USERMM_API(crypto_ahash_init);
int crypto_ahash_update(struct ahash_request *request) USERMM_API(crypto_ahash_update);
int crypto_ahash_final(struct ahash_request *request) USERMM_API(crypto_ahash_final);

USERMM_END_DECLS

#define crypto_shash_tfm(hash) (&(hash)->base)
#define crypto_ahash_tfm(hash) (&(hash)->base)

static inline struct shash_alg *crypto_shash_alg(struct crypto_shash *hash)
{
	return container_of(hash->base.__crt_alg, struct shash_alg, base);
}

static inline void *crypto_shash_ctx(struct crypto_shash *hash)
{
	return crypto_tfm_ctx(crypto_shash_tfm(hash));
}

static inline void *shash_desc_ctx(struct shash_desc *desc)
{
	return desc->__ctx;
}

static inline unsigned int crypto_shash_descsize(struct crypto_shash *hash)
{
	return crypto_shash_alg(hash)->descsize;
}

static inline unsigned int crypto_shash_digestsize(struct crypto_shash *hash)
{
	return crypto_shash_alg(hash)->digestsize;
}

static inline unsigned int crypto_shash_statesize(struct crypto_shash *hash)
{
	return crypto_shash_alg(hash)->statesize;
}

static inline unsigned int crypto_shash_blocksize(struct crypto_shash *hash)
{
	return crypto_tfm_alg_blocksize(crypto_shash_tfm(hash));
}

static inline void crypto_free_shash(struct crypto_shash *hash)
{
	crypto_destroy_tfm(hash, crypto_shash_tfm(hash));
}

static inline void shash_desc_zero(struct shash_desc *desc)
{
	memzero_explicit(desc, sizeof(*desc) + crypto_shash_descsize(desc->tfm));
}

#define crypto_has_shash(name, type, mask) crypto_has_alg(name, type, mask)
#define crypto_has_ahash(name, type, mask) crypto_has_alg(name, type, mask)
#define crypto_shash_alg_name(hash) crypto_tfm_alg_name(crypto_shash_tfm(hash))
#define crypto_shash_driver_name(hash) crypto_tfm_alg_driver_name(crypto_shash_tfm(hash))
#define crypto_shash_get_flags(hash) crypto_tfm_get_flags(crypto_shash_tfm(hash))
#define crypto_shash_set_flags(hash, bits) crypto_tfm_set_flags(crypto_shash_tfm(hash), bits)
#define crypto_ahash_alg_name(hash) crypto_shash_alg_name((hash)->usermm_shash)
#define crypto_ahash_driver_name(hash) crypto_shash_driver_name((hash)->usermm_shash)
#define crypto_ahash_digestsize(hash) crypto_shash_digestsize((hash)->usermm_shash)
#define crypto_ahash_statesize(hash) crypto_shash_statesize((hash)->usermm_shash)
#define crypto_ahash_blocksize(hash) crypto_shash_blocksize((hash)->usermm_shash)
#define crypto_ahash_setkey(hash, key, length) \
	crypto_shash_setkey((hash)->usermm_shash, key, length)
#define crypto_ahash_clear_flags(hash, bits) crypto_tfm_clear_flags(crypto_ahash_tfm(hash), bits)
#define crypto_ahash_set_flags(hash, bits) crypto_tfm_set_flags(crypto_ahash_tfm(hash), bits)

static inline unsigned int crypto_ahash_reqsize(struct crypto_ahash *hash)
{
	return (unsigned int)sizeof(struct shash_desc) +
	       crypto_shash_descsize(hash->usermm_shash);
}

static inline struct crypto_ahash *crypto_ahash_reqtfm(struct ahash_request *request)
{
	return container_of(request->base.tfm, struct crypto_ahash, base);
}

static inline void ahash_request_set_tfm(struct ahash_request *request, struct crypto_ahash *hash)
{
	request->base.tfm = crypto_ahash_tfm(hash);
}

static inline void ahash_request_free(struct ahash_request *request)
{
	kfree_sensitive(request);
}

static inline void ahash_request_set_callback(struct ahash_request *request, u32 flags,
					      crypto_completion_t done, void *data)
{
	request->base.complete = done;
	request->base.data = data;
	request->base.flags = flags;
}

static inline void ahash_request_set_crypt(struct ahash_request *request,
					   struct scatterlist *from, u8 *out, unsigned int length)
{
	request->src = from;
	request->nbytes = length;
	request->result = out;
}

static inline int crypto_ahash_finup(struct ahash_request *request)
{
	int error = crypto_ahash_update(request);

	return error ? error : crypto_ahash_final(request);
}

static inline int crypto_ahash_digest(struct ahash_request *request)
{
	int error = crypto_ahash_init(request);

	return error ? error : crypto_ahash_finup(request);
}

#endif
