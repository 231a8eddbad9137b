// SPDX-License-Identifier: MIT
/* Hashes and ciphers; the expected bytes are those of other implementations. */
#include <crypto/aead.h>
#include <crypto/hash.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/skcipher.h>
#include <crypto/sha1.h>
#include <crypto/sha2.h>
#include <kunit/test.h>
#include <linux/hex.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#define LONG_KEY								\
	"a key that is longer than a block of the hash: "			\
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"			\
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct {
	const char *name, *key, *digest;
} hashes[] = {
	{ "md5", NULL,
	  "3ea74b65673e1390b90da3e462c02f9f" },
	{ "sha1", NULL,
	  "2b498a2177b181ad0e5eddbd5cb58b8d52cf6941" },
	{ "sha224", NULL,
	  "567899873f388f26117f20e426c443b5f4594ae6f967ae21ad04001a" },
	{ "sha256", NULL,
	  "04773f8726c81cafcfa1a09a82664b98b00d2021031a1715bca1154f2dad3472" },
	{ "sha384", NULL,
	  "060eb8e1c01cc6c6c8c03fcb7898155f2b836fb97c9d331a7a296a1a209aac9d"
	  "261b2b268c4ba3c7299a3dd12b5bf81f" },
	{ "sha512", NULL,
	  "46e56ad30db9ef50f8b6762ba55839737f3fba34ab47863c9daff7b3f58f97fe"
	  "3465a52dd364560db47f802909ced49093322621ea0aebf8e0696b85ca8f81f0" },
	{ "hmac(md5)", LONG_KEY,
	  "f3e59582bac3d9e884ce8134986702ac" },
	{ "hmac(sha1)", LONG_KEY,
	  "f7a1531d3f83dc29c7266041ed6454c43a7a226d" },
	{ "hmac(sha224)", LONG_KEY,
	  "27a0acd4df5308a049f77ac100e1c53b95b2e0028f6df655559f0fc1" },
	{ "hmac(sha256)", LONG_KEY,
	  "8e75e854bc10b73f14755c85071830834c76985eefd4b61d8e3a0afbd228b5d2" },
	{ "hmac(sha384)", LONG_KEY,
	  "8fa8a0a358739d554e9bf78f275cdac25536b4fc32f5628cb57624bb66e0f510"
	  "c40a0f8bc5950686c21e2497f8eb7f5a" },
	{ "hmac(sha512)", LONG_KEY,
	  "4b6e99005b997ceffc10ddd17306d82bdc26417fd269c554092f655cedbc201c"
	  "bd498cf43e7a93321477d1b993a25a58fb2223b156e8e5adb092876e87c6483d" },
	{ "crc32", NULL, "1cd83a6b" },
	{ "crc32c", NULL, "28021335" },
};

static const struct {
	const char *name;
	unsigned int key_length, length;
	const char *text;
} ciphers[] = {
	{ "ecb(aes)", 16, 48,
	  "268590873ef180ab539cf461a5c5f8929995d4a8b9338747669ac484fc5403ef"
	  "bd050676103fa24406af3108e0d3e00c" },
	{ "ecb(aes)", 24, 48,
	  "3ff9b267a6d17da30ec2fdf1869e402ab71942f6403221e0e862eb43f02b19aa"
	  "3dcf24eada465512299b44a6c3e05ef5" },
	{ "ecb(aes)", 32, 48,
	  "ae5bf9ddaad53f23deb4efae9db72462c6e8b0d060f9d45d8e1247da4ab53f50"
	  "20561f706e58c3608ff892631b6a6ac8" },
	{ "cbc(aes)", 16, 48,
	  "f92326b52c4b767d202ce2d6008b083f4dfabf994bcf84cb0989d3031e2afb02"
	  "7baf34787ba338c436ad5c502966d15b" },
	{ "cbc(aes)", 24, 48,
	  "36680a41c2c3d94ad1643b8d0d6ceb58945c77832b5fc12314b6dda16221fe44"
	  "80081a94100fdc4f6bbd5e60052dfc9f" },
	{ "cbc(aes)", 32, 48,
	  "c520fa7e867b82c5b6c01f57ec10a9e3f9c6174e35362b762936c7702d95bd24"
	  "dfd3ca5cbf97dc44a56c9af9128648a5" },
	{ "ctr(aes)", 16, 41,
	  "9db57f84a23ac34c36455cd8c6bbe1f71ff5e14fd1b67d7d80038dc8a7376a86"
	  "e0b09e292ff0667150" },
	{ "ctr(aes)", 24, 41,
	  "b09d839123dd81c7e6bfb06e7a15e2fe5b4c11600ce84814505e52b4cd7754bb"
	  "248b830c40b52e7edf" },
	{ "ctr(aes)", 32, 41,
	  "90d20038a906967945cff6fbb1e1f5b0c6930a8d8f45887cd9c42d9a5d42344e"
	  "232b6ba929afa04cb9" },
};

