// SPDX-License-Identifier: MIT
#include "views.h"

#include "mm/memmap.h"
#include "os/memory.h"
#include "os/os.h"
#include "page/zone.h"

void views_want(void)
{
	mm_wants_views = true;
}

bool views_are_possible(void)
{
	return !page_init() && mm_has_views();
}

int views_descriptor(void)
{
	return views_are_possible() ? os_shared_descriptor() : -1;
}

/* How many of the pages, from the first one on, follow one another in the window. */
static unsigned long run_length(struct page *const *pages, unsigned long nr_pages)
{
	unsigned long nr = 1;

	while (nr < nr_pages && pages[nr] == pages[0] + nr)
		nr++;
	return nr;
}

void *views_map(struct page *const *pages, unsigned long nr_pages, unsigned long align)
{
	unsigned long nr;
	char *view;
	void *start;

	/*
	 * The view begins align bytes behind the start. One page of these stays in front of it,
	 * inaccessible.
	 */
	if (os_reserve(align + ((nr_pages + 1) << PAGE_SHIFT), align, &start))
		return NULL;
	if (align > PAGE_SIZE)
		os_unmap(start, align - PAGE_SIZE);
	view = (char *)start + align;
	for (unsigned long i = 0; i < nr_pages; i += nr) {
		nr = run_length(pages + i, nr_pages - i);
		if (!mm_view(pages[i], nr, view + (i << PAGE_SHIFT)))
			continue;
		views_unmap(view, nr_pages);
		return NULL;
	}
	return view;
}

void views_unmap(void *view, unsigned long nr_pages)
{
	os_unmap((char *)view - PAGE_SIZE, (nr_pages + 2) << PAGE_SHIFT);
}

void views_cut(void *end, unsigned long nr_pages)
{
	os_unmap(end, (nr_pages + 1) << PAGE_SHIFT);
}
