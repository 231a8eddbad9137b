/* SPDX-License-Identifier: MIT */
/*
 * Messages about requests that are refused, or granted in another way than asked. The texts are
 * Linux's, without the frame of a kernel warning.
 */
#include "base/check.h"
#include "base/fmt.h"
#include "os/os.h"
#include "page/debug/flag_names.h"
#include "page/debug/page_report.h"
#include "page/zone.h"
#include "slab/debug/debug.h"
#include "slab/debug/report.h"
#include "slab/partial.h"

/* cf. Linux __kmem_cache_create_args() */
void slab_report_not_created(const struct slab_cache_request *request, int error)
{
	const char *name = request->name ? request->name : "(null)";
	char text[200];

	if (!(request->flags & SLAB_PANIC)) {
		slab_warn("__kmem_cache_create_args(%s) failed with error %d", name, error);
		return;
	}
	fmt_format(text, sizeof(text),
		   "__kmem_cache_create_args: Failed to create slab '%s'. Error %d", name, error);
	if (slab_debug_hooks.panic)
		slab_debug_hooks.panic(text);
	report_fatal("%s", text);
}

/* cf. Linux slab_out_of_memory() */
void slab_report_out_of_memory(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	static struct report_limit limit = {
		.interval_ms = 5000, .burst = 10, .name = "slab_out_of_memory",
	};
	struct kmem_cache_node *node;
	char names[FLAG_NAMES_BYTES];

	if ((gfp & __GFP_NOWARN) || !report_limit_pass(&limit))
		return;
	gfp_names(gfp, names, sizeof(names));
	slab_say("SLUB: Unable to allocate memory on CPU %u (of node %u) on node %d, gfp=%#x(%s)",
		 os_current_cpu(), numa_node_id(), nid, gfp, names);
	slab_say("  cache: %s, object size: %u, buffer size: %u, default order: %u, min order: %u",
		 cache->name, cache->object_size, cache->size, (unsigned int)cache->order,
		 slab_min_order(cache));
	if (slab_min_order(cache) > (unsigned int)get_order(cache->object_size))
		slab_say("  %s debugging increased min order, use slab_debug=O to disable.",
			 cache->name);
	for (unsigned int i = 0; (node = slab_node(cache, i)); i++) {
		struct slab_usage usage = { 0 };

		slab_usage_add_node(cache, node, &usage);
		slab_say("  node %u: slabs: %lu, objs: %lu, free: %lu", i, usage.slabs,
			 usage.objects, usage.objects - usage.inuse);
	}
}

gfp_t slab_fix_gfp(gfp_t gfp)
{
	char names[FLAG_NAMES_BYTES / 2], fixed_names[FLAG_NAMES_BYTES / 2];
	gfp_t fixed = gfp & ~SLAB_GFP_UNUSABLE;

	gfp_names(gfp & SLAB_GFP_UNUSABLE, names, sizeof(names));
	gfp_names(fixed, fixed_names, sizeof(fixed_names));
	slab_warn("Unexpected gfp: %#x (%s). Fixing up to gfp: %#x (%s). Fix your code!",
		  gfp & SLAB_GFP_UNUSABLE, names, fixed, fixed_names);
	return fixed;
}

/* The objects are cleared all the same. cf. Linux new_slab(), which has no message for this. */
void slab_report_zeroing(const struct kmem_cache *cache)
{
	static bool told;	/* Sync: atomic relaxed, as in REPORT_ONCE() */

	if (!atomic_exchange_relaxed(&told, true))
		slab_warn("WARNING: objects of cache %s are constructed: __GFP_ZERO undoes that",
			  cache->name);
}
