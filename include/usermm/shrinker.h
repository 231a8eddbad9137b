/* SPDX-License-Identifier: MIT */
/*
 * Shrinkers: caches that give memory back when it runs short.
 *
 * A shrinker says how many objects it could free (count_objects) and frees some when
 * asked (scan_objects). It is asked by a request that found no memory and may wait
 * (__GFP_DIRECT_RECLAIM), in that thread, and by the background thread when a zone is
 * below its mark. No lock of the library is held meanwhile; a shrinker may allocate
 * and free, and what it allocates may use the reserves and reclaims nothing. It may be
 * asked by several threads at once. What the asking request may do is in gfp_mask: one
 * without __GFP_FS must not wait for what a holder of a file system's locks allocates.
 *
 * Semantics: Linux 6.12 mm/shrinker.c; the amount asked for grows from priority 12 to 0.
 */
#ifndef USERMM_SHRINKER_H
#define USERMM_SHRINKER_H

#include "compiler.h"
#include "gfp.h"
#include "list.h"

USERMM_BEGIN_DECLS

struct mem_cgroup;

struct shrink_control {
	gfp_t gfp_mask;
	int nid;
	unsigned long nr_to_scan;
	unsigned long nr_scanned;	/* in: nr_to_scan; out: what was looked at */
	struct mem_cgroup *memcg;
};

/* scan_objects(): no progress is possible now. count_objects(): there is nothing at all. */
#define SHRINK_STOP (~0UL)
#define SHRINK_EMPTY (~0UL - 1)

#define DEFAULT_SEEKS 2

#define SHRINKER_REGISTERED (1U << 0)	/* these two the library sets */
#define SHRINKER_ALLOCATED (1U << 1)
#define SHRINKER_NUMA_AWARE (1U << 2)	/* is asked for each node by itself */
#define SHRINKER_MEMCG_AWARE (1U << 3)
#define SHRINKER_NONSLAB (1U << 4)
#define SHRINKER_INTERNAL (1U << 5)	/* the library's own: no reason for a background thread */

#define USERMM_SHRINKER_NAME_BYTES 32

struct shrinker {
	unsigned long (*count_objects)(struct shrinker *, struct shrink_control *sc);
	unsigned long (*scan_objects)(struct shrinker *, struct shrink_control *sc);
	long batch;		/* objects asked for at a time; 0 is 128 */
	int seeks;		/* what it costs to make an object again; 0: nothing */
	unsigned int flags;	/* SHRINKER_ */
#ifdef __cplusplus
	void *private_data_;
#else
	void *private_data;
#endif
	/* The library's own. */
	struct list_head list;
	long *nr_deferred;	/* of each node: work left undone */
	long one_deferred;	/* for what is not NUMA_AWARE */
	unsigned int running;	/* threads that are in it or next to */
	unsigned int generation;	/* of the process that counted them */
	char name[USERMM_SHRINKER_NAME_BYTES];
};

/*
 * A new one, to be filled in and registered; NULL without memory. name is a format for
 * people. flags are SHRINKER_.
 */
struct shrinker *shrinker_alloc(unsigned int flags, const char *name, ...)
	USERMM_API(shrinker_alloc) __attribute__((format(printf, 2, 3)));
void shrinker_register(struct shrinker *shrinker) USERMM_API(shrinker_register);
/*
 * Takes it off if it was registered, waits until nobody is in it, frees it. Not from
 * within the shrinker itself. NULL is allowed.
 */
void shrinker_free(struct shrinker *shrinker) USERMM_API(shrinker_free);

/* Up to Linux 6.6: a structure of the caller's. 0 or -ENOMEM. */
int usermm_register_shrinker(struct shrinker *shrinker) __attribute__((visibility("default")));
void unregister_shrinker(struct shrinker *shrinker) USERMM_API(unregister_shrinker);

/*
 * Asks every shrinker once for a node, at a priority from 12 (lightest) to 0. Objects
 * freed.
 */
unsigned long shrink_slab(gfp_t gfp_mask, int nid, struct mem_cgroup *memcg, int priority)
	USERMM_API(shrink_slab);

USERMM_END_DECLS

#endif
