// SPDX-License-Identifier: MIT
/* Ciphers of single blocks, and random bytes by name: linux/crypto.h, crypto/rng.h. */
#include <crypto/aes.h>
#include <crypto/rng.h>

#include "algorithms.h"

static int aes_setkey(struct crypto_tfm *tfm, const u8 *key, unsigned int length)
{
	return aes_expandkey(crypto_tfm_ctx(tfm), key, length);
}

static void aes_encrypt_one(struct crypto_tfm *tfm, u8 *to, const u8 *from)
{
	aes_encrypt(crypto_tfm_ctx(tfm), to, from);
}

static void aes_decrypt_one(struct crypto_tfm *tfm, u8 *to, const u8 *from)
{
	aes_decrypt(crypto_tfm_ctx(tfm), to, from);
}

static struct crypto_alg aes = {
	.cra_name = "aes", .cra_driver_name = "aes-generic", .cra_priority = 100,
	.cra_flags = CRYPTO_ALG_TYPE_CIPHER, .cra_blocksize = AES_BLOCK_SIZE,
	.cra_ctxsize = sizeof(struct crypto_aes_ctx),
	.cra_cipher = {
		.cia_min_keysize = AES_MIN_KEY_SIZE, .cia_max_keysize = AES_MAX_KEY_SIZE,
		.cia_setkey = aes_setkey, .cia_encrypt = aes_encrypt_one,
		.cia_decrypt = aes_decrypt_one,
	},
};

struct crypto_alg *const cipher_builtin[] = { &aes, NULL };

struct crypto_cipher *crypto_alloc_cipher(const char *name, u32 type, u32 mask)
{
	(void)type;
	(void)mask;
	return algorithm_use(name, CRYPTO_ALG_TYPE_CIPHER, offsetof(struct crypto_cipher, base));
}

int crypto_cipher_setkey(struct crypto_cipher *cipher, const u8 *key, unsigned int length)
{
	const struct cipher_alg *alg = &cipher->base.__crt_alg->cra_cipher;

	if (length < alg->cia_min_keysize || length > alg->cia_max_keysize)
		return -EINVAL;
	return alg->cia_setkey(&cipher->base, key, length);
}

void crypto_cipher_encrypt_one(struct crypto_cipher *cipher, u8 *to, const u8 *from)
{
	cipher->base.__crt_alg->cra_cipher.cia_encrypt(&cipher->base, to, from);
}

void crypto_cipher_decrypt_one(struct crypto_cipher *cipher, u8 *to, const u8 *from)
{
	cipher->base.__crt_alg->cra_cipher.cia_decrypt(&cipher->base, to, from);
}

struct crypto_rng *crypto_alloc_rng(const char *name, u32 type, u32 mask)
{
	static struct crypto_rng one;

	(void)type;
	(void)mask;
	return strcmp(name, "stdrng") ? ERR_PTR(-ENOENT) : &one;
}
