// SPDX-License-Identifier: MIT
/*
 * Hash tables of objects, see linux/rhashtable.h; cf. Linux lib/rhashtable.c.
 *
 * A table's lock serialises those who change it, and a resize happens whole under it. Readers hold
 * no lock. A resize publishes the new table as the old one's future, then moves objects one by one,
 * from the end of each bucket. An object that moves is first in its new bucket, then out of its
 * old one, so a reader who does not find it in the old table finds it in the future one. A reader
 * who stands on the object goes on in the new bucket; its end names another bucket than the
 * reader's own, who starts again. The old table is freed after a grace period.
 */
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include "rhashtable.h"

static const unsigned int DEFAULT_BUCKETS = 64, LEAST_BUCKETS = 4;

static struct bucket_table *make_table(unsigned int size, gfp_t gfp)
{
	struct bucket_table *tbl = kvzalloc(struct_size(tbl, buckets, size), gfp);

	if (!tbl)
		return NULL;
	tbl->size = size;
	tbl->seed = get_random_u32();
	for (unsigned int i = 0; i < size; i++)
		tbl->buckets[i] = bucket_end(tbl, i);
	return tbl;
}

int rhashtable_init(struct rhashtable *ht, const struct rhashtable_params *params)
{
	unsigned int size = DEFAULT_BUCKETS;
	struct bucket_table *tbl;

	if ((!params->key_len && !params->obj_hashfn) || (params->obj_hashfn && !params->obj_cmpfn))
		return -EINVAL;
	memset(ht, 0, sizeof(*ht));
	spin_lock_init(&ht->lock);
	ht->p = *params;
	ht->key_len = params->key_len;
	if (params->min_size)
		ht->p.min_size = (u16)roundup_pow_of_two(params->min_size);
	ht->max_elems = 1U << 31;
	if (params->max_size) {
		ht->p.max_size = rounddown_pow_of_two(params->max_size);
		if (ht->p.max_size < ht->max_elems / 2)
			ht->max_elems = ht->p.max_size * 2;
	}
	ht->p.min_size = (u16)max_t(unsigned int, ht->p.min_size, LEAST_BUCKETS);
	if (params->nelem_hint)
		size = (unsigned int)roundup_pow_of_two(params->nelem_hint * 4UL / 3);
	tbl = make_table(max_t(unsigned int, size, ht->p.min_size), GFP_KERNEL);
	if (!tbl)
		return -ENOMEM;
	RCU_INIT_POINTER(ht->tbl, tbl);
	return 0;
}

int rhltable_init(struct rhltable *hlt, const struct rhashtable_params *params)
{
	int error = rhashtable_init(&hlt->ht, params);

	hlt->ht.rhlist = true;
	return error;
}

const void *usermm_rhashtable_key(const struct rhashtable *ht, const struct rhash_head *head)
{
	return (char *)rht_obj(ht, head) + ht->p.key_offset;
}

static u32 key_bucket(const struct rhashtable *ht, const struct bucket_table *tbl, const void *key)
{
	u32 hash = ht->p.hashfn ? ht->p.hashfn(key, ht->key_len, tbl->seed) :
				  jhash(key, ht->key_len, tbl->seed);

	return hash & (tbl->size - 1);
}

static u32 object_bucket(const struct rhashtable *ht, const struct bucket_table *tbl,
			 const struct rhash_head *head)
{
	if (!ht->p.obj_hashfn)
		return key_bucket(ht, tbl, usermm_rhashtable_key(ht, head));
	return ht->p.obj_hashfn(rht_obj(ht, head), ht->key_len, tbl->seed) & (tbl->size - 1);
}

static bool has_key(struct rhashtable *ht, struct rhash_head *head, const void *key)
{
	struct rhashtable_compare_arg arg = { .ht = ht, .key = key };

	if (ht->p.obj_cmpfn)
		return !ht->p.obj_cmpfn(&arg, rht_obj(ht, head));
	return !memcmp(usermm_rhashtable_key(ht, head), key, ht->key_len);
}

static struct rhash_head *search(struct rhashtable *ht, const void *key)
{
	struct bucket_table *tbl = rcu_dereference(ht->tbl);

	while (tbl) {
		u32 bucket = key_bucket(ht, tbl, key);
		struct rhash_head *head;

		do {
			bucket_for_each(head, tbl, bucket)
				if (has_key(ht, head, key))
					return head;
		} while (head != bucket_end(tbl, bucket));
		/* Pairs with resize(): who misses an object that moved sees where it went. */
		smp_rmb();
		tbl = rcu_dereference(tbl->future);
	}
	return NULL;
}

