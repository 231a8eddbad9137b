/* SPDX-License-Identifier: MIT */
/* The buckets of a hash table, for rhashtable.c and rhashtable_walk.c. */
#ifndef KERNEL_LIB_RHASHTABLE_H
#define KERNEL_LIB_RHASHTABLE_H

#include <linux/rhashtable.h>

struct bucket_table {
	unsigned int size;		/* a power of two */
	u32 seed;
	unsigned int number;		/* how many tables there were before */
	struct rcu_head rcu;
	struct bucket_table __rcu *future;	/* where objects go, or NULL */
	struct rhash_head __rcu *buckets[];
};

/* The end of a bucket tells which bucket it is, so that a reader who went astray notices. */
static inline struct rhash_head *bucket_end(const struct bucket_table *tbl, unsigned int bucket)
{
	return (struct rhash_head *)((unsigned long)&tbl->buckets[bucket] | 1);
}

static inline bool is_bucket_end(const struct rhash_head *head)
{
	return (unsigned long)head & 1;
}

#define bucket_for_each(head, tbl, bucket)					\
	for (head = rcu_dereference_raw((tbl)->buckets[bucket]); !is_bucket_end(head); \
	     head = rcu_dereference_raw((head)->next))

#endif
