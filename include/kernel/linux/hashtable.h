/* SPDX-License-Identifier: MIT */
/* Hash tables: arrays of 2^bits hlists. */
#ifndef KERNEL_LINUX_HASHTABLE_H
#define KERNEL_LINUX_HASHTABLE_H

#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/rculist.h>

#define DEFINE_HASHTABLE(name, bits) struct hlist_head name[1 << (bits)] = { { NULL } }
#define DECLARE_HASHTABLE(name, bits) struct hlist_head name[1 << (bits)]
#define HASH_SIZE(name) ARRAY_SIZE(name)
#define HASH_BITS(name) ((unsigned int)ilog2(HASH_SIZE(name)))
#define hash_min(value, bits) \
	(sizeof(value) <= 4 ? hash_32((u32)(value), bits) : hash_long(value, bits))
#define hash_init(table) memset(table, 0, sizeof(table))
#define hash_add(table, node, key) \
	hlist_add_head(node, &(table)[hash_min(key, HASH_BITS(table))])
#define hash_add_rcu(table, node, key) \
	hlist_add_head_rcu(node, &(table)[hash_min(key, HASH_BITS(table))])
#define hash_hashed(node) (!hlist_unhashed(node))
#define hash_del(node) hlist_del_init(node)
#define hash_del_rcu(node) hlist_del_init_rcu(node)
#define hash_empty(table)						\
	({								\
		bool empty_ = true;					\
									\
		for (size_t i_ = 0; i_ < HASH_SIZE(table); i_++)	\
			empty_ = empty_ && hlist_empty(&(table)[i_]);	\
		empty_;							\
	})
#define hash_for_each(table, bucket, object, member)			\
	for ((bucket) = 0, object = NULL;				\
	     !object && (size_t)(bucket) < HASH_SIZE(table); (bucket)++) \
		hlist_for_each_entry(object, &(table)[bucket], member)
#define hash_for_each_rcu(table, bucket, object, member)		\
	for ((bucket) = 0, object = NULL;				\
	     !object && (size_t)(bucket) < HASH_SIZE(table); (bucket)++) \
		hlist_for_each_entry_rcu(object, &(table)[bucket], member)
#define hash_for_each_safe(table, bucket, tmp, object, member)		\
	for ((bucket) = 0, object = NULL;				\
	     !object && (size_t)(bucket) < HASH_SIZE(table); (bucket)++) \
		hlist_for_each_entry_safe(object, tmp, &(table)[bucket], member)
#define hash_for_each_possible(table, object, member, key)		\
	hlist_for_each_entry(object, &(table)[hash_min(key, HASH_BITS(table))], member)
#define hash_for_each_possible_rcu(table, object, member, key)		\
	hlist_for_each_entry_rcu(object, &(table)[hash_min(key, HASH_BITS(table))], member)
#define hash_for_each_possible_safe(table, object, tmp, member, key)	\
	hlist_for_each_entry_safe(object, tmp, &(table)[hash_min(key, HASH_BITS(table))], member)

#endif
