/* SPDX-License-Identifier: MIT */
/* What linux/rhashtable.h consists of. */
#ifndef _LINUX_RHASHTABLE_TYPES_H
#define _LINUX_RHASHTABLE_TYPES_H

#include <linux/alloc_tag.h>
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/mutex.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>
#include <usermm/compiler.h>

struct rhash_head {
	struct rhash_head __rcu *next;	/* odd: the end of a bucket */
};

struct rhlist_head {
	struct rhash_head rhead;
	struct rhlist_head __rcu *next;
};

struct bucket_table;
struct rhashtable;

struct rhashtable_compare_arg {
	struct rhashtable *ht;
	const void *key;
};

typedef u32 (*rht_hashfn_t)(const void *data, u32 len, u32 seed);
typedef u32 (*rht_obj_hashfn_t)(const void *data, u32 len, u32 seed);
typedef int (*rht_obj_cmpfn_t)(struct rhashtable_compare_arg *arg, const void *obj);

struct rhashtable_params {
	u16 nelem_hint, key_len, key_offset, head_offset;
	unsigned int max_size;		/* buckets; 0: no limit */
	u16 min_size;			/* buckets */
	bool automatic_shrinking;
	rht_hashfn_t hashfn;		/* NULL: jhash() */
	rht_obj_hashfn_t obj_hashfn;
	rht_obj_cmpfn_t obj_cmpfn;
};

struct rhashtable {
	struct bucket_table __rcu *tbl;
	unsigned int key_len, max_elems;
	struct rhashtable_params p;
	bool rhlist;
	spinlock_t lock;		/* of those who change the table */
	atomic_t nelems;
};

struct rhltable {
	struct rhashtable ht;
};

struct rhashtable_iter {
	struct rhashtable *ht;
	struct rhash_head *p;		/* the last one, or NULL */
	struct rhlist_head *list;	/* the last one of a list */
	unsigned int slot, skip;	/* bucket, objects of it that were given */
	unsigned int usermm_number;	/* of the bucket_table */
	bool end_of_table;
};

USERMM_BEGIN_DECLS

/* An empty table: 0, -ENOMEM, -EINVAL for params without a key. Sleeps. */
int rhashtable_init(struct rhashtable *ht, const struct rhashtable_params *params)
	USERMM_API(rhashtable_init);
/* One that may have several objects of a key. Its params have no obj_hashfn. */
int rhltable_init(struct rhltable *hlt, const struct rhashtable_params *params)
	USERMM_API(rhltable_init);

USERMM_END_DECLS

#define rhashtable_init_noprof(ht, params) rhashtable_init(ht, params)
#define rhltable_init_noprof(hlt, params) rhltable_init(hlt, params)

#endif
