/* SPDX-License-Identifier: MIT */
/* A plugin with an allocator of its own in it: the archive. */
#include <stdbool.h>

#include "usermm/usermm.h"

bool plugin_work(unsigned long steps);
bool plugin_reclaim(void);
void *plugin_give(void);
bool plugin_take_back(void *object);
unsigned int plugin_loads(void);

/* Ends with a sequence, so that the thread's rseq_cs may point into the plugin. */
__attribute__((visibility("default"))) bool plugin_work(unsigned long steps)
{
	for (unsigned long i = 0; i < steps; i++) {
		void *object = kmalloc(64, GFP_KERNEL);

		if (!object)
			return false;
		kfree(object);
	}
	return true;
}

#define BUDGET_PAGES (32UL << 20 >> PAGE_SHIFT)

static unsigned long count_none(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	return 0;
}

static unsigned long scan_none(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	return SHRINK_STOP;
}

/* Leaves a background thread without work. This is the plugin's first call. */
__attribute__((visibility("default"))) bool plugin_reclaim(void)
{
	static struct page *pages[BUDGET_PAGES];
	struct shrinker *shrinker;
	const char *error = NULL;
	unsigned long nr = 0;

	if (usermm_set_options("limit=32M", &error))
		return false;
	shrinker = shrinker_alloc(0, "plugin");
	if (!shrinker)
		return false;
	shrinker->count_objects = count_none;
	shrinker->scan_objects = scan_none;
	shrinker_register(shrinker);
	while (nr < BUDGET_PAGES && (pages[nr] = alloc_page(GFP_NOWAIT | __GFP_NOWARN)))
		nr++;
	while (nr)
		__free_page(pages[--nr]);
	shrinker_free(shrinker);
	return true;
}

#define MARK 0x55534d4dU

__attribute__((visibility("default"))) void *plugin_give(void)
{
	unsigned int *object = kmalloc(1000, GFP_KERNEL);

	if (object)
		*object = MARK;
	return object;
}

__attribute__((visibility("default"))) bool plugin_take_back(void *object)
{
	bool good = virt_addr_valid(object) && *(unsigned int *)object == MARK;

	kfree(object);
	return good;
}

static unsigned int nr_loads;

__attribute__((constructor)) static void count_load(void)
{
	nr_loads++;
}

/* How often the plugin's constructors have run. */
__attribute__((visibility("default"))) unsigned int plugin_loads(void)
{
	return nr_loads;
}
