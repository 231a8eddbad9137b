/* SPDX-License-Identifier: MIT */
/*
 * Prints the attributes that Linux has in /sys/kernel/slab/NAME, one "attribute value" in each
 * line, under the same names. Left out are the numbers of each node, and counters that the cache
 * does not keep (slab/counters.h). cf. Linux mm/slub.c.
 */
#include "base/fmt.h"
#include "os/os.h"
#include "slab/cpu_cache.h"
#include "slab/debug/debug.h"
#include "slab/merge.h"
#include "slab/partial.h"
#include "stats/slab_attributes.h"
#include "usermm/stats.h"

#define COUNTER_NAME(upper, lower) #lower,
const char *const slab_counter_names[] = { SLAB_COUNTERS(COUNTER_NAME) };
#undef COUNTER_NAME

struct counts {
	unsigned long slabs, partial, objects, objects_partial, total_objects;
};

static void print_flag(struct fmt_writer *out, const struct kmem_cache *cache, const char *name,
		       slab_flags_t flag)
{
	fmt_print(out, "%s %d\n", name, !!(cache->flags & flag));
}

static void print_flags(struct fmt_writer *out, const struct kmem_cache *cache)
{
	print_flag(out, cache, "hwcache_align", SLAB_HWCACHE_ALIGN);
	print_flag(out, cache, "reclaim_account", SLAB_RECLAIM_ACCOUNT);
	print_flag(out, cache, "cache_dma", SLAB_CACHE_DMA);
	print_flag(out, cache, "destroy_by_rcu", SLAB_TYPESAFE_BY_RCU);
	print_flag(out, cache, "sanity_checks", SLAB_CONSISTENCY_CHECKS);
	print_flag(out, cache, "trace", SLAB_TRACE);
	print_flag(out, cache, "red_zone", SLAB_RED_ZONE);
	print_flag(out, cache, "poison", SLAB_POISON);
	print_flag(out, cache, "store_user", SLAB_STORE_USER);
	print_flag(out, cache, "failslab", SLAB_FAILSLAB);
}

static void print_layout(struct fmt_writer *out, const struct kmem_cache *cache)
{
	char ctor[200];

	fmt_print(out, "slab_size %u\nalign %u\nobject_size %u\n", cache->size, cache->align,
		  cache->object_size);
	fmt_print(out, "objs_per_slab %u\norder %u\nmin_partial %lu\n",
		  (unsigned int)cache->objects, (unsigned int)cache->order, cache->min_partial);
	/* With sheaves CPUs keep objects and no slabs; then cpu_slabs is 0. */
	fmt_print(out, "cpu_partial 0\ncpu_slabs %u\nslabs_cpu_partial 0(0)\n",
		  slab_nr_cpu_slabs(cache));
	fmt_print(out, "aliases %d\nusersize %u\n",
		  cache->refcount < 0 ? 0 : cache->refcount - 1, cache->usersize);
	fmt_print(out, "remote_node_defrag_ratio %u\n",
		  atomic_load_relaxed(&cache->remote_node_defrag_ratio) / 10);
	if (!cache->ctor)
		return;
	os_describe_address((const void *)cache->ctor, ctor, sizeof(ctor));
	fmt_print(out, "ctor %s\n", ctor);
}

/* Objects in CPUs' sheaves count as in use, since they have left their slabs. */
static struct counts count(struct kmem_cache *cache)
{
	struct slab_usage usage;

	slab_usage_read(cache, &usage);
	return (struct counts){
		.slabs = usage.slabs, .partial = usage.partial, .objects = usage.inuse,
		.objects_partial = usage.partial_inuse, .total_objects = usage.objects,
	};
}

static void print_counts(struct fmt_writer *out, const struct counts *counts)
{
	fmt_print(out, "slabs %lu\npartial %lu\nobjects %lu\n", counts->slabs, counts->partial,
		  counts->objects);
	fmt_print(out, "objects_partial %lu\ntotal_objects %lu\n", counts->objects_partial,
		  counts->total_objects);
}

/* cf. Linux's CONFIG_SLUB_STATS. */
static void print_barn(struct fmt_writer *out, struct kmem_cache *cache)
{
	struct barn_counts counts = { 0 }, more;
	struct kmem_cache_node *node;

	for_each_kmem_cache_node(cache, node) {
		barn_read_counts(&node->barn, &more);
		counts.barn_get += more.barn_get;
		counts.barn_get_fail += more.barn_get_fail;
		counts.barn_put += more.barn_put;
		counts.barn_put_fail += more.barn_put_fail;
	}
	fmt_print(out, "barn_get %lu\nbarn_get_fail %lu\n", counts.barn_get,
		  counts.barn_get_fail);
	fmt_print(out, "barn_put %lu\nbarn_put_fail %lu\n", counts.barn_put,
		  counts.barn_put_fail);
}

static void print_counters(struct fmt_writer *out, const struct kmem_cache *cache)
{
	for (unsigned int i = 0; cache->counts && i < NR_SLAB_COUNTERS; i++)
		fmt_print(out, "%s %lu\n", slab_counter_names[i],
			  atomic_load_relaxed(&cache->counters.nr[i]));
}

int usermm_print_slab_attributes(int fd, const char *name)
{
	struct kmem_cache *cache;
	struct fmt_writer out;
	struct counts counts;

	if (slab_init())
		return -1;
	fmt_writer_open(&out, fd);
	/* The text fits into the writer's buffer, so no write(2) happens under the lock. */
	lock_acquire(&slab_caches_lock);
	cache = slab_find_locked(name);
	if (cache) {
		counts = count(cache);
		print_layout(&out, cache);
		print_counts(&out, &counts);
		print_flags(&out, cache);
		print_counters(&out, cache);
		print_barn(&out, cache);
	}
	lock_release(&slab_caches_lock);
	fmt_writer_close(&out);
	return cache ? 0 : -1;
}