void *usermm_rhashtable_lookup(struct rhashtable *ht, const void *key)
{
	struct rhash_head *head = search(ht, key);

	return head ? rht_obj(ht, head) : NULL;
}

struct rhlist_head *usermm_rhltable_lookup(struct rhltable *hlt, const void *key)
{
	struct rhash_head *head = search(&hlt->ht, key);

	return head ? container_of(head, struct rhlist_head, rhead) : NULL;
}

static void free_table(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct bucket_table, rcu));
}

/* The place that points to the bucket's last object, or to its end. */
static struct rhash_head **last_place(struct bucket_table *tbl, unsigned int bucket)
{
	struct rhash_head **place = &tbl->buckets[bucket];

	while (!is_bucket_end(*place) && !is_bucket_end((*place)->next))
		place = &(*place)->next;
	return place;
}

static void resize(struct rhashtable *ht, unsigned int size)
{
	struct bucket_table *old = ht->tbl, *new_table = make_table(size, GFP_ATOMIC);

	if (!new_table)
		return;		/* longer buckets serve as well */
	new_table->number = old->number + 1;
	/* Before an object moves: see search(). */
	rcu_assign_pointer(old->future, new_table);
	smp_wmb();
	for (unsigned int i = 0; i < old->size; i++) {
		struct rhash_head **place, *head;

		while (!is_bucket_end(*(place = last_place(old, i)))) {
			u32 bucket = object_bucket(ht, new_table, head = *place);

			rcu_assign_pointer(head->next, new_table->buckets[bucket]);
			rcu_assign_pointer(new_table->buckets[bucket], head);
			rcu_assign_pointer(*place, bucket_end(old, i));
		}
	}
	rcu_assign_pointer(ht->tbl, new_table);
	call_rcu(&old->rcu, free_table);
}

static void grow(struct rhashtable *ht)
{
	unsigned int size = ht->tbl->size;

	if ((unsigned int)atomic_read(&ht->nelems) > size / 4 * 3 &&
	    (!ht->p.max_size || size < ht->p.max_size))
		resize(ht, size * 2);
}

static void shrink(struct rhashtable *ht)
{
	unsigned int size = ht->tbl->size, n = (unsigned int)atomic_read(&ht->nelems);

	if (ht->p.automatic_shrinking && n < size * 3ULL / 10 && size > ht->p.min_size)
		resize(ht, max_t(unsigned int, ht->p.min_size,
				 (unsigned int)roundup_pow_of_two(n * 3UL / 2 + 1)));
}

/* The place that points to the object of the key, or NULL. Under the lock. */
static struct rhash_head **place_of_key(struct rhashtable *ht, const void *key)
{
	struct rhash_head **place = &ht->tbl->buckets[key_bucket(ht, ht->tbl, key)];

	for (; !is_bucket_end(*place); place = &(*place)->next)
		if (has_key(ht, *place, key))
			return place;
	return NULL;
}

static struct rhash_head **place_of(struct rhashtable *ht, const struct rhash_head *head)
{
	struct rhash_head **place = &ht->tbl->buckets[object_bucket(ht, ht->tbl, head)];

	for (; !is_bucket_end(*place); place = &(*place)->next)
		if (*place == head)
			return place;
	return NULL;
}

static int insert_first(struct rhashtable *ht, struct rhash_head *head)
{
	struct rhash_head **place = &ht->tbl->buckets[object_bucket(ht, ht->tbl, head)];

	if ((unsigned int)atomic_read(&ht->nelems) >= ht->max_elems)
		return -E2BIG;
	RCU_INIT_POINTER(head->next, *place);
	rcu_assign_pointer(*place, head);
	atomic_inc(&ht->nelems);
	grow(ht);
	return 0;
}

void *usermm_rhashtable_insert(struct rhashtable *ht, const void *key, struct rhash_head *obj)
{
	struct rhash_head **place;
	unsigned long flags;
	void *result = NULL;

	spin_lock_irqsave(&ht->lock, flags);
	place = key ? place_of_key(ht, key) : NULL;
	if (place)
		result = rht_obj(ht, *place);
	else
		result = ERR_PTR(insert_first(ht, obj));
	spin_unlock_irqrestore(&ht->lock, flags);
	return result;
}

