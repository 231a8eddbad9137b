/* SPDX-License-Identifier: MIT */
/*
 * The option failslab=: which allocations from caches fail. cf. Linux mm/failslab.c.
 *
 * While it is armed no cache shows the fast paths its sheaf, so they find no object and no
 * room. The slow paths ask should_failslab(), and still use the sheaf.
 */
#include <errno.h>

#include "base/options.h"
#include "page/debug/fault_inject.h"
#include "page/debug/hooks.h"
#include "slab/cpu_cache.h"
#include "slab/debug/debug.h"
#include "slab/slab_fast.h"

struct usermm_failslab usermm_failslab = {
	.attr = { USERMM_FAULT_ATTR_INITIALIZER, .dname = "failslab" },
	.ignore_gfp_reclaim = true,
};

static bool armed;	/* Sync: written under slab_caches_lock or before there are caches */

often_called void slab_failslab_init(void)
{
	const struct fault_setting settings[] = {
		{ "ignore-gfp-wait", &usermm_failslab.ignore_gfp_reclaim, NULL },
		{ "cache-filter", &usermm_failslab.cache_filter, NULL },
		{ NULL, NULL, NULL },
	};
	const char *text = option_text(options.failslab);

	if (text && fault_configure(text, &usermm_failslab.attr, settings))
		atomic_store_relaxed(&armed, true);
}

often_called bool slab_failslab_is_armed(void)
{
	return atomic_load_relaxed(&armed);
}

int should_failslab(struct kmem_cache *cache, gfp_t gfp)
{
	struct usermm_failslab *fail = &usermm_failslab;

	/* Allocations of caches' own structures do not fail. */
	if (slab_is_cache_of_caches(cache) || gfp & __GFP_NOFAIL ||
	    (fail->ignore_gfp_reclaim && gfp & __GFP_DIRECT_RECLAIM) ||
	    (fail->cache_filter && !(cache->flags & SLAB_FAILSLAB)))
		return 0;
	return usermm_fault_should_fail(&fail->attr, (long)cache->object_size,
				  gfp & __GFP_NOWARN ? USERMM_FAULT_NOWARN : 0) ? -ENOMEM : 0;
}

void usermm_arm_faults(void)
{
	struct kmem_cache *cache;

	page_hooks_add(HOOK_FAULTS);
	if (slab_failslab_is_armed() || slab_init())
		return;
	lock_acquire(&slab_caches_lock);
	atomic_store_relaxed(&armed, true);
	atomic_store_relaxed(&slab_kept_sheaf_limit, 0);
	list_for_each_entry(cache, &slab_caches, caches)
		cache->cpu_ops->show(cache, false);
	lock_release(&slab_caches_lock);
}

unsigned int usermm_fail_nth(unsigned int nth)
{
	if (nth)
		usermm_arm_faults();
	return fault_exchange_nth(nth);
}
