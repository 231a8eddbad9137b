/* SPDX-License-Identifier: MIT */
/*
 * Ciphers and hashes. There are md5, sha1, sha224, sha256, sha384, sha512, crc32, crc32c and the
 * hmac() of these hashes; aes with ecb(), cbc() and ctr(); gcm(aes); what modules register. All are
 * plain C, synchronous and slow: they serve to see that a module works, not to protect anything.
 * Other names are not found: -ENOENT.
 */
#ifndef _LINUX_CRYPTO_H
#define _LINUX_CRYPTO_H

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/version.h>
#include <usermm/compiler.h>

#define CRYPTO_ALG_TYPE_MASK 0x0000000f
#define CRYPTO_ALG_TYPE_CIPHER 0x00000001
#define CRYPTO_ALG_TYPE_AEAD 0x00000003
#define CRYPTO_ALG_TYPE_SKCIPHER 0x00000005
#define CRYPTO_ALG_TYPE_SHASH 0x0000000e
#define CRYPTO_ALG_TYPE_AHASH 0x0000000f
#define CRYPTO_ALG_ASYNC 0x00000080
#define CRYPTO_ALG_NEED_FALLBACK 0x00000100
#define CRYPTO_ALG_INTERNAL 0x00002000
#define CRYPTO_ALG_OPTIONAL_KEY 0x00004000
#define CRYPTO_ALG_ALLOCATES_MEMORY 0x00010000
#define CRYPTO_ALG_KERN_DRIVER_ONLY 0x00001000

#define CRYPTO_TFM_NEED_KEY 0x00000001
#define CRYPTO_TFM_REQ_MASK 0x000fff00
#define CRYPTO_TFM_REQ_FORBID_WEAK_KEYS 0x00000100
#define CRYPTO_TFM_REQ_MAY_SLEEP 0x00000200
#define CRYPTO_TFM_REQ_MAY_BACKLOG 0x00000400

#define CRYPTO_MAX_ALG_NAME 128
#define CRYPTO_MINALIGN ARCH_KMALLOC_MINALIGN
#define CRYPTO_MINALIGN_ATTR __attribute__((__aligned__(CRYPTO_MINALIGN)))

struct crypto_tfm;
struct module;

/* One block at a time; a module may register such a cipher. */
struct cipher_alg {
	unsigned int cia_min_keysize, cia_max_keysize;
	int (*cia_setkey)(struct crypto_tfm *tfm, const u8 *key, unsigned int length);
	void (*cia_encrypt)(struct crypto_tfm *tfm, u8 *to, const u8 *from);
	void (*cia_decrypt)(struct crypto_tfm *tfm, u8 *to, const u8 *from);
};

struct crypto_alg {
	struct list_head cra_list;
	u32 cra_flags;
	unsigned int cra_blocksize, cra_ctxsize, cra_alignmask, cra_reqsize;
	int cra_priority;
	refcount_t cra_refcnt;
	char cra_name[CRYPTO_MAX_ALG_NAME];
	char cra_driver_name[CRYPTO_MAX_ALG_NAME];
	union {
		struct cipher_alg cipher;
	} cra_u;
	int (*cra_init)(struct crypto_tfm *tfm);
	void (*cra_exit)(struct crypto_tfm *tfm);
	struct module *cra_module;
};

#define cra_cipher cra_u.cipher

/* What one user of an algorithm has: its key, and the state that the algorithm keeps. */
struct crypto_tfm {
	refcount_t refcnt;
	u32 crt_flags;
	struct crypto_alg *__crt_alg;
	void *__crt_ctx[] CRYPTO_MINALIGN_ATTR;
};

