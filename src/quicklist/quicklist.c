/* SPDX-License-Identifier: MIT */
/*
 * quicklist: per-CPU stacks of pages in a known state.
 *
 * 1. Purpose. usermm/quicklist.h has the contract; the work is done by the
 *    per-CPU list of the percpu layer, one for each number and CPU.
 * 2. What it must not know: what the state of a page means, or how the page
 *    allocator keeps its pages.
 * 3. States of a page: in use (its user's) -> on a list (in the known state but
 *    for its first word, which links) -> in use, or back to the page allocator.
 *    A page on a list keeps its one reference.
 * 4. Who may touch what: a list belongs to its slot (percpu.h).
 * 5. Differences from Linux: a list ends at 65535 pages; which CPU's list a page
 *    comes from is settled by a restartable sequence, not by disabling
 *    preemption; there is one node, so every page is a local one.
 * 6. Failure: a page that cannot go on a list goes to the page allocator.
 */
#include "usermm/quicklist.h"

#include "base/check.h"
#include "mm/memmap.h"
#include "os/once.h"
#include "page/zone.h"
#include "percpu/percpu.h"

/* Until bring_up() has run each list is NULL, whose first bytes are always zero. */
_Static_assert(sizeof(struct percpu_list) <= PERCPU_ZERO_BYTES,
	       "the list of the NULL per-CPU pointer must be empty");

/* cf. Linux FRACTION_OF_NODE_MEM */
#define FRACTION_OF_FREE_PAGES 16

/*
 * Per-CPU pointers. Sync: atomic; constant after bring_up(), NULL before. The
 * operations on them order what else they read by themselves.
 */
static struct percpu_list *lists[CONFIG_NR_QUICK];
static struct once quicklist_once;

static int bring_up(void)
{
	struct percpu_list *piece;

	if (page_init())
		return -1;
	piece = percpu_alloc(CONFIG_NR_QUICK * sizeof(*piece), CACHE_LINE_BYTES);
	if (!piece)
		return -1;
	/* pairs with list_pages() */
	for (int nr = 0; nr < CONFIG_NR_QUICK; nr++)
		atomic_store_release(&lists[nr], piece + nr);
	return 0;
}

static struct percpu_list *list_of(int nr)
{
	return atomic_load_relaxed(&lists[nr]);
}

static void check_number(int nr)
{
	CHECK((unsigned int)nr < CONFIG_NR_QUICK, "quicklist %d: lists are numbered 0 to %d", nr,
	      CONFIG_NR_QUICK - 1);
}

static slow_path void *alloc_page_in_state(gfp_t flags, void (*ctor)(void *page))
{
	void *page = (void *)get_zeroed_page(flags);

	if (ctor && page)
		ctor(page);
	return page;
}

void *quicklist_alloc(int nr, gfp_t flags, void (*ctor)(void *page))
{
	void *page;

	check_number(nr);
	page = percpu_list_pop(list_of(nr));
	if (unlikely(!page))
		return alloc_page_in_state(flags, ctor);
	*(void **)page = NULL;
	return page;
}

static slow_path void free_to_page_allocator(void (*dtor)(void *page), void *page)
{
	*(void **)page = NULL;	/* a push that failed may have written here */
	if (dtor)
		dtor(page);
	free_page((unsigned long)page);
}

/* The first free of all brings up the lists. */
static slow_path void free_first(int nr, void (*dtor)(void *page), void *page)
{
	if (!once_run(&quicklist_once, bring_up) || !percpu_list_push(list_of(nr), page))
		free_to_page_allocator(dtor, page);
}

void quicklist_free(int nr, void (*dtor)(void *page), void *page)
{
	struct percpu_list *list;

	check_number(nr);
	CHECK(mm_is_online(page) && !((unsigned long)page & ~PAGE_MASK),
	      "quicklist_free of %p, which is not the address of a page", page);
	list = list_of(nr);
	if (unlikely(!list))
		free_first(nr, dtor, page);
	else if (unlikely(!percpu_list_push(list, page)))
		free_to_page_allocator(dtor, page);
}

void quicklist_free_page(int nr, void (*dtor)(void *page), struct page *page)
{
	quicklist_free(nr, dtor, page_address(page));
}

static unsigned long list_pages(int nr, unsigned int slot)
{
	/* pairs with bring_up(): the slots are there */
	const struct percpu_list *list = atomic_load_acquire(&lists[nr]);

	if (!list)
		return 0;
	list = percpu_ptr(list, slot);
	return percpu_list_nr(atomic_load_relaxed(&list->head));
}

/* Pages of this CPU's list that are too many, at most max_free. */
static unsigned long pages_to_free(int nr, unsigned long min_pages, unsigned long max_free)
{
	int slot = percpu_current_slot();
	unsigned long pages, keep;

	if (slot < 0)
		return 0;
	pages = list_pages(nr, (unsigned int)slot);
	keep = max(nodes_free_pages() / FRACTION_OF_FREE_PAGES, min_pages);
	if (pages <= min_pages || pages <= keep)
		return 0;
	return min(pages - keep, max_free);
}

void quicklist_trim(int nr, void (*dtor)(void *page), unsigned long min_pages,
		    unsigned long max_free)
{
	check_number(nr);
	for (unsigned long left = pages_to_free(nr, min_pages, max_free); left; left--) {
		void *page = percpu_list_pop(list_of(nr));

		if (!page)	/* moved to another CPU meanwhile */
			return;
		free_to_page_allocator(dtor, page);
	}
}

unsigned long quicklist_total_size(void)
{
	unsigned long pages = 0;

	for (int nr = 0; nr < CONFIG_NR_QUICK; nr++)
		for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
			pages += list_pages(nr, slot);
	return pages;
}
