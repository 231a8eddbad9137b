/* SPDX-License-Identifier: MIT */
/*
 * Hash tables that grow and shrink, and are looked up under rcu_read_lock() alone. Those who
 * insert and remove need no lock, and may do so in any context: a table locks itself. The params
 * of each call are those of rhashtable_init(), which counts. An object that was removed is freed
 * after a grace period.
 */
#ifndef _LINUX_RHASHTABLE_H
#define _LINUX_RHASHTABLE_H

#include <linux/bit_spinlock.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/list_nulls.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable-types.h>
#include <linux/workqueue.h>

USERMM_BEGIN_DECLS

/* The object of the key, or NULL. The caller is under rcu_read_lock(). */
void *usermm_rhashtable_lookup(struct rhashtable *ht, const void *key)
	USERMM_API(rhashtable_lookup);

/*
 * Inserts obj unless the table has an object of the key, which is returned then. key NULL: obj is
 * inserted in any case. NULL: it was; else -E2BIG for a table that is full.
 */
void *usermm_rhashtable_insert(struct rhashtable *ht, const void *key, struct rhash_head *obj)
	USERMM_API(rhashtable_insert);

/* The key in the object of head. */
const void *usermm_rhashtable_key(const struct rhashtable *ht, const struct rhash_head *head)
	USERMM_API(rhashtable_key);

/* 0, or -ENOENT if the table does not have obj. */
int usermm_rhashtable_remove(struct rhashtable *ht, struct rhash_head *obj)
	USERMM_API(rhashtable_remove);
/* new stands where old stood: 0, -ENOENT without old, -EINVAL if their keys have other hashes. */
int usermm_rhashtable_replace(struct rhashtable *ht, struct rhash_head *old,
			      struct rhash_head *new_head)
	USERMM_API(rhashtable_replace);

struct rhlist_head *usermm_rhltable_lookup(struct rhltable *hlt, const void *key)
	USERMM_API(rhltable_lookup);
/* Inserts before the others of the same key: 0, -E2BIG. */
int usermm_rhltable_insert(struct rhltable *hlt, const void *key, struct rhlist_head *list)
	USERMM_API(rhltable_insert);
int usermm_rhltable_remove(struct rhltable *hlt, struct rhlist_head *list)
	USERMM_API(rhltable_remove);

/*
 * Frees the table after free_fn() of each object; nobody else may use it any more. free_fn may be
 * NULL, and may sleep.
 */
void rhashtable_free_and_destroy(struct rhashtable *ht, void (*free_fn)(void *ptr, void *arg),
				 void *arg)
	USERMM_API(rhashtable_free_and_destroy);

/*
 * A walk over all objects. Between rhashtable_walk_start() and stop the caller is under
 * rcu_read_lock(). If the table is resized meanwhile, start_check() gives -EAGAIN and next() the
 * error pointer of it, once; the walk then begins anew, so objects may come again.
 */
void rhashtable_walk_enter(struct rhashtable *ht, struct rhashtable_iter *iter)
	USERMM_API(rhashtable_walk_enter);
void rhashtable_walk_exit(struct rhashtable_iter *iter)
	USERMM_API(rhashtable_walk_exit);
int rhashtable_walk_start_check(struct rhashtable_iter *iter)
	USERMM_API(rhashtable_walk_start_check);
/* The next object; NULL at the end; ERR_PTR(-EAGAIN). */
void *rhashtable_walk_next(struct rhashtable_iter *iter)
	USERMM_API(rhashtable_walk_next);
/* What next() gave last, or would give first. */
void *rhashtable_walk_peek(struct rhashtable_iter *iter)
	USERMM_API(rhashtable_walk_peek);
void rhashtable_walk_stop(struct rhashtable_iter *iter)
	USERMM_API(rhashtable_walk_stop);

USERMM_END_DECLS

#define rht_entry(ptr, type, member) container_of(ptr, type, member)

static inline void *rht_obj(const struct rhashtable *ht, const struct rhash_head *head)
{
	return (char *)head - ht->p.head_offset;
}

static inline void *rhashtable_lookup(struct rhashtable *ht, const void *key,
				      const struct rhashtable_params params)
{
	(void)params;
	return usermm_rhashtable_lookup(ht, key);
}

