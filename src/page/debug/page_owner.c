/* SPDX-License-Identifier: MIT */
/*
 * Who allocated each page, and who freed it last (page_owner=1). cf. Linux mm/page_owner.c. Each
 * stack is kept once (stack_depot.h).
 *
 * Records are mapped when their section comes online; a table with an entry for each section of the
 * window says where. One mapping for the whole window would cost no memory either. But it would
 * take 72 bytes of address space for each page of the machine, which a program that later sets
 * RLIMIT_AS would lack. A section without memory for its records has none.
 *
 * A block's record is its first page's. When a plain block is split, each page gets a copy.
 */
#include "base/check.h"
#include "base/fmt.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "page/debug/flag_names.h"
#include "page/debug/hooks.h"
#include "page/debug/page_report.h"
#include "page/debug/stack_depot.h"
#include "page/gfp.h"
#include "page/migratetype.h"
#include "page/pageblock.h"
#include "usermm/stats.h"

#define WHERE_BYTES 256
/* Frames of this file's functions and of the hook. */
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
	uint8_t is_allocated;	/* 0: free, or not a block's first page. Sync: atomic */
	char comm[OS_NAME_BYTES];
};

/*
 * The records of each section, or NULL. Sync: the table is set once. Its entries are atomic, and
 * are set under page_grow_lock before anybody has the pages. Each record belongs to the page's
 * owner.
 */
static struct owner **sections;

int page_owner_init(void)
{
	size_t bytes = DIV_ROUND_UP(mm_facts.window_bytes, SECTION_BYTES) * sizeof(*sections);
	void *table;

	if (stack_depot_init() ||
	    os_map_lazily(ALIGN(bytes, os_page_bytes()), os_page_bytes(), &table)) {
		report_warning("page_owner=1 is not used: no memory for its records");
		return -1;
	}
	sections = table;
	return 0;
}

often_called void page_owner_grow(const struct page *page, unsigned long nr_pages)
{
	unsigned long first = page_to_pfn(page) / SECTION_PAGES;
	static bool told;	/* Sync: page_grow_lock */
	void *records;

	/* A section that went offline and comes back still has its records. */
	if (!sections || atomic_load_relaxed(&sections[first]))
		return;
	if (os_map_lazily(ALIGN(nr_pages * sizeof(struct owner), os_page_bytes()),
			  os_page_bytes(), &records)) {
		if (!told)
			report_warning("page_owner=1: no memory for the records of some pages");
		told = true;
		return;
	}
	for (unsigned long i = 0; i < nr_pages / SECTION_PAGES; i++)
		/* pairs with owner_of_pfn(): the records are zero */
		atomic_store_release(&sections[first + i],
				     (struct owner *)records + i * SECTION_PAGES);
}

/* The page's record, or NULL if its section has none. */
static struct owner *owner_of_pfn(unsigned long pfn)
{
	/* pairs with page_owner_grow() */
	struct owner *records = atomic_load_acquire(&sections[pfn / SECTION_PAGES]);

	return records ? &records[pfn % SECTION_PAGES] : NULL;
}

static struct owner *owner_of(const struct page *page)
{
	return owner_of_pfn(page_to_pfn(page));
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

	if (!owner)
		return;
	set_actor(&owner->allocated);
	os_thread_name(owner->comm);
	owner->gfp = gfp;
	owner->order = (uint8_t)order;
	/* pairs with page_owner_print(): the record */
	atomic_store_release(&owner->is_allocated, 1);
}

void page_owner_split(struct page *page, unsigned int order)
{
	struct owner *owner = owner_of(page);	/* a block lies in one section */

	for (unsigned long i = 0; owner && i < 1UL << order; i++) {
		owner[i] = *owner;
		owner[i].order = 0;
	}
}

/* Clears each page's record: the first page of a plain block may be freed after the others. */
void page_owner_clear(struct page *page, unsigned long nr_pages)
{
	struct actor freed = { 0 };

	set_actor(&freed);
	for (unsigned long i = 0; i < nr_pages; i++) {
		struct owner *owner = owner_of(page + i);

		if (!owner)
			continue;
		owner->freed = freed;
		atomic_store_relaxed(&owner->is_allocated, 0);
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

void page_owner_print(struct fmt_writer *out)
{
	unsigned long pages = atomic_load_relaxed(&mm_window.online_bytes) / PAGE_SIZE;
	struct os_files files = { 0 };

	for (unsigned long pfn = 0; sections && pfn < pages; pfn++) {
		const struct owner *owner = owner_of_pfn(pfn);

		/* pairs with page_owner_set() */
		if (owner && atomic_load_acquire(&owner->is_allocated))
			print_owner(out, &files, pfn, owner);
	}
}

void usermm_print_page_owner(int fd)
{
	fmt_print_to(fd, page_owner_print);
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
	struct owner owner = { .is_allocated = 0 };
	const struct owner *record;
	char names[FLAG_NAMES_BYTES];

	if (!sections)
		return;
	record = owner_of(page);
	if (record)
		owner = *record;
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
