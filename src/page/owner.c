/* SPDX-License-Identifier: MIT */
/*
 * Who allocated each page, and who freed it last (page_owner=1). cf. Linux
 * mm/page_owner.c. There is a record for each page of the window, in a mapping that costs
 * what is written to, and each stack is kept once (stack_depot.h).
 *
 * A block's record is its first page's. When a plain block is split each page gets a copy.
 */
#include "base/check.h"
#include "base/fmt.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "page/flag_names.h"
#include "page/gfp.h"
#include "page/hooks.h"
#include "page/migratetype.h"
#include "page/page_report.h"
#include "page/pageblock.h"
#include "page/stack_depot.h"
#include "usermm/stats.h"

#define WHERE_BYTES 256
/* Of page_owner.c's own functions and the hook. */
#define SKIPPED_FRAMES 2

struct actor {
	uint64_t time_ns;
	int pid, tgid;
	uint32_t stack;
};

struct owner {
	struct actor allocated, freed;
	gfp_t gfp;
	uint8_t order;
	uint8_t is_allocated;	/* 0: free, or behind a block's first. Sync: atomic */
	char comm[OS_NAME_BYTES];
};

static struct owner *owners;	/* Sync: set once; each record is its page's owner's */

int page_owner_init(void)
{
	unsigned long pages = mm_facts.window_bytes / PAGE_SIZE;
	void *records;

	if (stack_depot_init() ||
	    os_map_lazily(ALIGN(pages * sizeof(struct owner), os_page_bytes()), os_page_bytes(),
			  &records)) {
		report_warning("page_owner=1 is not used: no memory for its records");
		return -1;
	}
	owners = records;
	return 0;
}

static struct owner *owner_of(const struct page *page)
{
	return &owners[page_to_pfn(page)];
}

static noinline void set_actor(struct actor *actor)
{
	actor->time_ns = os_time_ns();
	actor->pid = os_current_thread();
	actor->tgid = os_current_process();
	actor->stack = stack_depot_save_current(SKIPPED_FRAMES);
}

void page_owner_set(struct page *page, gfp_t gfp, unsigned int order)
{
	struct owner *owner = owner_of(page);

	set_actor(&owner->allocated);
	os_thread_name(owner->comm);
	owner->gfp = gfp;
	owner->order = (uint8_t)order;
	/* pairs with usermm_print_page_owner(): the record */
	atomic_store_release(&owner->is_allocated, 1);
}

void page_owner_split(struct page *page, unsigned int order)
{
	for (unsigned long i = 0; i < 1UL << order; i++) {
		struct owner *owner = owner_of(page + i);

		if (i)
			*owner = *owner_of(page);
		owner->order = 0;
	}
}

/* A plain block's first page may be freed later than the others: each page by itself. */
void page_owner_clear(struct page *page, unsigned long nr_pages)
{
	struct actor freed = { 0 };

	set_actor(&freed);
	for (unsigned long i = 0; i < nr_pages; i++) {
		owner_of(page + i)->freed = freed;
		atomic_store_relaxed(&owner_of(page + i)->is_allocated, 0);
	}
}

/* --- As text ---------------------------------------------------------------------- */

static void print_stack(struct fmt_writer *out, struct os_files *files, uint32_t stack)
{
	const void *const *frames;
	unsigned int nr = stack_depot_fetch(stack, &frames);
	char where[WHERE_BYTES];

	for (unsigned int i = 0; i < nr; i++) {
		os_describe_in_files(files, frames[i], where, sizeof(where));
		fmt_print(out, " %s\n", where);
	}
}

static void print_owner(struct fmt_writer *out, struct os_files *files, unsigned long pfn,
			const struct owner *owner)
{
	const struct page *page = pfn_to_page(pfn);
	const struct zone *z = page_zone(page);
	char names[FLAG_NAMES_BYTES];

	gfp_names(owner->gfp, names, sizeof(names));
	fmt_print(out,
		  "Page allocated via order %u, mask %#x(%s), pid %d, tgid %d (%s), ts %lu ns\n",
		  (unsigned int)owner->order, owner->gfp, names, owner->allocated.pid,
		  owner->allocated.tgid, owner->comm, (unsigned long)owner->allocated.time_ns);
	page_flag_names(page->flags, (int)z->node, (int)z->index, names, sizeof(names));
	fmt_print(out, "PFN 0x%lx type %s Block %lu type %s Flags %s\n", pfn,
		  migratetype_names[gfp_migratetype(owner->gfp)], pfn / PAGEBLOCK_PAGES,
		  migratetype_names[get_pageblock_migratetype(page)], names);
	print_stack(out, files, owner->allocated.stack);
	fmt_print(out, "\n");
}

void usermm_print_page_owner(int fd)
{
	unsigned long pages = atomic_load_relaxed(&mm_window.online_bytes) / PAGE_SIZE;
	struct os_files files = { 0 };
	struct fmt_writer out;

	fmt_writer_open(&out, fd);
	for (unsigned long pfn = 0; owners && pfn < pages; pfn++)
		/* pairs with page_owner_set() */
		if (atomic_load_acquire(&owners[pfn].is_allocated))
			print_owner(&out, &files, pfn, &owners[pfn]);
	fmt_writer_close(&out);
}

static void dump_stack(uint32_t stack)
{
	const void *const *frames = NULL;
	unsigned int nr = stack_depot_fetch(stack, &frames);

	report_frames(frames, nr);
}

/* cf. Linux __dump_page_owner(). */
void page_owner_dump(const struct page *page)
{
	char names[FLAG_NAMES_BYTES];
	struct owner owner;

	if (!owners)
		return;
	owner = *owner_of(page);
	if (!owner.allocated.pid) {
		report_line("page_owner info is not present (never set?)");
		return;
	}
	report_line("page_owner tracks the page as %s", owner.is_allocated ? "allocated" : "freed");
	gfp_names(owner.gfp, names, sizeof(names));
	report_line("page last allocated via order %u, migratetype %s, gfp_mask %#x(%s), pid %d, "
		    "tgid %d (%s), ts %lu, free_ts %lu", (unsigned int)owner.order,
		    migratetype_names[gfp_migratetype(owner.gfp)], owner.gfp, names,
		    owner.allocated.pid, owner.allocated.tgid, owner.comm,
		    (unsigned long)owner.allocated.time_ns,
		    (unsigned long)owner.freed.time_ns);
	if (!owner.allocated.stack)
		report_line("page_owner allocation stack trace missing");
	dump_stack(owner.allocated.stack);
	if (!owner.freed.stack) {
		report_line("page_owner free stack trace missing");
		return;
	}
	report_line("page last free pid %d tgid %d stack trace:", owner.freed.pid,
		    owner.freed.tgid);
	dump_stack(owner.freed.stack);
}
