/* SPDX-License-Identifier: MIT */
/*
 * Writes a cache's attributes while the cache is in use, with Linux's errors.
 * cf. Linux mm/slub.c: the functions NAME_store().
 */
#include <errno.h>

#include "base/text.h"
#include "slab/debug/debug.h"
#include "slab/merge.h"
#include "slab/partial.h"
#include "stats/slab_attributes.h"
#include "usermm/stats.h"

/* NULL if the library was linked without this function. */
int kmem_cache_shrink(struct kmem_cache *cache) USERMM_API(kmem_cache_shrink)
	__attribute__((__weak__));

/* A decimal number, maybe after '+' and before an end of line. cf. Linux kstrtoul() */
static int read_number(const char *text, unsigned long *number)
{
	*number = 0;
	text += *text == '+';
	if (*text < '0' || *text > '9')
		return -EINVAL;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (unsigned long)(*text - '0'), number))
			return -ERANGE;
	text += *text == '\n';
	return *text ? -EINVAL : 0;
}

static int write_min_partial(struct kmem_cache *cache, const char *text)
{
	unsigned long number;
	int error = read_number(text, &number);

	if (error)
		return error;
	if (cache_keeps_slabs(cache))
		return -EINVAL;
	atomic_store_relaxed(&cache->min_partial, number);
	return 0;
}

/* CPUs keep no partial slabs here, so only 0 is accepted. */
static int write_cpu_partial(struct kmem_cache *cache, const char *text)
{
	unsigned long number;
	int error = read_number(text, &number);

	(void)cache;
	if (error)
		return error;
	return number ? -EINVAL : 0;
}

/* The text is a percentage. In the field, which counts in 1024ths, Linux has 1000 for 100 %. */
static int write_remote_ratio(struct kmem_cache *cache, const char *text)
{
	unsigned long number;
	int error = read_number(text, &number);

	if (error)
		return error;
	if (number > 100)
		return -ERANGE;
	atomic_store_relaxed(&cache->remote_node_defrag_ratio, (unsigned int)number * 10);
	return 0;
}

static int write_validate(struct kmem_cache *cache, const char *text)
{
	if (*text != '1' || !cache_is_debugged(cache))
		return -EINVAL;
	validate_slab_cache(cache);
	return 0;
}

static int write_failslab(struct kmem_cache *cache, const char *text)
{
	slab_flags_t flags = cache->flags & ~SLAB_FAILSLAB;

	if (cache->refcount > 1)
		return -EINVAL;
	atomic_store_relaxed(&cache->flags, *text == '1' ? flags | SLAB_FAILSLAB : flags);
	return 0;
}

static int write_shrink(struct kmem_cache *cache, const char *text)
{
	if (*text != '1')
		return -EINVAL;
	if (kmem_cache_shrink)
		kmem_cache_shrink(cache);
	else if (!(cache->flags & SLAB_TYPESAFE_BY_RCU))
		slab_free_empty(cache);
	return 0;
}

static const struct {
	const char *name;
	int (*write)(struct kmem_cache *cache, const char *text);	/* NULL: read only */
} attributes[] = {
	{ "min_partial", write_min_partial },
	{ "cpu_partial", write_cpu_partial },
	{ "remote_node_defrag_ratio", write_remote_ratio },
	{ "validate", write_validate },
	{ "failslab", write_failslab },
	{ "shrink", write_shrink },
	{ "slab_size", NULL }, { "object_size", NULL }, { "objs_per_slab", NULL },
	{ "order", NULL }, { "objects_partial", NULL }, { "partial", NULL },
	{ "cpu_slabs", NULL }, { "ctor", NULL }, { "aliases", NULL }, { "align", NULL },
	{ "hwcache_align", NULL }, { "reclaim_account", NULL }, { "destroy_by_rcu", NULL },
	{ "slabs_cpu_partial", NULL }, { "total_objects", NULL }, { "objects", NULL },
	{ "slabs", NULL }, { "sanity_checks", NULL }, { "trace", NULL }, { "red_zone", NULL },
	{ "poison", NULL }, { "store_user", NULL }, { "cache_dma", NULL }, { "usersize", NULL },
};

static int write_counter(struct kmem_cache *cache, unsigned int counter, const char *text)
{
	if (*text != '0' || !cache->counts)
		return -EINVAL;
	atomic_store_relaxed(&cache->counters.nr[counter], 0);
	return 0;
}

static int write_attribute(struct kmem_cache *cache, const char *name, const char *text)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(attributes); i++)
		if (!strcmp(attributes[i].name, name))
			return attributes[i].write ? (attributes[i].write)(cache, text) : -EIO;
	for (unsigned int i = 0; i < NR_SLAB_COUNTERS; i++)
		if (!strcmp(slab_counter_names[i], name))
			return write_counter(cache, i, text);
	return -ENOENT;
}

int usermm_write_slab_attribute(const char *cache, const char *attribute, const char *text)
{
	struct kmem_cache *found;

	if (slab_init())
		return -ENOMEM;
	lock_acquire(&slab_caches_lock);
	found = slab_find_locked(cache);
	lock_release(&slab_caches_lock);
	return found ? write_attribute(found, attribute, text) : -ENOENT;
}
