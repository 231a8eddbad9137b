/* SPDX-License-Identifier: MIT */
/*
 * Shrinkers: call-backs by which a program's caches free objects when memory runs short.
 *
 * A shrinker says how many objects it could free (count_objects), and frees some (scan_objects).
 * Two callers ask it: a request that found no memory and may wait (__GFP_DIRECT_RECLAIM), in its
 * own thread; and the background thread, which has a stack of 128 KiB, when a zone is below its
 * watermark. No lock of the library is held meanwhile. Several threads may ask a shrinker at once.
 * A shrinker may allocate and free; its own requests reclaim nothing and may use the reserves.
 * gfp_mask has the flags of the asking request: without __GFP_FS the shrinker must not wait for a
 * lock whose holder may itself be waiting for memory. Both calls must return: no longjmp().
 *
 * Semantics: Linux 6.12 mm/shrinker.c. From priority 12 down to 0 more and more is asked for.
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
	unsigned long nr_scanned;	/* in: nr_to_scan; out: objects looked at */
	struct mem_cgroup *memcg;
};

/* SHRINK_STOP: scan_objects() can make no progress now. SHRINK_EMPTY: count_objects() has none. */
#define SHRINK_STOP (~0UL)
#define SHRINK_EMPTY (~0UL - 1)

#define DEFAULT_SEEKS 2

#define SHRINKER_REGISTERED (1U << 0)	/* set by the library, as is the next */
#define SHRINKER_ALLOCATED (1U << 1)
#define SHRINKER_NUMA_AWARE (1U << 2)	/* is asked separately for each node */
#define SHRINKER_MEMCG_AWARE (1U << 3)
#define SHRINKER_NONSLAB (1U << 4)
#define SHRINKER_INTERNAL (1U << 5)	/* the library's own: starts no background thread */

#define USERMM_SHRINKER_NAME_BYTES 32

struct shrinker {
	unsigned long (*count_objects)(struct shrinker *, struct shrink_control *sc);
	unsigned long (*scan_objects)(struct shrinker *, struct shrink_control *sc);
	long batch;		/* objects asked for at a time; 0: 128 */
	int seeks;		/* cost of recreating an object, cf. DEFAULT_SEEKS; 0: none */
	unsigned int flags;	/* SHRINKER_ */
#ifdef __cplusplus
	void *private_data_;
#else
	void *private_data;
#endif
	/* The rest is for the library. */
	struct list_head list;
	long *nr_deferred;	/* a count for each node: scans put off to the next time */
	long one_deferred;	/* the same count if not NUMA_AWARE */
	unsigned int running;	/* threads that are in the shrinker or about to call it */
	unsigned int generation;	/* fork generation of the process that counted `running` */
	char name[USERMM_SHRINKER_NAME_BYTES];
};

/*
 * A new shrinker, which the caller fills in and registers; NULL without memory. name is a printf()
 * format and is only shown to people. flags are SHRINKER_.
 */
struct shrinker *shrinker_alloc(unsigned int flags, const char *name, ...)
	USERMM_API(shrinker_alloc) __attribute__((format(printf, 2, 3)));
void shrinker_register(struct shrinker *shrinker) USERMM_API(shrinker_register);
/*
 * Unregisters the shrinker if it was registered, waits until no thread is in it, and frees it. NULL
 * is allowed. A call-back that frees its own shrinker would wait for itself: that is reported, and
 * the process ends. unregister_shrinker() does so, too.
 */
void shrinker_free(struct shrinker *shrinker) USERMM_API(shrinker_free);

/* The interface up to Linux 6.6: the caller owns the structure. 0 or -ENOMEM. */
int usermm_register_shrinker(struct shrinker *shrinker) __attribute__((visibility("default")));
void unregister_shrinker(struct shrinker *shrinker) USERMM_API(unregister_shrinker);

/*
 * Asks every shrinker once for a node, at a priority from 12 (lightest) to 0. Returns how many
 * objects were freed.
 */
unsigned long shrink_slab(gfp_t gfp_mask, int nid, struct mem_cgroup *memcg, int priority)
	USERMM_API(shrink_slab);

USERMM_END_DECLS

#endif
