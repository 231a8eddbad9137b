// SPDX-License-Identifier: MIT
/* Hashes of memory in pieces: crypto/hash.h. A request's context is a struct shash_desc. */
#include <crypto/hash.h>

struct crypto_ahash *crypto_alloc_ahash(const char *name, u32 type, u32 mask)
{
	struct crypto_ahash *hash = kzalloc(sizeof(*hash), GFP_KERNEL);
	struct crypto_shash *shash;

	if (!hash)
		return ERR_PTR(-ENOMEM);
	shash = crypto_alloc_shash(name, type, mask);
	if (IS_ERR(shash)) {
		kfree(hash);
		return ERR_CAST(shash);
	}
	hash->usermm_shash = shash;
	hash->base.__crt_alg = shash->base.__crt_alg;
	return hash;
}

void crypto_free_ahash(struct crypto_ahash *hash)
{
	if (IS_ERR_OR_NULL(hash))
		return;
	crypto_free_shash(hash->usermm_shash);
	kfree(hash);
}

struct ahash_request *ahash_request_alloc(struct crypto_ahash *hash, gfp_t gfp)
{
	struct ahash_request *request = kzalloc(sizeof(*request) + crypto_ahash_reqsize(hash), gfp);

	if (request)
		ahash_request_set_tfm(request, hash);
	return request;
}

static struct shash_desc *desc_of(struct ahash_request *request)
{
	struct shash_desc *desc = (struct shash_desc *)request->__ctx;

	desc->tfm = crypto_ahash_reqtfm(request)->usermm_shash;
	return desc;
}

int crypto_ahash_init(struct ahash_request *request)
{
	return crypto_shash_init(desc_of(request));
}

int crypto_ahash_update(struct ahash_request *request)
{
	unsigned int left = request->nbytes;
	int error = 0;

	for (struct scatterlist *sg = request->src; !error && sg && left; sg = sg_next(sg)) {
		unsigned int piece = min(left, sg->length);

		error = crypto_shash_update(desc_of(request), sg_virt(sg), piece);
		left -= piece;
	}
	return error;
}

int crypto_ahash_final(struct ahash_request *request)
{
	return crypto_shash_final(desc_of(request), request->result);
}
