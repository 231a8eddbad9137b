/* SPDX-License-Identifier: MIT */
/* The kernel's ciphers and hashes, of which there is none: crypto_alloc_...() is -ENOENT. */
#ifndef _LINUX_CRYPTO_H
#define _LINUX_CRYPTO_H

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/version.h>

#define CRYPTO_TFM_REQ_MAY_SLEEP 0x00000200
#define CRYPTO_TFM_REQ_MAY_BACKLOG 0x00000400
#define CRYPTO_ALG_ASYNC 0x00000080
#define CRYPTO_MAX_ALG_NAME 128

struct crypto_tfm {
	u32 crt_flags;
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
typedef void (*crypto_completion_t)(void *data, int error);
#else
struct crypto_async_request;
typedef void (*crypto_completion_t)(struct crypto_async_request *request, int error);
#endif

struct crypto_async_request {
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

#define crypto_has_alg(name, type, mask) ((void)(name), (void)(type), (void)(mask), 0)
#define crypto_alloc_cipher(name, type, mask) \
	((void)(name), (void)(type), (void)(mask), (struct crypto_cipher *)ERR_PTR(-ENOENT))
#define crypto_free_cipher(cipher) ((void)(cipher))

#endif