static const char gcm_text[] =
	"95f4d30170b0013a5cf082cc6520da14cf8e75eb898bf46ac351f4dbefa8969b"
	  "d58a2fa0009fbc358f934be00f1a933e076f3a4b79";

enum { DATA = 300 };

static u8 data[DATA], key[32], iv[16];

static int crypto_test_init(struct kunit *test)
{
	(void)test;
	for (int i = 0; i < DATA; i++)
		data[i] = (u8)(7 * i + 3);
	for (int i = 0; i < 32; i++)
		key[i] = (u8)i;
	for (int i = 0; i < 16; i++)
		iv[i] = (u8)(100 + i);
	return 0;
}

static void expect_hex(struct kunit *test, const u8 *bytes, unsigned int n, const char *hex,
		       const char *what)
{
	char text[256] = "";

	KUNIT_ASSERT_LE(test, 2 * n, sizeof(text) - 1);
	bin2hex(text, bytes, n);
	KUNIT_EXPECT_STREQ_MSG(test, text, hex, "%s", what);
}

/* In pieces of each size up to two blocks, and at once. */
static void test_hashes_agree_with_others(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++) {
		struct crypto_shash *hash = crypto_alloc_shash(hashes[i].name, 0, 0);
		u8 digest[HASH_MAX_DIGESTSIZE];

		KUNIT_ASSERT_FALSE(test, IS_ERR(hash));
		if (hashes[i].key)
			KUNIT_EXPECT_EQ(test, 0,
					crypto_shash_setkey(hash, (const u8 *)hashes[i].key,
							    strlen(hashes[i].key)));
		for (unsigned int piece = 1; piece <= DATA; piece += piece < 140 ? 1 : 160) {
			SHASH_DESC_ON_STACK(desc, hash);

			desc->tfm = hash;
			KUNIT_EXPECT_EQ(test, crypto_shash_init(desc), 0);
			for (unsigned int at = 0; at < DATA; at += piece)
				crypto_shash_update(desc, data + at, min(piece, DATA - at));
			KUNIT_EXPECT_EQ(test, crypto_shash_final(desc, digest), 0);
			expect_hex(test, digest, crypto_shash_digestsize(hash), hashes[i].digest,
				   hashes[i].name);
		}
		KUNIT_EXPECT_EQ(test, crypto_shash_tfm_digest(hash, data, DATA, digest), 0);
		expect_hex(test, digest, crypto_shash_digestsize(hash), hashes[i].digest,
			   hashes[i].name);
		crypto_free_shash(hash);
	}
}

/* The padding of every length: a state that is taken along gives the same as one call. */
static void test_hash_state_can_be_exported(struct kunit *test)
{
	struct crypto_shash *hash = crypto_alloc_shash("sha256", 0, 0);
	u8 one[SHA256_DIGEST_SIZE], other[SHA256_DIGEST_SIZE], state[HASH_MAX_STATESIZE];
	SHASH_DESC_ON_STACK(desc, hash);

	KUNIT_ASSERT_FALSE(test, IS_ERR(hash));
	KUNIT_ASSERT_LE(test, crypto_shash_statesize(hash), sizeof(state));
	desc->tfm = hash;
	for (unsigned int n = 0; n < DATA; n++) {
		crypto_shash_init(desc);
		crypto_shash_update(desc, data, n / 2);
		crypto_shash_export(desc, state);
		shash_desc_zero(desc);
		desc->tfm = hash;
		KUNIT_EXPECT_EQ(test, crypto_shash_import(desc, state), 0);
		crypto_shash_finup(desc, data + n / 2, n - n / 2, one);
		sha256(data, n, other);
		KUNIT_EXPECT_MEMEQ(test, one, other, sizeof(one));
	}
	crypto_free_shash(hash);
}

