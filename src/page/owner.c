/* SPDX-License-Identifier: MIT */
/*
 * Who allocated each page (page_owner=1). cf. Linux mm/page_owner.c. There is a record
 * for each page of the window, in a mapping that costs what is written to.
 */
#include <time.h>
#include <unistd.h>

#include "base/fmt.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "page/gfp.h"
#include "page/hooks.h"
#include "page/page_report.h"
#include "page/pageblock.h"
#include "usermm/stats.h"

struct owner {
	uint64_t allocated_ns;
	gfp_t gfp;
	int pid;			/* 0: the page is free, or behind a block's first */
	uint8_t order;
	char comm[OS_NAME_BYTES];
};

static struct owner *owners;	/* Sync: set once; each record is its page's owner's */

int page_owner_init(void)
{
	unsigned long pages = mm_facts.window_bytes / PAGE_SIZE;
	void *records;

	if (os_map_lazily(ALIGN(pages * sizeof(struct owner), os_page_bytes()), os_page_bytes(),
			  &records))
		return -1;
	owners = records;
	return 0;
}

void page_owner_set(struct page *page, gfp_t gfp, unsigned int order)
{
	struct owner *owner = &owners[page_to_pfn(page)];
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	os_thread_name(owner->comm);
	owner->allocated_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	owner->gfp = gfp;
	owner->order = (uint8_t)order;
	/* pairs with usermm_print_page_owner(): the record */
	atomic_store_release(&owner->pid, (int)getpid());
}

/* A plain block's first page may be freed later than the others: each page by itself. */
void page_owner_clear(struct page *page, unsigned long nr_pages)
{
	for (unsigned long i = 0; i < nr_pages; i++)
		if (owners[page_to_pfn(page + i)].pid)
			atomic_store_relaxed(&owners[page_to_pfn(page + i)].pid, 0);
}

static const char *type_name(enum migratetype type)
{
	static const char *const names[MIGRATE_TYPES] = {
		"Unmovable", "Movable", "Reclaimable", "HighAtomic", "CMA", "Isolate",
	};

	return names[type];
}

static void print_owner(struct fmt_writer *out, unsigned long pfn, const struct owner *owner)
{
	const struct page *page = pfn_to_page(pfn);
	char names[GFP_NAMES_BYTES];

	gfp_names(owner->gfp, names, sizeof(names));
	fmt_print(out, "Page allocated via order %u, mask %#x(%s), pid %d, tgid %d (%s), ts %lu ns\n",
		  (unsigned int)owner->order, owner->gfp, names, owner->pid, owner->pid, owner->comm,
		  (unsigned long)owner->allocated_ns);
	fmt_print(out, "PFN 0x%lx type %s Block %lu type %s Flags %#lx\n\n", pfn,
		  type_name(gfp_migratetype(owner->gfp)), pfn / PAGEBLOCK_PAGES,
		  type_name(get_pageblock_migratetype(page)), page->flags);
}

void usermm_print_page_owner(int fd)
{
	unsigned long pages = atomic_load_relaxed(&mm_online_bytes) / PAGE_SIZE;
	struct fmt_writer out;

	fmt_writer_open(&out, fd);
	for (unsigned long pfn = 0; owners && pfn < pages; pfn++)
		if (atomic_load_acquire(&owners[pfn].pid))
			print_owner(&out, pfn, &owners[pfn]);
	fmt_writer_close(&out);
}
