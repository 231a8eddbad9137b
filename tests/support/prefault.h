/* SPDX-License-Identifier: MIT */
/* For tests of page/prefault.h, which makes memory present before it is touched. */
#ifndef SUPPORT_PREFAULT_H
#define SUPPORT_PREFAULT_H

#include <sys/mman.h>
#include <unistd.h>

#include "page/prefault.h"
#include "percpu/percpu.h"
#include "support/kernel.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23	/* old headers */
#endif

/* Skips the case where the library does not ask the kernel to prefault. */
static inline void prefault_need_asking(struct kunit *test)
{
	if (sysconf(_SC_PAGESIZE) != PAGE_SIZE)
		kunit_skip(test, "the system has other page sizes");
}

/*
 * Also skips the case if the kernel does not do it. User emulation accepts the call and does
 * nothing.
 */
static inline void prefault_need(struct kunit *test)
{
	unsigned char in_core = 0;
	void *page;
	bool does;

	prefault_need_asking(test);
	page = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	KUNIT_ASSERT_TRUE(test, page != MAP_FAILED);
	does = !madvise(page, PAGE_SIZE, MADV_POPULATE_WRITE) &&
	       !mincore(page, PAGE_SIZE, &in_core) && (in_core & 1);
	munmap(page, PAGE_SIZE);
	if (!does)
		kunit_skip(test, "Linux does this from 5.14 on");
}

/* Takes pages into use until one request may prefault `populated` pages. */
static inline void prefault_use_for(struct kunit *test, unsigned long populated)
{
	unsigned long sections = DIV_ROUND_UP(populated * PREFAULT_SHARE * percpu_nr_cpus(),
					      1UL << MAX_PAGE_ORDER);

	while (sections--)
		KUNIT_ASSERT_NOT_NULL(test, alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER));
}

/* How many of the pages are present. nr_pages is at most a section's. */
static inline unsigned long nr_resident(const struct page *page, unsigned long nr_pages)
{
	unsigned char in_core[1UL << MAX_PAGE_ORDER];
	unsigned long nr = 0;

	mincore(page_address(page), nr_pages << PAGE_SHIFT, in_core);
	for (unsigned long i = 0; i < nr_pages; i++)
		nr += in_core[i] & 1;
	return nr;
}

#endif