static void test_library_calls(struct kunit *test)
{
	u8 digest[SHA512_DIGEST_SIZE];
	struct sha512_ctx ctx;

	sha1(data, DATA, digest);
	expect_hex(test, digest, SHA1_DIGEST_SIZE, hashes[1].digest, "sha1()");
	sha512_init(&ctx);
	sha512_update(&ctx, data, 100);
	sha512_update(&ctx, data + 100, DATA - 100);
	sha512_final(&ctx, digest);
	expect_hex(test, digest, SHA512_DIGEST_SIZE, hashes[5].digest, "sha512_final()");
	hmac_sha256_usingrawkey((const u8 *)LONG_KEY, strlen(LONG_KEY), data, DATA, digest);
	expect_hex(test, digest, SHA256_DIGEST_SIZE, hashes[9].digest, "hmac_sha256_usingrawkey()");
}

static void test_pieces_are_hashed_in_order(struct kunit *test)
{
	struct crypto_ahash *hash = crypto_alloc_ahash("sha1", 0, CRYPTO_ALG_ASYNC);
	struct ahash_request *request;
	struct scatterlist sg[3];
	u8 digest[SHA1_DIGEST_SIZE];
	DECLARE_CRYPTO_WAIT(wait);

	KUNIT_ASSERT_FALSE(test, IS_ERR(hash));
	request = ahash_request_alloc(hash, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, request);
	sg_init_table(sg, 3);
	for (int i = 0; i < 3; i++)
		sg_set_buf(&sg[i], kmemdup(data + DATA / 3 * i, DATA / 3, GFP_KERNEL), DATA / 3);
	ahash_request_set_callback(request, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &wait);
	ahash_request_set_crypt(request, sg, digest, DATA);
	KUNIT_EXPECT_EQ(test, crypto_wait_req(crypto_ahash_digest(request), &wait), 0);
	expect_hex(test, digest, sizeof(digest), hashes[1].digest, "ahash");
	for (int i = 0; i < 3; i++)
		kfree(sg_virt(&sg[i]));
	ahash_request_free(request);
	crypto_free_ahash(hash);
}

static void test_ciphers_agree_with_others(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(ciphers); i++) {
		struct crypto_skcipher *cipher = crypto_alloc_skcipher(ciphers[i].name, 0, 0);
		unsigned int n = ciphers[i].length;
		struct skcipher_request *request;
		struct scatterlist from[2], to;
		u8 *text = kzalloc(64, GFP_KERNEL), *plain = kmemdup(data, 64, GFP_KERNEL);
		u8 used[16];

		KUNIT_ASSERT_FALSE(test, IS_ERR(cipher));
		request = skcipher_request_alloc(cipher, GFP_KERNEL);
		sg_init_table(from, 2);
		sg_set_buf(&from[0], plain, 5);
		sg_set_buf(&from[1], plain + 5, n - 5);
		sg_init_one(&to, text, n);
		memcpy(used, iv, sizeof(iv));
		skcipher_request_set_crypt(request, from, &to, n, used);
		KUNIT_EXPECT_EQ(test, crypto_skcipher_encrypt(request), -ENOKEY);
		KUNIT_EXPECT_EQ(test, crypto_skcipher_setkey(cipher, key, 17), -EINVAL);
		KUNIT_EXPECT_EQ(test, 0,
				crypto_skcipher_setkey(cipher, key, ciphers[i].key_length));
		KUNIT_EXPECT_EQ(test, crypto_skcipher_encrypt(request), 0);
		expect_hex(test, text, n, ciphers[i].text, ciphers[i].name);

		/* In place. */
		memcpy(used, iv, sizeof(iv));
		skcipher_request_set_crypt(request, &to, &to, n, used);
		KUNIT_EXPECT_EQ(test, crypto_skcipher_decrypt(request), 0);
		KUNIT_EXPECT_MEMEQ(test, text, data, n);
		skcipher_request_set_crypt(request, &to, &to, n - 1, used);
		KUNIT_EXPECT_EQ(test, crypto_skcipher_encrypt(request),
				crypto_skcipher_blocksize(cipher) == 1 ? 0 : -EINVAL);
		skcipher_request_free(request);
		crypto_free_skcipher(cipher);
		kfree(text);
		kfree(plain);
	}
}

