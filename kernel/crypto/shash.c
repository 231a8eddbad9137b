// SPDX-License-Identifier: MIT
/* Hashes of memory: see crypto/hash.h. */
#include <crypto/internal/hash.h>
#include <linux/string.h>

#include "algorithms.h"

struct crypto_shash *crypto_alloc_shash(const char *name, u32 type, u32 mask)
{
	struct crypto_shash *hash = algorithm_use(name, CRYPTO_ALG_TYPE_SHASH,
						  offsetof(struct crypto_shash, base));
	struct shash_alg *alg;
	int error;

	(void)type;
	(void)mask;
	if (IS_ERR(hash))
		return hash;
	alg = crypto_shash_alg(hash);
	error = alg->init_tfm ? alg->init_tfm(hash) : 0;
	if (error) {
		kfree(hash);
		return ERR_PTR(error);
	}
	if (alg->setkey && !(alg->base.cra_flags & CRYPTO_ALG_OPTIONAL_KEY))
		crypto_shash_set_flags(hash, CRYPTO_TFM_NEED_KEY);
	return hash;
}

void shash_exit(struct crypto_tfm *tfm)
{
	struct crypto_shash *hash = container_of(tfm, struct crypto_shash, base);

	if (crypto_shash_alg(hash)->exit_tfm)
		crypto_shash_alg(hash)->exit_tfm(hash);
}

int crypto_shash_setkey(struct crypto_shash *hash, const u8 *key, unsigned int length)
{
	const struct shash_alg *alg = crypto_shash_alg(hash);
	int error = alg->setkey ? alg->setkey(hash, key, length) : -ENOSYS;

	if (!error)
		crypto_tfm_clear_flags(&hash->base, CRYPTO_TFM_NEED_KEY);
	return error;
}

static int lacks_key(const struct shash_desc *desc)
{
	return desc->tfm->base.crt_flags & CRYPTO_TFM_NEED_KEY ? -ENOKEY : 0;
}

int crypto_shash_init(struct shash_desc *desc)
{
	int error = lacks_key(desc);

	return error ? error : crypto_shash_alg(desc->tfm)->init(desc);
}

int crypto_shash_update(struct shash_desc *desc, const u8 *data, unsigned int length)
{
	return crypto_shash_alg(desc->tfm)->update(desc, data, length);
}

int crypto_shash_final(struct shash_desc *desc, u8 *out)
{
	const struct shash_alg *alg = crypto_shash_alg(desc->tfm);

	return alg->final ? alg->final(desc, out) : alg->finup(desc, NULL, 0, out);
}

int crypto_shash_finup(struct shash_desc *desc, const u8 *data, unsigned int length, u8 *out)
{
	const struct shash_alg *alg = crypto_shash_alg(desc->tfm);
	int error;

	if (alg->finup)
		return alg->finup(desc, data, length, out);
	error = alg->update(desc, data, length);
	return error ? error : alg->final(desc, out);
}

int crypto_shash_digest(struct shash_desc *desc, const u8 *data, unsigned int length, u8 *out)
{
	const struct shash_alg *alg = crypto_shash_alg(desc->tfm);
	int error = lacks_key(desc);

	if (error)
		return error;
	if (alg->digest)
		return alg->digest(desc, data, length, out);
	error = alg->init(desc);
	return error ? error : crypto_shash_finup(desc, data, length, out);
}

int crypto_shash_tfm_digest(struct crypto_shash *hash, const u8 *data, unsigned int length, u8 *out)
{
	SHASH_DESC_ON_STACK(desc, hash);
	int error;

	desc->tfm = hash;
	error = crypto_shash_digest(desc, data, length, out);
	shash_desc_zero(desc);
	return error;
}

int crypto_shash_export(struct shash_desc *desc, void *out)
{
	const struct shash_alg *alg = crypto_shash_alg(desc->tfm);

	if (alg->export)
		return alg->export(desc, out);
	memcpy(out, shash_desc_ctx(desc), alg->descsize);
	return 0;
}

int crypto_shash_import(struct shash_desc *desc, const void *in)
{
	const struct shash_alg *alg = crypto_shash_alg(desc->tfm);
	int error = lacks_key(desc);

	if (error)
		return error;
	if (alg->import)
		return alg->import(desc, in);
	memcpy(shash_desc_ctx(desc), in, alg->descsize);
	return 0;
}

int crypto_register_shash(struct shash_alg *alg)
{
	if (!alg->init || !alg->update || (!alg->final && !alg->finup) ||
	    alg->digestsize > HASH_MAX_DIGESTSIZE || alg->descsize > HASH_MAX_DESCSIZE)
		return -EINVAL;
	if (!alg->statesize)
		alg->statesize = alg->descsize;
	return algorithm_register(&alg->base, CRYPTO_ALG_TYPE_SHASH);
}

void crypto_unregister_shash(struct shash_alg *alg)
{
	crypto_unregister_alg(&alg->base);
}
