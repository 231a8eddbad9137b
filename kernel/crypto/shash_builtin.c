// SPDX-License-Identifier: MIT
/* The hashes that are always there, each also as its hmac(), and two checksums. */
#include <crypto/internal/hash.h>
#include <crypto/md5.h>
#include <crypto/sha1.h>
#include <linux/crc32.h>
#include <linux/unaligned.h>

#include "algorithms.h"
#include "block_hash.h"

struct builtin_hash {
	struct shash_alg alg;
	const struct block_hash *blocks;
};

static const struct block_hash *blocks_of(const struct shash_desc *desc)
{
	return container_of(crypto_shash_alg(desc->tfm), struct builtin_hash, alg)->blocks;
}

static int hash_init(struct shash_desc *desc)
{
	block_hash_init(blocks_of(desc), shash_desc_ctx(desc));
	return 0;
}

static int hash_update(struct shash_desc *desc, const u8 *data, unsigned int length)
{
	block_hash_update(blocks_of(desc), shash_desc_ctx(desc), data, length);
	return 0;
}

static int hash_final(struct shash_desc *desc, u8 *out)
{
	block_hash_final(blocks_of(desc), shash_desc_ctx(desc), out);
	return 0;
}

static int keyed_setkey(struct crypto_shash *hash, const u8 *key, unsigned int length)
{
	hmac_prepare(container_of(crypto_shash_alg(hash), struct builtin_hash, alg)->blocks,
		     crypto_shash_ctx(hash), key, length);
	return 0;
}

static int keyed_init(struct shash_desc *desc)
{
	const struct hmac_state *key = crypto_shash_ctx(desc->tfm);
	struct usermm_hash_state *state = shash_desc_ctx(desc);

	*state = key->inner;
	return 0;
}

static int keyed_final(struct shash_desc *desc, u8 *out)
{
	hmac_final(blocks_of(desc), crypto_shash_ctx(desc->tfm), shash_desc_ctx(desc), out);
	return 0;
}

#define PLAIN(hash, SIZES) {							\
	.blocks = &block_##hash,						\
	.alg = {								\
		.init = hash_init, .update = hash_update, .final = hash_final,	\
		.descsize = sizeof(struct usermm_hash_state),			\
		.statesize = sizeof(struct usermm_hash_state),			\
		.digestsize = SIZES##_DIGEST_SIZE,				\
		.base = {							\
			.cra_name = #hash, .cra_driver_name = #hash "-generic",	\
			.cra_priority = 100, .cra_blocksize = SIZES##_BLOCK_SIZE, \
			.cra_flags = CRYPTO_ALG_TYPE_SHASH,			\
		} } }
#define KEYED(hash, SIZES) {							\
	.blocks = &block_##hash,						\
	.alg = {								\
		.setkey = keyed_setkey, .init = keyed_init,			\
		.update = hash_update, .final = keyed_final,			\
		.descsize = sizeof(struct usermm_hash_state),			\
		.statesize = sizeof(struct usermm_hash_state),			\
		.digestsize = SIZES##_DIGEST_SIZE,				\
		.base = {							\
			.cra_name = "hmac(" #hash ")",				\
			.cra_driver_name = "hmac(" #hash "-generic)",		\
			.cra_priority = 100, .cra_blocksize = SIZES##_BLOCK_SIZE, \
			.cra_ctxsize = sizeof(struct hmac_state),		\
			.cra_flags = CRYPTO_ALG_TYPE_SHASH,			\
		} } }

static struct builtin_hash hashes[] = {
	PLAIN(md5, MD5), PLAIN(sha1, SHA1), PLAIN(sha224, SHA224), PLAIN(sha256, SHA256),
	PLAIN(sha384, SHA384), PLAIN(sha512, SHA512),
	KEYED(md5, MD5), KEYED(sha1, SHA1), KEYED(sha224, SHA224), KEYED(sha256, SHA256),
	KEYED(sha384, SHA384), KEYED(sha512, SHA512),
};

/* The seed is the key: 0 for crc32, ones for crc32c. */
static int crc32_init_tfm(struct crypto_shash *hash)
{
	u32 *seed = crypto_shash_ctx(hash);

	*seed = crypto_shash_alg(hash)->base.cra_name[5] ? ~0U : 0;
	return 0;
}

static int crc32_setkey(struct crypto_shash *hash, const u8 *key, unsigned int length)
{
	u32 *seed = crypto_shash_ctx(hash);

	if (length != sizeof(*seed))
		return -EINVAL;
	*seed = get_unaligned_le32(key);
	return 0;
}

static int crc32_init(struct shash_desc *desc)
{
	u32 *sum = shash_desc_ctx(desc), *seed = crypto_shash_ctx(desc->tfm);

	*sum = *seed;
	return 0;
}

static int crc32_update(struct shash_desc *desc, const u8 *data, unsigned int length)
{
	u32 *sum = shash_desc_ctx(desc);

	*sum = crc32_le(*sum, data, length);
	return 0;
}

static int crc32_final(struct shash_desc *desc, u8 *out)
{
	u32 *sum = shash_desc_ctx(desc);

	put_unaligned_le32(*sum, out);
	return 0;
}

static int crc32c_update(struct shash_desc *desc, const u8 *data, unsigned int length)
{
	u32 *sum = shash_desc_ctx(desc);

	*sum = crc32c(*sum, data, length);
	return 0;
}

static int crc32c_final(struct shash_desc *desc, u8 *out)
{
	u32 *sum = shash_desc_ctx(desc);

	put_unaligned_le32(~*sum, out);
	return 0;
}

#define CHECKSUM(name) {							\
	.init_tfm = crc32_init_tfm, .setkey = crc32_setkey, .init = crc32_init,	\
	.update = name##_update, .final = name##_final,				\
	.descsize = sizeof(u32), .statesize = sizeof(u32), .digestsize = sizeof(u32), \
	.base = {								\
		.cra_name = #name, .cra_driver_name = #name "-generic",		\
		.cra_priority = 100, .cra_blocksize = 1, .cra_ctxsize = sizeof(u32), \
		.cra_flags = CRYPTO_ALG_TYPE_SHASH | CRYPTO_ALG_OPTIONAL_KEY,	\
	} }

static struct shash_alg checksums[] = { CHECKSUM(crc32), CHECKSUM(crc32c) };

struct crypto_alg *const shash_builtin[] = {
	&hashes[0].alg.base, &hashes[1].alg.base, &hashes[2].alg.base, &hashes[3].alg.base,
	&hashes[4].alg.base, &hashes[5].alg.base, &hashes[6].alg.base, &hashes[7].alg.base,
	&hashes[8].alg.base, &hashes[9].alg.base, &hashes[10].alg.base, &hashes[11].alg.base,
	&checksums[0].base, &checksums[1].base, NULL,
};
static_assert(ARRAY_SIZE(shash_builtin) == ARRAY_SIZE(hashes) + ARRAY_SIZE(checksums) + 1);