static void test_gcm_knows_its_tag(struct kunit *test)
{
	struct crypto_aead *aead = crypto_alloc_aead("gcm(aes)", 0, 0);
	u8 *text = kmemdup(data, 100, GFP_KERNEL);
	struct aead_request *request;
	struct scatterlist sg;

	KUNIT_ASSERT_FALSE(test, IS_ERR(aead));
	KUNIT_EXPECT_EQ(test, crypto_aead_setauthsize(aead, 17), -EINVAL);
	KUNIT_EXPECT_EQ(test, crypto_aead_setauthsize(aead, 16), 0);
	KUNIT_EXPECT_EQ(test, crypto_aead_setkey(aead, key, 16), 0);
	request = aead_request_alloc(aead, GFP_KERNEL);
	sg_init_one(&sg, text, 100);
	aead_request_set_ad(request, 20);
	aead_request_set_crypt(request, &sg, &sg, 37, iv);
	KUNIT_EXPECT_EQ(test, crypto_aead_encrypt(request), 0);
	expect_hex(test, text + 20, 37 + 16, gcm_text, "gcm");
	KUNIT_EXPECT_MEMEQ(test, text, data, 20);

	text[3] ^= 1;
	aead_request_set_crypt(request, &sg, &sg, 37 + 16, iv);
	KUNIT_EXPECT_EQ(test, crypto_aead_decrypt(request), -EBADMSG);
	memcpy(text, data, 57);
	aead_request_set_crypt(request, &sg, &sg, 37, iv);
	crypto_aead_encrypt(request);
	aead_request_set_crypt(request, &sg, &sg, 37 + 16, iv);
	KUNIT_EXPECT_EQ(test, crypto_aead_decrypt(request), 0);
	KUNIT_EXPECT_MEMEQ(test, text, data, 57);
	aead_request_free(request);
	crypto_free_aead(aead);
	kfree(text);
}

static int xor_init(struct shash_desc *desc)
{
	*(u8 *)shash_desc_ctx(desc) = 0;
	return 0;
}

static int xor_update(struct shash_desc *desc, const u8 *bytes, unsigned int n)
{
	while (n--)
		*(u8 *)shash_desc_ctx(desc) ^= *bytes++;
	return 0;
}

static int xor_final(struct shash_desc *desc, u8 *out)
{
	*out = *(u8 *)shash_desc_ctx(desc);
	return 0;
}

static void test_modules_register_their_own(struct kunit *test)
{
	static struct shash_alg better = {
		.init = xor_init, .update = xor_update, .final = xor_final,
		.digestsize = 1, .descsize = 1,
		.base = { .cra_name = "sha256", .cra_driver_name = "xor", .cra_priority = 200,
			  .cra_blocksize = 1 },
	};
	struct crypto_shash *hash;
	u8 sum;

	KUNIT_EXPECT_EQ(test, PTR_ERR(crypto_alloc_shash("xor", 0, 0)), -ENOENT);
	KUNIT_EXPECT_EQ(test, PTR_ERR(crypto_alloc_shash("cbc(aes)", 0, 0)), -ENOENT);
	KUNIT_ASSERT_EQ(test, crypto_register_shash(&better), 0);
	KUNIT_EXPECT_EQ(test, crypto_register_shash(&better), -EEXIST);
	hash = crypto_alloc_shash("sha256", 0, 0);	/* the highest priority */
	KUNIT_ASSERT_FALSE(test, IS_ERR(hash));
	KUNIT_EXPECT_EQ(test, crypto_shash_tfm_digest(hash, (const u8 *)"abc", 3, &sum), 0);
	KUNIT_EXPECT_EQ(test, sum, 'a' ^ 'b' ^ 'c');
	crypto_free_shash(hash);
	crypto_unregister_shash(&better);
	KUNIT_EXPECT_EQ(test, crypto_has_shash("xor", 0, 0), 0);
	KUNIT_EXPECT_EQ(test, crypto_has_shash("sha256-generic", 0, 0), 1);
}

static struct kunit_case crypto_cases[] = {
	KUNIT_CASE(test_hashes_agree_with_others), KUNIT_CASE(test_hash_state_can_be_exported),
	KUNIT_CASE(test_library_calls), KUNIT_CASE(test_pieces_are_hashed_in_order),
	KUNIT_CASE(test_ciphers_agree_with_others), KUNIT_CASE(test_gcm_knows_its_tag),
	KUNIT_CASE(test_modules_register_their_own), { }
};

static struct kunit_suite crypto_suite = {
	.name = "crypto", .init = crypto_test_init, .test_cases = crypto_cases,
};
kunit_test_suite(crypto_suite);
