// SPDX-License-Identifier: MIT
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "name_table.h"

struct name {
	struct hlist_node node;
	struct rcu_head rcu;
	unsigned int number;
	unsigned int holders;		/* references; protected by names_lock */
	const char *text;
};

static DEFINE_HASHTABLE(names, 6);
static DEFINE_SPINLOCK(names_lock);
static struct kmem_cache *name_cache;
static unsigned int last_number;

static u32 hash(const char *text)
{
	return jhash(text, strlen(text), 0);
}

/* The caller holds names_lock or is an RCU reader. */
static struct name *find(const char *text)
{
	struct name *name;

	hash_for_each_possible_rcu(names, name, node, hash(text))
		if (!strcmp(name->text, text))
			return name;
	return NULL;
}

static struct name *new_name(const char *text, gfp_t gfp)
{
	struct name *name = kmem_cache_zalloc(name_cache, gfp);

	if (!name)
		return NULL;
	name->text = kstrdup(text, gfp);
	if (name->text)
		return name;
	kmem_cache_free(name_cache, name);
	return NULL;
}

static void free_name(struct name *name)
{
	kfree(name->text);
	kmem_cache_free(name_cache, name);
}

static void free_name_rcu(struct rcu_head *rcu)
{
	free_name(container_of(rcu, struct name, rcu));
}

struct name *name_get(const char *text, gfp_t gfp)
{
	struct name *made = new_name(text, gfp), *name;

	if (!made)
		return NULL;
	spin_lock(&names_lock);
	name = find(text);
	if (!name) {
		name = made;
		name->number = ++last_number;
		hash_add_rcu(names, &name->node, hash(text));
	}
	name->holders++;
	spin_unlock(&names_lock);
	if (name != made)
		free_name(made);
	return name;
}

void name_put(struct name *name)
{
	bool last;

	spin_lock(&names_lock);
	last = !--name->holders;
	if (last)
		hash_del_rcu(&name->node);
	spin_unlock(&names_lock);
	if (last)
		call_rcu(&name->rcu, free_name_rcu);
}

unsigned int name_number(const struct name *name)
{
	return name->number;
}

int name_lookup(const char *text)
{
	struct name *name;
	int number;

	rcu_read_lock();
	name = find(text);
	number = name ? (int)name->number : -ENOENT;
	rcu_read_unlock();
	return number;
}

int name_table_init(void)
{
	name_cache = KMEM_CACHE(name, SLAB_HWCACHE_ALIGN);
	return name_cache ? 0 : -ENOMEM;
}

/* All references must have been put. */
void name_table_exit(void)
{
	rcu_barrier();
	kmem_cache_destroy(name_cache);
}

MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Numbers for names");
