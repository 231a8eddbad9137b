// SPDX-License-Identifier: MIT
/* Ciphers of data in pieces: crypto/skcipher.h. */
#include <crypto/aes.h>
#include <crypto/internal/skcipher.h>

#include "algorithms.h"
#include "pieces.h"

struct crypto_skcipher *crypto_alloc_skcipher(const char *name, u32 type, u32 mask)
{
	struct crypto_skcipher *cipher = algorithm_use(name, CRYPTO_ALG_TYPE_SKCIPHER,
						       offsetof(struct crypto_skcipher, base));
	struct skcipher_alg *alg;
	int error;

	(void)type;
	(void)mask;
	if (IS_ERR(cipher))
		return cipher;
	alg = crypto_skcipher_alg(cipher);
	error = alg->init ? alg->init(cipher) : 0;
	if (error) {
		kfree(cipher);
		return ERR_PTR(error);
	}
	if (alg->max_keysize)
		crypto_skcipher_set_flags(cipher, CRYPTO_TFM_NEED_KEY);
	return cipher;
}

void skcipher_exit(struct crypto_tfm *tfm)
{
	struct crypto_skcipher *cipher = container_of(tfm, struct crypto_skcipher, base);

	if (crypto_skcipher_alg(cipher)->exit)
		crypto_skcipher_alg(cipher)->exit(cipher);
}

int crypto_skcipher_setkey(struct crypto_skcipher *cipher, const u8 *key, unsigned int length)
{
	const struct skcipher_alg *alg = crypto_skcipher_alg(cipher);
	int error = -EINVAL;

	if (length >= alg->min_keysize && length <= alg->max_keysize)
		error = alg->setkey(cipher, key, length);
	if (error)
		crypto_skcipher_set_flags(cipher, CRYPTO_TFM_NEED_KEY);
	else
		crypto_skcipher_clear_flags(cipher, CRYPTO_TFM_NEED_KEY);
	return error;
}

static int lacks_key(struct crypto_skcipher *cipher)
{
	return crypto_skcipher_get_flags(cipher) & CRYPTO_TFM_NEED_KEY ? -ENOKEY : 0;
}

int crypto_skcipher_encrypt(struct skcipher_request *request)
{
	struct crypto_skcipher *cipher = crypto_skcipher_reqtfm(request);
	int error = lacks_key(cipher);

	return error ? error : crypto_skcipher_alg(cipher)->encrypt(request);
}

int crypto_skcipher_decrypt(struct skcipher_request *request)
{
	struct crypto_skcipher *cipher = crypto_skcipher_reqtfm(request);
	int error = lacks_key(cipher);

	return error ? error : crypto_skcipher_alg(cipher)->decrypt(request);
}

int crypto_register_skcipher(struct skcipher_alg *alg)
{
	if (!alg->encrypt || !alg->decrypt || (alg->max_keysize && !alg->setkey))
		return -EINVAL;
	return algorithm_register(&alg->base, CRYPTO_ALG_TYPE_SKCIPHER);
}

void crypto_unregister_skcipher(struct skcipher_alg *alg)
{
	crypto_unregister_alg(&alg->base);
}

typedef void block_fn(const struct crypto_aes_ctx *key, u8 *iv, u8 *block);

/* Calls block for each whole one; in ctr() the last may be shorter. */
static int each_block(struct skcipher_request *request, block_fn *block)
{
	struct piece_cursor from = { .sg = request->src }, to = { .sg = request->dst };
	struct crypto_skcipher *cipher = crypto_skcipher_reqtfm(request);
	const struct crypto_aes_ctx *key = crypto_skcipher_ctx(cipher);
	u8 buffer[AES_BLOCK_SIZE] = { 0 };

	if (request->cryptlen % crypto_skcipher_blocksize(cipher))
		return -EINVAL;
	for (unsigned int left = request->cryptlen; left;) {
		unsigned int piece = min(left, (unsigned int)AES_BLOCK_SIZE);

		pieces_copy(&from, buffer, piece, true);
		block(key, request->iv, buffer);
		pieces_copy(&to, buffer, piece, false);
		left -= piece;
	}
	memzero_explicit(buffer, sizeof(buffer));
	return 0;
}

static void ecb_encrypt_block(const struct crypto_aes_ctx *key, u8 *iv, u8 *block)
{
	(void)iv;
	aes_encrypt(key, block, block);
}

static void ecb_decrypt_block(const struct crypto_aes_ctx *key, u8 *iv, u8 *block)
{
	(void)iv;
	aes_decrypt(key, block, block);
}

static void cbc_encrypt_block(const struct crypto_aes_ctx *key, u8 *iv, u8 *block)
{
	crypto_xor(block, iv, AES_BLOCK_SIZE);
	aes_encrypt(key, block, block);
	memcpy(iv, block, AES_BLOCK_SIZE);
}

static void cbc_decrypt_block(const struct crypto_aes_ctx *key, u8 *iv, u8 *block)
{
	u8 last[AES_BLOCK_SIZE];

	memcpy(last, block, sizeof(last));
	aes_decrypt(key, block, block);
	crypto_xor(block, iv, AES_BLOCK_SIZE);
	memcpy(iv, last, sizeof(last));
}

static void ctr_block(const struct crypto_aes_ctx *key, u8 *iv, u8 *block)
{
	u8 stream[AES_BLOCK_SIZE];

	aes_encrypt(key, stream, iv);
	crypto_xor(block, stream, AES_BLOCK_SIZE);
	crypto_inc(iv, AES_BLOCK_SIZE);
}

#define MODE(mode, encrypt_block, decrypt_block)				\
	static int mode##_encrypt(struct skcipher_request *request)		\
	{									\
		return each_block(request, encrypt_block);			\
	}									\
	static int mode##_decrypt(struct skcipher_request *request)		\
	{									\
		return each_block(request, decrypt_block);			\
	}
MODE(ecb, ecb_encrypt_block, ecb_decrypt_block)
MODE(cbc, cbc_encrypt_block, cbc_decrypt_block)
MODE(ctr, ctr_block, ctr_block)

static int setkey(struct crypto_skcipher *cipher, const u8 *key, unsigned int length)
{
	return aes_expandkey(crypto_skcipher_ctx(cipher), key, length);
}

#define AES(mode, block_size, iv_size) {					\
	.setkey = setkey, .encrypt = mode##_encrypt, .decrypt = mode##_decrypt,	\
	.min_keysize = AES_MIN_KEY_SIZE, .max_keysize = AES_MAX_KEY_SIZE,	\
	.ivsize = iv_size, .chunksize = AES_BLOCK_SIZE,				\
	.base = {								\
		.cra_name = #mode "(aes)", .cra_driver_name = #mode "(aes-generic)", \
		.cra_priority = 100, .cra_blocksize = block_size,		\
		.cra_ctxsize = sizeof(struct crypto_aes_ctx),			\
		.cra_flags = CRYPTO_ALG_TYPE_SKCIPHER,				\
	} }

static struct skcipher_alg modes[] = {
	AES(ecb, AES_BLOCK_SIZE, 0), AES(cbc, AES_BLOCK_SIZE, AES_BLOCK_SIZE),
	AES(ctr, 1, AES_BLOCK_SIZE),
};

struct crypto_alg *const skcipher_builtin[] = {
	&modes[0].base, &modes[1].base, &modes[2].base, NULL,
};