struct crypto_cipher {
	struct crypto_tfm base;
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
typedef void (*crypto_completion_t)(void *data, int error);
#else
struct crypto_async_request;
typedef void (*crypto_completion_t)(struct crypto_async_request *request, int error);
#endif

struct crypto_async_request {
	struct list_head list;
	crypto_completion_t complete;
	void *data;
	struct crypto_tfm *tfm;
	u32 flags;
};

struct crypto_wait {
	struct completion completion;
	int err;
};

#define DECLARE_CRYPTO_WAIT(name)					\
	struct crypto_wait name = { COMPLETION_INITIALIZER_ONSTACK((name).completion), 0 }

static inline void crypto_init_wait(struct crypto_wait *wait)
{
	init_completion(&wait->completion);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
static inline void crypto_req_done(void *data, int error)
{
	struct crypto_wait *wait = (struct crypto_wait *)data;
#else
static inline void crypto_req_done(struct crypto_async_request *request, int error)
{
	struct crypto_wait *wait = (struct crypto_wait *)request->data;
#endif

	if (error == -EINPROGRESS)
		return;
	wait->err = error;
	complete(&wait->completion);
}

static inline int crypto_wait_req(int error, struct crypto_wait *wait)
{
	if (error != -EINPROGRESS && error != -EBUSY)
		return error;
	wait_for_completion(&wait->completion);
	reinit_completion(&wait->completion);
	return wait->err;
}

static inline void *crypto_tfm_ctx(struct crypto_tfm *tfm)
{
	return tfm->__crt_ctx;
}

static inline const char *crypto_tfm_alg_name(struct crypto_tfm *tfm)
{
	return tfm->__crt_alg->cra_name;
}

static inline const char *crypto_tfm_alg_driver_name(struct crypto_tfm *tfm)
{
	return tfm->__crt_alg->cra_driver_name;
}

static inline unsigned int crypto_tfm_alg_blocksize(struct crypto_tfm *tfm)
{
	return tfm->__crt_alg->cra_blocksize;
}

static inline u32 crypto_tfm_get_flags(struct crypto_tfm *tfm)
{
	return tfm->crt_flags;
}

static inline void crypto_tfm_set_flags(struct crypto_tfm *tfm, u32 flags)
{
	tfm->crt_flags |= flags;
}

static inline void crypto_tfm_clear_flags(struct crypto_tfm *tfm, u32 flags)
{
	tfm->crt_flags &= ~flags;
}

USERMM_BEGIN_DECLS

/* Whether an algorithm of that name is there, whatever its type. */
int crypto_has_alg(const char *name, u32 type, u32 mask) USERMM_API(crypto_has_alg);
/* 0; -EEXIST for a driver's name that is taken; -EINVAL without a name. May sleep. */
int crypto_register_alg(struct crypto_alg *alg) USERMM_API(crypto_register_alg);
void crypto_unregister_alg(struct crypto_alg *alg) USERMM_API(crypto_unregister_alg);

/* A cipher of single blocks ("aes"), or ERR_PTR: -ENOENT, -ENOMEM. May sleep. */
struct crypto_cipher *crypto_alloc_cipher(const char *name, u32 type, u32 mask)
	USERMM_API(crypto_alloc_cipher);
int crypto_cipher_setkey(struct crypto_cipher *cipher, const u8 *key, unsigned int length)
	USERMM_API(crypto_cipher_setkey);
void crypto_cipher_encrypt_one(struct crypto_cipher *cipher, u8 *to, const u8 *from)
	USERMM_API(crypto_cipher_encrypt_one);
void crypto_cipher_decrypt_one(struct crypto_cipher *cipher, u8 *to, const u8 *from)
	USERMM_API(crypto_cipher_decrypt_one);
/* Also for the handles of hashes and others; clears the key. NULL and ERR_PTR are ignored. */
void crypto_destroy_tfm(void *memory, struct crypto_tfm *tfm) USERMM_API(crypto_destroy_tfm);

USERMM_END_DECLS

#define crypto_cipher_tfm(cipher) (&(cipher)->base)
#define crypto_cipher_blocksize(cipher) crypto_tfm_alg_blocksize(crypto_cipher_tfm(cipher))
#define crypto_has_cipher(name, type, mask) crypto_has_alg(name, type, mask)

static inline void crypto_free_cipher(struct crypto_cipher *cipher)
{
	crypto_destroy_tfm(cipher, crypto_cipher_tfm(cipher));
}

#endif
