// SPDX-License-Identifier: MIT
/* Walks over hash tables, see linux/rhashtable.h. */
#include <linux/kernel.h>
#include "rhashtable.h"

void rhashtable_walk_enter(struct rhashtable *ht, struct rhashtable_iter *iter)
{
	rcu_read_lock();
	*iter = (struct rhashtable_iter){
		.ht = ht, .usermm_number = rcu_dereference(ht->tbl)->number,
	};
	rcu_read_unlock();
}

void rhashtable_walk_exit(struct rhashtable_iter *iter)
{
	(void)iter;
}

static void begin_anew(struct rhashtable_iter *iter, const struct bucket_table *tbl)
{
	*iter = (struct rhashtable_iter){ .ht = iter->ht, .usermm_number = tbl->number };
}

/* Is the last object still in its bucket? Others may have removed it since the walk stopped. */
static void find_last(struct rhashtable_iter *iter, const struct bucket_table *tbl)
{
	struct rhlist_head *list = iter->list;
	struct rhash_head *head, *last = iter->p;
	unsigned int skip = 0;

	iter->p = NULL;
	iter->list = NULL;
	if (!last)
		return;
	bucket_for_each(head, tbl, iter->slot) {
		skip++;
		if (head != last)
			continue;
		iter->p = last;
		iter->skip = skip;
		if (iter->ht->rhlist)
			for (iter->list = container_of(head, struct rhlist_head, rhead);
			     iter->list && iter->list != list;)
				iter->list = rcu_dereference(iter->list->next);
		return;
	}
	iter->skip -= !!iter->skip;	/* the one that is gone is not before the next */
}

int rhashtable_walk_start_check(struct rhashtable_iter *iter)
{
	const struct bucket_table *tbl;

	rcu_read_lock();
	if (iter->end_of_table)
		return 0;
	tbl = rcu_dereference(iter->ht->tbl);
	if (tbl->number != iter->usermm_number) {
		begin_anew(iter, tbl);
		return -EAGAIN;
	}
	find_last(iter, tbl);
	return 0;
}

static void *object_of(const struct rhashtable_iter *iter)
{
	return rht_obj(iter->ht, iter->list ? &iter->list->rhead : iter->p);
}

/* The object after those that were given of the slot, or the first of a later one. */
static void *first_from(struct rhashtable_iter *iter, const struct bucket_table *tbl)
{
	for (; iter->slot < tbl->size; iter->slot++, iter->skip = 0) {
		unsigned int skip = iter->skip;
		struct rhash_head *head;

		bucket_for_each(head, tbl, iter->slot) {
			if (skip) {
				skip--;
				continue;
			}
			iter->skip++;
			iter->p = head;
			iter->list = iter->ht->rhlist ?
				     container_of(head, struct rhlist_head, rhead) : NULL;
			return object_of(iter);
		}
	}
	/* Objects that moved meanwhile were not given. */
	if (rcu_access_pointer(tbl->future)) {
		begin_anew(iter, tbl);
		return ERR_PTR(-EAGAIN);
	}
	iter->p = NULL;
	iter->end_of_table = true;
	return NULL;
}

void *rhashtable_walk_next(struct rhashtable_iter *iter)
{
	const struct bucket_table *tbl;
	struct rhash_head *next;

	if (iter->end_of_table)
		return NULL;
	tbl = rcu_dereference(iter->ht->tbl);
	if (tbl->number != iter->usermm_number) {
		begin_anew(iter, tbl);
		return ERR_PTR(-EAGAIN);
	}
	if (!iter->p)
		return first_from(iter, tbl);
	if (iter->list && (iter->list = rcu_dereference(iter->list->next)))
		return object_of(iter);
	/* The last object's own link holds even if it has been removed. */
	next = rcu_dereference(iter->p->next);
	if (!is_bucket_end(next)) {
		iter->skip++;
		iter->p = next;
		iter->list = iter->ht->rhlist ? container_of(next, struct rhlist_head, rhead) :
						NULL;
		return object_of(iter);
	}
	iter->slot++;
	iter->skip = 0;
	return first_from(iter, tbl);
}

void *rhashtable_walk_peek(struct rhashtable_iter *iter)
{
	if (iter->p)
		return object_of(iter);
	return iter->end_of_table ? NULL : rhashtable_walk_next(iter);
}

void rhashtable_walk_stop(struct rhashtable_iter *iter)
{
	(void)iter;
	rcu_read_unlock();
}
