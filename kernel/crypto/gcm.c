// SPDX-License-Identifier: MIT
/* gcm(aes): NIST SP 800-38D, with an IV of 12 bytes. */
#include <crypto/aead.h>
#include <crypto/aes.h>
#include <crypto/utils.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "algorithms.h"
#include "pieces.h"

static struct crypto_alg gcm = {
	.cra_name = "gcm(aes)", .cra_driver_name = "gcm_base(ctr(aes-generic))",
	.cra_priority = 100, .cra_flags = CRYPTO_ALG_TYPE_AEAD, .cra_blocksize = 1,
	.cra_ctxsize = sizeof(struct crypto_aes_ctx),
};

struct crypto_alg *const aead_builtin[] = { &gcm, NULL };

/* A sum of blocks, each multiplied by key; the first bit of the first byte is the lowest power. */
struct ghash {
	u64 key[2], sum[2];
};

struct gcm_work {
	struct ghash hash;
	u8 counter[AES_BLOCK_SIZE], mask[AES_BLOCK_SIZE];	/* mask hides the tag */
};

static void multiply(struct ghash *hash)
{
	u64 product[2] = { 0, 0 }, key[2] = { hash->key[0], hash->key[1] };

	for (unsigned int bit = 0; bit < 128; bit++) {
		u64 carry = key[1] & 1;

		if (hash->sum[bit / 64] >> (63 - bit % 64) & 1) {
			product[0] ^= key[0];
			product[1] ^= key[1];
		}
		key[1] = key[1] >> 1 | key[0] << 63;
		key[0] = key[0] >> 1 ^ (carry ? 0xe1ULL << 56 : 0);
	}
	hash->sum[0] = product[0];
	hash->sum[1] = product[1];
}

static void add_block(struct ghash *hash, const u8 *block)
{
	hash->sum[0] ^= get_unaligned_be64(block);
	hash->sum[1] ^= get_unaligned_be64(block + 8);
	multiply(hash);
}

struct crypto_aead *crypto_alloc_aead(const char *name, u32 type, u32 mask)
{
	struct crypto_aead *aead = algorithm_use(name, CRYPTO_ALG_TYPE_AEAD,
						 offsetof(struct crypto_aead, base));

	(void)type;
	(void)mask;
	if (IS_ERR(aead))
		return aead;
	aead->authsize = 16;
	crypto_aead_set_flags(aead, CRYPTO_TFM_NEED_KEY);
	return aead;
}

int crypto_aead_setkey(struct crypto_aead *aead, const u8 *key, unsigned int length)
{
	int error = aes_expandkey(crypto_tfm_ctx(&aead->base), key, length);

	if (!error)
		crypto_aead_clear_flags(aead, CRYPTO_TFM_NEED_KEY);
	return error;
}

int crypto_aead_setauthsize(struct crypto_aead *aead, unsigned int size)
{
	if (size != 4 && size != 8 && (size < 12 || size > 16))
		return -EINVAL;
	aead->authsize = size;
	return 0;
}

static void start(struct gcm_work *work, struct aead_request *request)
{
	const struct crypto_aes_ctx *key = crypto_tfm_ctx(request->base.tfm);
	u8 zero[AES_BLOCK_SIZE] = { 0 };

	aes_encrypt(key, zero, zero);
	work->hash = (struct ghash){ .key = { get_unaligned_be64(zero),
					      get_unaligned_be64(zero + 8) } };
	memcpy(work->counter, request->iv, 12);
	put_unaligned_be32(1, work->counter + 12);
	aes_encrypt(key, work->mask, work->counter);
}

/* Hashes the associated data, and copies it unchanged from src (`from`) to dst (`to`). */
static void pass_associated(struct gcm_work *work, struct piece_cursor *from,
			    struct piece_cursor *to, unsigned int length)
{
	while (length) {
		u8 block[AES_BLOCK_SIZE] = { 0 };
		unsigned int piece = min(length, (unsigned int)sizeof(block));

		pieces_copy(from, block, piece, true);
		pieces_copy(to, block, piece, false);
		add_block(&work->hash, block);
		length -= piece;
	}
}

static void pass_text(struct gcm_work *work, const struct crypto_aes_ctx *key,
		      struct piece_cursor *from, struct piece_cursor *to, unsigned int length,
		      bool encrypt)
{
	while (length) {
		u8 block[AES_BLOCK_SIZE] = { 0 }, stream[AES_BLOCK_SIZE];
		unsigned int piece = min(length, (unsigned int)sizeof(block));

		crypto_inc(work->counter + 12, 4);
		aes_encrypt(key, stream, work->counter);
		pieces_copy(from, block, piece, true);
		if (!encrypt)
			add_block(&work->hash, block);
		crypto_xor(block, stream, piece);
		if (encrypt)
			add_block(&work->hash, block);
		pieces_copy(to, block, piece, false);
		length -= piece;
	}
}

static void make_tag(struct gcm_work *work, u64 associated, u64 text, u8 *tag)
{
	u8 lengths[AES_BLOCK_SIZE] = { 0 };

	put_unaligned_be64(associated * 8, lengths);
	put_unaligned_be64(text * 8, lengths + 8);
	add_block(&work->hash, lengths);
	put_unaligned_be64(work->hash.sum[0], tag);
	put_unaligned_be64(work->hash.sum[1], tag + 8);
	crypto_xor(tag, work->mask, AES_BLOCK_SIZE);
}

static int work_on(struct aead_request *request, bool encrypt)
{
	struct piece_cursor from = { .sg = request->src }, to = { .sg = request->dst };
	struct crypto_aead *aead = crypto_aead_reqtfm(request);
	unsigned int text = request->cryptlen - (encrypt ? 0 : aead->authsize);
	u8 tag[AES_BLOCK_SIZE], given[AES_BLOCK_SIZE];
	struct gcm_work work;
	int error = 0;

	if (aead->base.crt_flags & CRYPTO_TFM_NEED_KEY)
		return -ENOKEY;
	if (!encrypt && request->cryptlen < aead->authsize)
		return -EINVAL;
	start(&work, request);
	pass_associated(&work, &from, &to, request->assoclen);
	pass_text(&work, crypto_tfm_ctx(&aead->base), &from, &to, text, encrypt);
	make_tag(&work, request->assoclen, text, tag);
	if (encrypt) {
		pieces_copy(&to, tag, aead->authsize, false);
	} else {
		pieces_copy(&from, given, aead->authsize, true);
		error = crypto_memneq(tag, given, aead->authsize) ? -EBADMSG : 0;
	}
	memzero_explicit(&work, sizeof(work));
	return error;
}

int crypto_aead_encrypt(struct aead_request *request)
{
	return work_on(request, true);
}

int crypto_aead_decrypt(struct aead_request *request)
{
	return work_on(request, false);
}
