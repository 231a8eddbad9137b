/* SPDX-License-Identifier: MIT */
/* Takes pages off a CPU's own list, by the rule of seed 3. */
#include "page/pcp/pcp.h"
#include "quicklist/cache.h"

/* cf. Linux FRACTION_OF_NODE_MEM */
#define FRACTION_OF_FREE_PAGES 16

/*
 * The free pages of this CPU's node that GFP_KERNEL may use: all except those of ZONE_MOVABLE. cf.
 * Linux 2.6.23 mm/quicklist.c: max_pages()
 */
static unsigned long node_free_pages(void)
{
	unsigned int node = numa_node_id();
	unsigned long pages = 0;

	for (unsigned int i = ZONE_DMA; i <= ZONE_NORMAL; i++) {
		const struct zone *z = populated_zone_of(node, i);

		pages += z ? zone_free_pages(z) : 0;
	}
	return pages;
}

/* How many pages too many this CPU's list has; at most max_free. */
static unsigned long pages_to_free(const struct quicklist_cache *cache, unsigned long min_pages,
				   unsigned long max_free)
{
	int slot = percpu_current_slot();
	unsigned long pages, keep;

	if (slot < 0)
		return 0;
	pages = quicklist_slot_pages(cache, (unsigned int)slot);
	keep = max(node_free_pages() / FRACTION_OF_FREE_PAGES, min_pages);
	if (pages <= min_pages || pages <= keep)
		return 0;
	return min(pages - keep, max_free);
}

void quicklist_trim_page(struct quicklist_cache *cache, void (*dtor)(void *page), void *page)
{
	quicklist_unmark(page);
	quicklist_count(&cache->counts.trimmed);
	quicklist_return(cache, dtor, page);
}

static unsigned long trim(struct quicklist_cache *cache, void (*dtor)(void *page),
			  unsigned long min_pages, unsigned long max_free)
{
	unsigned long nr = pages_to_free(cache, min_pages, max_free);

	for (unsigned long i = 0; i < nr; i++) {
		void *page = percpu_list_pop(cache->lists);

		if (!page)	/* the thread moved to another CPU, whose list is empty */
			return i;
		quicklist_trim_page(cache, dtor, page);
	}
	return nr;
}

void quicklist_trim(int nr, void (*dtor)(void *page), unsigned long min_pages,
		    unsigned long max_free)
{
	quicklist_check_number(nr);
	if (dtor)
		atomic_store_relaxed(&quicklist_numbers[nr].dtor, dtor);
	trim(&quicklist_numbers[nr], dtor, min_pages, max_free);
}

unsigned long quicklist_cache_trim(struct quicklist_cache *cache, unsigned long min_pages,
				   unsigned long max_free)
{
	return trim(cache, cache->dtor, min_pages, max_free);
}
