/* SPDX-License-Identifier: MIT */
#include "page/prefault.h"

#include <errno.h>

#include "base/options.h"
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "os/os.h"
#include "page/debug/hooks.h"
#include "page/gfp.h"
#include "page/reclaim/limits.h"
#include "percpu/percpu.h"

/* The kernel does not know the call or refuses it, or prefault_forbid() said so. Sync: relaxed */
static bool was_refused;

/*
 * Is prefaulting of use now? Not with larger system pages, because their faults are rare enough;
 * nor with debugging, because it may have made pages inaccessible.
 */
static bool is_of_use(void)
{
	return options.prefault == OPTION_PREFAULT_ON && !atomic_load_relaxed(&was_refused) &&
	       os_page_bytes() == PAGE_SIZE && !mm_has_views() && !page_hooks();
}

static unsigned long pages_in_use(const struct zone *z)
{
	unsigned long free = atomic_load_relaxed(&z->free_pages);

	return free < zone_managed_pages(z) ? zone_managed_pages(z) - free : 0;
}

static bool is_zero(const struct page *block)
{
	return page_flags(block) & PG_zeroed;
}

/* The number of blocks from the first, up to `most`, that lie in a row and are zero. */
static unsigned int length_of_row(unsigned int order, struct page *const *blocks, unsigned int most)
{
	unsigned int nr = 0;

	while (nr < most && is_zero(blocks[nr]) && blocks[nr] == blocks[0] + ((size_t)nr << order))
		nr++;
	return nr;
}

/*
 * Pages from here to the end of the section. A row ends there, since each section goes offline by
 * itself.
 */
static unsigned long left_in_section(const struct page *page)
{
	unsigned long offset = (unsigned long)page_address(page) & (SECTION_BYTES - 1);

	return (SECTION_BYTES - offset) >> PAGE_SHIFT;
}

static bool are_in_one_section(const struct page *a, const struct page *b)
{
	return !(((unsigned long)page_address(a) ^ (unsigned long)page_address(b)) &
		 ~(SECTION_BYTES - 1));
}

void prefault_forbid(void)
{
	atomic_store_relaxed(&was_refused, true);
}

void prefault(const struct prefault_range *range)
{
	int error = 0;

	if (range->nr_pages)
		error = os_prefault(page_address(range->page), range->nr_pages << PAGE_SHIFT);
	/* Other errors say that there is no memory now, or that the process is about to end. */
	if (error == -EINVAL || error == -EPERM || error == -ENOSYS || error == -EACCES)
		prefault_forbid();
}

unsigned long prefault_share(const struct zone *z, unsigned int order, unsigned int alloc_flags)
{
	unsigned long share;

	if ((order && !(alloc_flags & ALLOC_PREFAULT)) || atomic_load_relaxed(&limits_are_near))
		return 0;
	share = pages_in_use(z) / PREFAULT_SHARE / percpu_nr_cpus();
	return share >= PREFAULT_PAGES_MIN && is_of_use() ? share : 0;
}

void prefault_choose(struct prefault_range *range, unsigned int order,
		     struct page *const *blocks, unsigned int nr, const struct page *held,
		     unsigned long *share)
{
	unsigned int row;

	range->nr_pages = 0;
	for (; nr && *share >= PREFAULT_PAGES_MIN; nr -= row, blocks += row) {
		unsigned long pages;

		row = max(length_of_row(order, blocks, nr), 1u);
		pages = min(min((unsigned long)row << order, *share), left_in_section(blocks[0]));
		if (pages < PREFAULT_PAGES_MIN || !is_zero(blocks[0]) ||
		    !are_in_one_section(blocks[0], held))
			continue;
		*range = (struct prefault_range){ blocks[0], pages };
		*share -= pages;
		return;
	}
}
