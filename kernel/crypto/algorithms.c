// SPDX-License-Identifier: MIT
/* The algorithms by name: see linux/crypto.h. */
#include <linux/mutex.h>

#include "algorithms.h"

static DEFINE_MUTEX(lock);
static LIST_HEAD(registered);		/* Sync: lock */
static struct crypto_alg *const *const builtin[] = {
	cipher_builtin, shash_builtin, skcipher_builtin, aead_builtin,
};

static bool is_named(const struct crypto_alg *alg, const char *name)
{
	return !strcmp(alg->cra_name, name) || !strcmp(alg->cra_driver_name, name);
}

/* A type of 0 is any. */
static struct crypto_alg *better(struct crypto_alg *best, struct crypto_alg *alg,
				 const char *name, u32 type)
{
	if ((type && (alg->cra_flags & CRYPTO_ALG_TYPE_MASK) != type) || !is_named(alg, name))
		return best;
	return best && best->cra_priority >= alg->cra_priority ? best : alg;
}

static struct crypto_alg *find_locked(const char *name, u32 type)
{
	struct crypto_alg *best = NULL, *alg;

	list_for_each_entry(alg, &registered, cra_list)
		best = better(best, alg, name, type);
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++)
		for (size_t j = 0; builtin[i][j]; j++)
			best = better(best, builtin[i][j], name, type);
	return best;
}

struct crypto_alg *algorithm_find(const char *name, u32 type)
{
	struct crypto_alg *found;

	mutex_lock(&lock);
	found = find_locked(name, type);
	mutex_unlock(&lock);
	return found;
}

int crypto_has_alg(const char *name, u32 type, u32 mask)
{
	(void)type;
	(void)mask;
	return algorithm_find(name, 0) != NULL;
}

int algorithm_register(struct crypto_alg *alg, u32 type)
{
	const struct crypto_alg *found;
	int error = 0;

	if (!alg->cra_name[0] || alg->cra_priority < 0)
		return -EINVAL;
	if (!alg->cra_driver_name[0])
		snprintf(alg->cra_driver_name, sizeof(alg->cra_driver_name), "%.119s-generic",
			 alg->cra_name);
	alg->cra_flags = (alg->cra_flags & ~(u32)CRYPTO_ALG_TYPE_MASK) | type;
	mutex_lock(&lock);
	found = find_locked(alg->cra_driver_name, 0);
	if (found && !strcmp(found->cra_driver_name, alg->cra_driver_name))
		error = -EEXIST;
	else
		list_add_tail(&alg->cra_list, &registered);
	mutex_unlock(&lock);
	return error;
}

int crypto_register_alg(struct crypto_alg *alg)
{
	return algorithm_register(alg, CRYPTO_ALG_TYPE_CIPHER);
}

void crypto_unregister_alg(struct crypto_alg *alg)
{
	mutex_lock(&lock);
	list_del_init(&alg->cra_list);
	mutex_unlock(&lock);
}

void *algorithm_use(const char *name, u32 type, size_t offset)
{
	struct crypto_alg *alg = algorithm_find(name, type);
	struct crypto_tfm *tfm;
	char *memory;
	int error;

	if (!alg)
		return ERR_PTR(-ENOENT);
	memory = kzalloc(offset + sizeof(*tfm) + alg->cra_ctxsize, GFP_KERNEL);
	if (!memory)
		return ERR_PTR(-ENOMEM);
	tfm = (struct crypto_tfm *)(memory + offset);
	tfm->__crt_alg = alg;
	refcount_set(&tfm->refcnt, 1);
	error = alg->cra_init ? alg->cra_init(tfm) : 0;
	if (!error)
		return memory;
	kfree(memory);
	return ERR_PTR(error);
}

void crypto_destroy_tfm(void *memory, struct crypto_tfm *tfm)
{
	struct crypto_alg *alg;

	if (IS_ERR_OR_NULL(memory))
		return;
	alg = tfm->__crt_alg;
	switch (alg->cra_flags & CRYPTO_ALG_TYPE_MASK) {
	case CRYPTO_ALG_TYPE_SHASH:
		shash_exit(tfm);
		break;
	case CRYPTO_ALG_TYPE_SKCIPHER:
		skcipher_exit(tfm);
		break;
	default:
		break;
	}
	if (alg->cra_exit)
		alg->cra_exit(tfm);
	kfree_sensitive(memory);
}
