/* SPDX-License-Identifier: MIT */
#include "slab/clearing.h"

#include "base/options.h"

unsigned char slab_freed_byte;

void slab_clearing_setup(struct kmem_cache *cache)
{
	/* As with pages, page_poison=1 fills instead of clearing; see page/debug/hooks.c. */
	if (cache->ctor || (cache->flags & (SLAB_TYPESAFE_BY_RCU | SLAB_POISON)) ||
	    options.page_poison)
		return;
	cache->init_on_alloc = options.init_on_alloc;
	cache->init_on_free = options.init_on_free;
}