static inline void *rhashtable_lookup_fast(struct rhashtable *ht, const void *key,
					   const struct rhashtable_params params)
{
	void *obj;

	(void)params;
	rcu_read_lock();
	obj = usermm_rhashtable_lookup(ht, key);
	rcu_read_unlock();
	return obj;
}

/* Like rhashtable_lookup_insert_key(), but NULL, the other object, or an error pointer. */
static inline void *rhashtable_lookup_get_insert_key(struct rhashtable *ht, const void *key,
						     struct rhash_head *obj,
						     const struct rhashtable_params params)
{
	(void)params;
	return usermm_rhashtable_insert(ht, key, obj);
}

static inline void *rhashtable_lookup_get_insert_fast(struct rhashtable *ht,
						      struct rhash_head *obj,
						      const struct rhashtable_params params)
{
	(void)params;
	return usermm_rhashtable_insert(ht, usermm_rhashtable_key(ht, obj), obj);
}

/* 0, -EEXIST, -E2BIG. */
static inline int rhashtable_lookup_insert_key(struct rhashtable *ht, const void *key,
					       struct rhash_head *obj,
					       const struct rhashtable_params params)
{
	void *other = rhashtable_lookup_get_insert_key(ht, key, obj, params);

	return IS_ERR(other) ? (int)PTR_ERR(other) : other ? -EEXIST : 0;
}

static inline int rhashtable_lookup_insert_fast(struct rhashtable *ht, struct rhash_head *obj,
						const struct rhashtable_params params)
{
	return rhashtable_lookup_insert_key(ht, usermm_rhashtable_key(ht, obj), obj, params);
}

/* Asks nobody whether the key is there. */
static inline int rhashtable_insert_fast(struct rhashtable *ht, struct rhash_head *obj,
					 const struct rhashtable_params params)
{
	return rhashtable_lookup_insert_key(ht, NULL, obj, params);
}

static inline int rhashtable_remove_fast(struct rhashtable *ht, struct rhash_head *obj,
					 const struct rhashtable_params params)
{
	(void)params;
	return usermm_rhashtable_remove(ht, obj);
}

static inline int rhashtable_replace_fast(struct rhashtable *ht, struct rhash_head *obj_old,
					  struct rhash_head *obj_new,
					  const struct rhashtable_params params)
{
	(void)params;
	return usermm_rhashtable_replace(ht, obj_old, obj_new);
}

static inline struct rhlist_head *rhltable_lookup(struct rhltable *hlt, const void *key,
						  const struct rhashtable_params params)
{
	(void)params;
	return usermm_rhltable_lookup(hlt, key);
}

static inline int rhltable_insert_key(struct rhltable *hlt, const void *key,
				      struct rhlist_head *list,
				      const struct rhashtable_params params)
{
	(void)params;
	return usermm_rhltable_insert(hlt, key, list);
}

static inline int rhltable_insert(struct rhltable *hlt, struct rhlist_head *list,
				  const struct rhashtable_params params)
{
	return rhltable_insert_key(hlt, usermm_rhashtable_key(&hlt->ht, &list->rhead), list,
				   params);
}

static inline int rhltable_remove(struct rhltable *hlt, struct rhlist_head *list,
				  const struct rhashtable_params params)
{
	(void)params;
	return usermm_rhltable_remove(hlt, list);
}

#define rhl_for_each_rcu(pos, list) \
	for (pos = list; pos; pos = rcu_dereference_raw((pos)->next))
#define rhl_for_each_entry_rcu(tpos, pos, list, member) \
	for (pos = list; pos && ((tpos = rht_entry(pos, __typeof__(*(tpos)), member)), true); \
	     pos = rcu_dereference_raw((pos)->next))

static inline void rhashtable_walk_start(struct rhashtable_iter *iter)
{
	(void)rhashtable_walk_start_check(iter);
}

static inline void rhashtable_destroy(struct rhashtable *ht)
{
	rhashtable_free_and_destroy(ht, NULL, NULL);
}

static inline void rhltable_free_and_destroy(struct rhltable *hlt,
					     void (*free_fn)(void *ptr, void *arg), void *arg)
{
	rhashtable_free_and_destroy(&hlt->ht, free_fn, arg);
}

static inline void rhltable_destroy(struct rhltable *hlt)
{
	rhltable_free_and_destroy(hlt, NULL, NULL);
}

static inline void rhltable_walk_enter(struct rhltable *hlt, struct rhashtable_iter *iter)
{
	rhashtable_walk_enter(&hlt->ht, iter);
}

#endif
