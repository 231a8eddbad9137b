/* SPDX-License-Identifier: MIT */
/*
 * The option slab_cpu_cache=: "sheaf" or "slab", the way in which CPUs keep objects. "slab" may be
 * followed by ',' and the caches that it is for, written as in slab_debug=; others have sheaves.
 */
#include <string.h>

#include "base/check.h"
#include "base/options.h"
#include "slab/cpu_slab/cpu_slab.h"
#include "slab/debug/debug.h"

/* Sync: constant after slab_cpu_cache_init() */
static const char *names;	/* NULL: no cache, "*": all */

static void choose(const char *caches)
{
	/*
	 * Fast paths read links. They can neither decode these, nor read a freed slab that was made
	 * inaccessible.
	 */
	if (options.slab_freelist_hardened || options.debug_pagealloc)
		report_warning("slab_cpu_cache=slab does not go with %s=; taken as sheaf",
			       options.slab_freelist_hardened ? "slab_freelist_hardened" :
								"debug_pagealloc");
	else
		names = caches;
}

void slab_cpu_cache_init(void)
{
	const char *text = option_text(options.slab_cpu_cache);
	size_t length = text ? strcspn(text, ",") : 0;

	if (!text || !strcmp(text, "sheaf"))
		names = NULL;
	else
		choose(text[length] ? text + length + 1 : "*");
}

bool slab_cpu_cache_is_slab(const char *name)
{
	return names && slab_names_have(names, strlen(names), name);
}