int usermm_rhltable_insert(struct rhltable *hlt, const void *key, struct rhlist_head *list)
{
	struct rhashtable *ht = &hlt->ht;
	struct rhash_head **place;
	unsigned long flags;
	int error = 0;

	spin_lock_irqsave(&ht->lock, flags);
	place = place_of_key(ht, key);
	if (place) {
		RCU_INIT_POINTER(list->next, container_of(*place, struct rhlist_head, rhead));
		RCU_INIT_POINTER(list->rhead.next, (*place)->next);
		rcu_assign_pointer(*place, &list->rhead);
		atomic_inc(&ht->nelems);
	} else {
		RCU_INIT_POINTER(list->next, NULL);
		error = insert_first(ht, &list->rhead);
	}
	spin_unlock_irqrestore(&ht->lock, flags);
	return error;
}

int usermm_rhashtable_remove(struct rhashtable *ht, struct rhash_head *obj)
{
	struct rhash_head **place;
	unsigned long flags;

	spin_lock_irqsave(&ht->lock, flags);
	place = place_of(ht, obj);
	if (place) {
		rcu_assign_pointer(*place, obj->next);
		atomic_dec(&ht->nelems);
		shrink(ht);
	}
	spin_unlock_irqrestore(&ht->lock, flags);
	return place ? 0 : -ENOENT;
}

/* Takes list out of the list whose first object *place points to: was it there? */
static bool remove_from_list(struct rhash_head **place, struct rhlist_head *list)
{
	struct rhlist_head *first = container_of(*place, struct rhlist_head, rhead);

	if (first == list) {
		struct rhlist_head *next = list->next;

		if (next)
			RCU_INIT_POINTER(next->rhead.next, list->rhead.next);
		rcu_assign_pointer(*place, next ? &next->rhead : list->rhead.next);
		return true;
	}
	while (first->next && first->next != list)
		first = first->next;
	if (!first->next)
		return false;
	rcu_assign_pointer(first->next, list->next);
	return true;
}

int usermm_rhltable_remove(struct rhltable *hlt, struct rhlist_head *list)
{
	struct rhashtable *ht = &hlt->ht;
	struct rhash_head **place;
	bool was_there = false;
	unsigned long flags;

	spin_lock_irqsave(&ht->lock, flags);
	place = place_of_key(ht, usermm_rhashtable_key(ht, &list->rhead));
	if (place && remove_from_list(place, list)) {
		was_there = true;
		atomic_dec(&ht->nelems);
		shrink(ht);
	}
	spin_unlock_irqrestore(&ht->lock, flags);
	return was_there ? 0 : -ENOENT;
}

int usermm_rhashtable_replace(struct rhashtable *ht, struct rhash_head *old,
			      struct rhash_head *new_head)
{
	struct rhash_head **place;
	unsigned long flags;
	int error = 0;

	spin_lock_irqsave(&ht->lock, flags);
	place = place_of(ht, old);
	if (object_bucket(ht, ht->tbl, old) != object_bucket(ht, ht->tbl, new_head)) {
		error = -EINVAL;
	} else if (!place) {
		error = -ENOENT;
	} else {
		RCU_INIT_POINTER(new_head->next, old->next);
		rcu_assign_pointer(*place, new_head);
	}
	spin_unlock_irqrestore(&ht->lock, flags);
	return error;
}

static void free_objects(struct rhashtable *ht, struct rhash_head *head,
			 void (*free_fn)(void *ptr, void *arg), void *arg)
{
	struct rhlist_head *list = ht->rhlist ?
				   container_of(head, struct rhlist_head, rhead) : NULL;

	do {
		struct rhlist_head *next = list ? list->next : NULL;

		free_fn(rht_obj(ht, list ? &list->rhead : head), arg);
		list = next;
	} while (list);
}

void rhashtable_free_and_destroy(struct rhashtable *ht, void (*free_fn)(void *ptr, void *arg),
				 void *arg)
{
	struct bucket_table *tbl = ht->tbl;

	for (unsigned int i = 0; free_fn && i < tbl->size; i++) {
		struct rhash_head *head = tbl->buckets[i];

		while (!is_bucket_end(head)) {
			struct rhash_head *next = head->next;

			free_objects(ht, head, free_fn, arg);
			head = next;
		}
	}
	kvfree(tbl);
}
