/* SPDX-License-Identifier: MIT */
/*
 * The option debug_pagealloc=1: free pages are inaccessible, so a program that uses a page after it
 * was freed gets SIGSEGV at once. cf. Linux CONFIG_DEBUG_PAGEALLOC
 *
 * The struct page says whether the page is hidden. Every run of hidden pages costs the process up
 * to two mappings, and the system limits their number. A part of that limit is the budget; pages
 * that are freed beyond it stay accessible. Neighbours are read without a lock, so the number of
 * runs is approximate.
 */
#include "base/check.h"
#include "base/options.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "page/debug/hooks.h"

/*
 * The budget in runs is an eighth of the system's limit of mappings. A run may cost two, so hidden
 * pages use up to a quarter of the limit.
 */
#define BUDGET_FRACTION 8

static unsigned long budget;	/* in runs. Sync: set once */
static long runs;		/* Sync: atomic relaxed */

often_called bool pagealloc_debug_init(void)
{
	if (!options.debug_pagealloc)
		return false;
	if (os_page_bytes() != PAGE_SIZE) {
		report_warning("debug_pagealloc=1 is not used: it needs system pages of 4 KiB");
		return false;
	}
	budget = os_max_mappings() / BUDGET_FRACTION;
	return true;
}

static bool is_hidden(unsigned long pfn)
{
	return pfn < atomic_load_relaxed(&mm_window.online_bytes) / PAGE_SIZE &&
	       (atomic_load_relaxed(&pfn_to_page(pfn)->debugged) & DEBUGGED_HIDDEN);
}

/* How many sides of the range have a hidden page: 0, 1 or 2. */
static long neighbours(unsigned long pfn, unsigned long nr_pages)
{
	return is_hidden(pfn + nr_pages) + (pfn && is_hidden(pfn - 1));
}

static void mark(struct page *page, unsigned long nr_pages, bool hidden)
{
	for (unsigned long i = 0; i < nr_pages; i++) {
		uint8_t before = atomic_load_relaxed(&page[i].debugged) & ~DEBUGGED_HIDDEN & 0xff;

		atomic_store_relaxed(&page[i].debugged,
				     (uint8_t)(before | (hidden ? DEBUGGED_HIDDEN : 0)));
	}
}

void pagealloc_debug_hide(struct page *page, unsigned long nr_pages)
{
	if (atomic_load_relaxed(&runs) >= (long)budget ||
	    os_hide(page_address(page), nr_pages * PAGE_SIZE))
		return;
	atomic_add_relaxed(&runs, 1 - neighbours(page_to_pfn(page), nr_pages));
	mark(page, nr_pages, true);
}

static void show_run(struct page *page, unsigned long nr_pages)
{
	int error = os_show(page_address(page), nr_pages * PAGE_SIZE);

	CHECK(!error, "page %p cannot be made accessible again (error %d): too many mappings",
	      page_address(page), -error);
	mark(page, nr_pages, false);
	atomic_add_relaxed(&runs, neighbours(page_to_pfn(page), nr_pages) - 1);
}

void pagealloc_debug_show(struct page *page, unsigned long nr_pages)
{
	unsigned long pfn = page_to_pfn(page), end = pfn + nr_pages, start;

	for (; pfn < end; pfn++) {
		if (!is_hidden(pfn))
			continue;
		start = pfn;
		while (pfn < end && is_hidden(pfn))
			pfn++;
		show_run(pfn_to_page(start), pfn - start);
	}
}
