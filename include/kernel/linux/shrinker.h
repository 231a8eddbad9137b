/* SPDX-License-Identifier: MIT */
/*
 * Caches that can give memory back. shrink_slab() asks them as Linux's reclaim does;
 * the page allocator does not call it by itself yet.
 */
#ifndef _LINUX_SHRINKER_H
#define _LINUX_SHRINKER_H

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/version.h>

struct mem_cgroup;

struct shrink_control {
	gfp_t gfp_mask;
	int nid;
	unsigned long nr_to_scan;
	unsigned long nr_scanned;	/* 0 or what scan_objects() really looked at */
	struct mem_cgroup *memcg;
};

#define SHRINK_STOP (~0UL)
#define SHRINK_EMPTY (~0UL - 1)

struct shrinker {
	unsigned long (*count_objects)(struct shrinker *, struct shrink_control *sc);
	unsigned long (*scan_objects)(struct shrinker *, struct shrink_control *sc);
	long batch;
	int seeks;
	unsigned int flags;
	void *private_data;
	struct list_head list;
	atomic_long_t *nr_deferred;
	atomic_long_t deferred;		/* the one node's */
};

#define DEFAULT_SEEKS 2
#define SHRINKER_NUMA_AWARE (1U << 2)
#define SHRINKER_MEMCG_AWARE (1U << 3)
#define SHRINKER_NONSLAB (1U << 4)

struct shrinker *shrinker_alloc(unsigned int flags, const char *format, ...)
	USERMM_API(shrinker_alloc) __attribute__((format(printf, 2, 3)));
void shrinker_register(struct shrinker *shrinker) USERMM_API(shrinker_register);
/* Takes it off the list if it was registered; nobody is in it any more. */
void shrinker_free(struct shrinker *shrinker) USERMM_API(shrinker_free);

/* To 6.6 the caller's own structure was registered; a name came in 6.0. */
int usermm_register_shrinker(struct shrinker *shrinker) __attribute__((visibility("default")));
void unregister_shrinker(struct shrinker *shrinker) USERMM_API(unregister_shrinker);
#define register_shrinker(shrinker, ...) usermm_register_shrinker(shrinker)

/* Objects freed; priority 12 is the lightest pressure, 0 the heaviest. */
unsigned long shrink_slab(gfp_t gfp, int nid, struct mem_cgroup *memcg, int priority)
	USERMM_API(shrink_slab);

#endif
