/* SPDX-License-Identifier: MIT */
#include "mm/memmap.h"

#include <errno.h>

#include "base/check.h"
#include "base/options.h"
#include "mm/huge.h"
#include "os/load_options.h"
#include "os/once.h"
#include "os/os.h"
#include "percpu/percpu.h"

/* The smallest useful window. */
#define WINDOW_BYTES_MIN SECTION_BYTES
/* How many places are tried for a window that is not reserved. */
#define PLACES_TRIED 8

struct usermm_memmap usermm_memmap __read_mostly;
struct mm_window mm_window __read_mostly;
struct mm_facts mm_facts;
size_t mm_fixed_bytes;
bool mm_wants_views;

static struct once mm_once __read_mostly;
/* Is the window a reservation? Sync: as mm_grow(); mm_is_reserved() reads it at any time */
static bool is_reserved;
/* RLIMIT_AS when the window was made. Sync: as is_reserved */
static uint64_t first_limit;
/*
 * The lowest limit that online memory counts for: RLIMIT_DATA, and RLIMIT_AS if the window is not
 * reserved. UINT64_MAX: none. Sync: as is_reserved
 */
static uint64_t counting_limit = UINT64_MAX;
/* Is the window shared memory? Sync: constant after mm_init() */
static bool is_shared;

_Static_assert(sizeof(struct page) == 64, "struct page is one cache line");

/* The tables lie in front of the window, in this order. */
enum { PAGES, SLAB_CACHES, MARKS, NR_TABLES };

/* A table that grows with the window, by page_bytes for each page. */
static struct table {
	unsigned int page_bytes;
	char *start;		/* Sync: as is_reserved */
} tables[NR_TABLES] = {
	[PAGES] = { .page_bytes = sizeof(struct page) },
	[SLAB_CACHES] = { .page_bytes = sizeof(struct kmem_cache *) },
	[MARKS] = { .page_bytes = PAGE_SIZE >> MM_MARK_SHIFT },
};

static size_t table_bytes(const struct table *table, size_t window_bytes)
{
	return ALIGN(window_bytes / PAGE_SIZE * table->page_bytes, os_page_bytes());
}

size_t mm_table_bytes(size_t window_bytes)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < NR_TABLES; i++)
		bytes += table_bytes(&tables[i], window_bytes);
	return bytes;
}

/* The bytes of all tables, rounded up so that the window begins at a section boundary. */
static size_t tables_bytes(size_t window_bytes)
{
	return ALIGN(mm_table_bytes(window_bytes), SECTION_BYTES);
}

static size_t wished_window(void)
{
	uint64_t wished = options.reserve;

	if (mm_fixed_bytes)
		return mm_fixed_bytes;
	if (!wished)
		wished = os_memory_bytes();
	return max(ALIGN(wished, SECTION_BYTES), WINDOW_BYTES_MIN);
}

/*
 * The whole reservation, if there is one. It has up to a section of unused addresses at either
 * end, since that is cheaper than to align it. Sync: as is_reserved
 */
static char *reservation;
static size_t reservation_bytes;

static void place(char *addr, size_t window_bytes)
{
	usermm_memmap.base = mm_window.base = (unsigned long)addr + tables_bytes(window_bytes);
	for (unsigned int i = 0; i < NR_TABLES; i++) {
		tables[i].start = addr;
		addr += table_bytes(&tables[i], window_bytes);
	}
	usermm_memmap.pages = mm_window.pages = (void *)tables[PAGES].start;
	usermm_memmap.slab_caches = mm_window.slab_caches = (void *)tables[SLAB_CACHES].start;
	mm_window.marks = (unsigned long)tables[MARKS].start - (mm_window.base >> MM_MARK_SHIFT);
}

static void forget_place(void)
{
	usermm_memmap.pages = mm_window.pages = NULL;
	usermm_memmap.slab_caches = mm_window.slab_caches = NULL;
	usermm_memmap.base = mm_window.base = 0;
}

/* Is nothing mapped at this address yet? */
static bool is_vacant(void *addr)
{
	bool vacant = !os_map_at(addr, os_page_bytes());

	if (vacant)
		os_unmap(addr, os_page_bytes());
	return vacant;
}

/* Are the places of all tables and of the window free, at their first pages? */
static bool place_is_vacant(void)
{
	for (unsigned int i = 0; i < NR_TABLES; i++)
		if (!is_vacant(tables[i].start))
			return false;
	return is_vacant((void *)mm_window.base);
}

/*
 * Chooses addresses that the system does not use on its own. It puts programs, their heaps,
 * mappings and stacks into the lowest eighth, at a third, at two thirds and at the end of the
 * address space.
 */
static int choose_place(size_t window_bytes)
{
	uint64_t space = os_address_space_bytes();

	if (tables_bytes(window_bytes) + window_bytes > space / 32)
		return -ENOMEM;
	for (unsigned int tries = 0; tries < PLACES_TRIED; tries++) {
		char *start = (char *)(space / 8 * 3 +
				       ALIGN_DOWN(os_random() % (space / 16), SECTION_BYTES));

		place(start, window_bytes);
		if (place_is_vacant())
			return 0;
	}
	forget_place();
	return -ENOMEM;
}

static int reserve(size_t window_bytes)
{
	size_t bytes = tables_bytes(window_bytes) + window_bytes + SECTION_BYTES;
	void *addr;
	int error;

	if (!is_reserved)
		return choose_place(window_bytes);
	error = os_reserve(bytes, os_page_bytes(), &addr);
	if (error)
		return error;
	reservation = addr;
	reservation_bytes = bytes;
	place((char *)ALIGN((unsigned long)addr, SECTION_BYTES), window_bytes);
	return 0;
}

/* Undoes reserve(). */
static void give_back(void)
{
	if (is_reserved)
		os_unmap(reservation, reservation_bytes);
	forget_place();
}

static int map_pageblocks(size_t window_bytes)
{
	size_t bytes = (window_bytes >> (PAGE_SHIFT + MM_PAGEBLOCK_ORDER)) * sizeof(uint16_t);
	void *addr;
	int error = os_map_lazily(ALIGN(bytes, os_page_bytes()), os_page_bytes(), &addr);

	if (!error)
		mm_window.pageblocks = addr;
	return error;
}

/* The part of the budget that no later change of a limit affects. Sync: constant after mm_init() */
static struct os_limit most = { UINT64_MAX, "none" };

static void set_most(void)
{
	most = (struct os_limit){ mm_facts.window_bytes, "window" };
	if (mm_fixed_bytes)
		return;
	os_constant_limit(&most);
	if (mm_facts.window_bytes < most.bytes)
		most = (struct os_limit){ mm_facts.window_bytes, "window" };
	if (options.limit && options.limit < most.bytes)
		most = (struct os_limit){ options.limit, "limit=" };
}

bool mm_budget_may_change(void)
{
	return !mm_fixed_bytes;
}

void mm_lower_to_budget(struct os_limit *limit)
{
	if (most.bytes < limit->bytes)
		*limit = most;
	limit->bytes = max(ALIGN_DOWN(limit->bytes, SECTION_BYTES), SECTION_BYTES);
}

void mm_set_budget(const struct os_limit *limit)
{
	atomic_store_relaxed(&mm_facts.budget_bytes, limit->bytes);
	atomic_store_relaxed(&mm_facts.budget_source, limit->source);
}

static void set_budget(void)
{
	struct os_limit limit;

	set_most();
	limit = most;
	if (!mm_fixed_bytes)
		os_take_changing_limits(&limit, false);
	mm_lower_to_budget(&limit);
	mm_set_budget(&limit);
}

/*
 * Halves the window until it can be had. After mlockall(MCL_FUTURE) reserved addresses count for
 * RLIMIT_MEMLOCK. If that limit refuses (-EAGAIN), the window is not reserved but only chosen, as
 * under RLIMIT_AS.
 */
static int reserve_some(size_t *bytes)
{
	int error;

	while ((error = reserve(*bytes)) && *bytes > WINDOW_BYTES_MIN)
		if (error == -EAGAIN && is_reserved)
			is_reserved = false;
		else
			*bytes = ALIGN(*bytes / 2, SECTION_BYTES);
	return error;
}

/*
 * Has another copy of the library set usermm_memmap? All copies whose names are visible share that
 * variable (os/core.h). The copy that set it serves the process. If a second copy set it again,
 * page_address() and similar functions in the program would be wrong for the first copy's pages.
 */
static bool is_anothers(void)
{
	static bool told;	/* Sync: the thread that brings the layer up (os/once.h) */

	if (!usermm_memmap.pages)
		return false;
	if (!told)	/* each request tries again and comes here */
		report_warning("two copies of usermm are in this process, and the second has no "
			       "memory to give; link or load one of them (" USERMM_VERSION
			       " was refused)");
	told = true;
	return true;
}

static int bring_up(void)
{
	size_t bytes;
	int error;

	if (is_anothers())
		return -EBUSY;
	load_options();
	first_limit = os_address_space_limit();
	is_reserved = first_limit == UINT64_MAX;
	bytes = wished_window();
	mm_facts.wished_bytes = bytes;
	error = reserve_some(&bytes);
	if (error && !is_reserved) {
		/*
		 * An emulator may refuse to map at a chosen address. Then reserve half the limit
		 * after all, and leave the other half to the program.
		 */
		is_reserved = true;
		bytes = ALIGN(min(mm_facts.wished_bytes, first_limit) / 2, SECTION_BYTES);
		error = reserve_some(&bytes);
	}
	if (error)
		return error;
	mm_facts.window_bytes = bytes;
	error = map_pageblocks(bytes);
	if (error) {
		give_back();
		return error;
	}
	is_shared = mm_wants_views && is_reserved && !os_shared_open(bytes);
	mm_read_limits();
	set_budget();
	percpu_keep_apart(&usermm_memmap, sizeof(usermm_memmap));
	percpu_keep_apart(&mm_window, sizeof(mm_window));
	return 0;
}

int mm_init(void)
{
	return once_run(&mm_once, bring_up) ? 0 : -1;
}

static int commit_part(void *addr, size_t bytes)
{
	return is_reserved ? os_commit(addr, bytes) : os_map_at(addr, bytes);
}

/* Brings the table's part for the new pages online; with large system pages it may be 0 bytes. */
static int commit_table(const struct table *table, unsigned long online, size_t bytes)
{
	size_t before = table_bytes(table, online);
	size_t more = table_bytes(table, online + bytes) - before;

	return more ? commit_part(table->start + before, more) : 0;
}

/* Undoes commit_table(). */
static void give_back_table(const struct table *table, unsigned long online, size_t bytes)
{
	size_t before = table_bytes(table, online);
	size_t more = table_bytes(table, online + bytes) - before;

	if (!is_reserved && more)
		os_unmap(table->start + before, more);
}

static int commit_window(unsigned long offset, size_t bytes)
{
	void *addr = (void *)(usermm_memmap.base + offset);

	return is_shared ? os_shared_map(addr, bytes, offset) : commit_part(addr, bytes);
}

static int commit_tables(unsigned long online, size_t bytes)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < NR_TABLES && !error; i++)
		error = commit_table(&tables[i], online, bytes);
	if (error)
		for (i--; i--;)
			give_back_table(&tables[i], online, bytes);
	return error;
}

/*
 * Under RLIMIT_AS the window's part comes first: it is the largest, so the system refuses it first.
 * A program at its limit then fails at once each time, without mapping and unmapping the tables. In
 * a reservation the window's part comes last, since a commit there cannot be undone.
 */
static int commit(unsigned long online, size_t bytes)
{
	int error;

	if (is_reserved) {
		error = commit_tables(online, bytes);
		return error ? error : commit_window(online, bytes);
	}
	error = commit_window(online, bytes);
	if (error)
		return error;
	error = commit_tables(online, bytes);
	if (error)
		os_unmap((void *)(usermm_memmap.base + online), bytes);
	return error;
}

/* The system has refused the last step, so the next one asks for the least. Sync: page_grow_lock */
static bool was_refused;

unsigned long mm_grow(size_t max_bytes, struct page **first)
{
	unsigned long online = mm_window.online_bytes;
	size_t bytes = clamp(ALIGN(online / 8, SECTION_BYTES), SECTION_BYTES, GROW_BYTES_MAX);

	bytes = min(bytes, ALIGN_DOWN(max_bytes, SECTION_BYTES));
	bytes = min(bytes, mm_facts.window_bytes - online);
	if (!bytes)
		return 0;
	if (was_refused)
		bytes = SECTION_BYTES;
	/* Near its limit the system may still grant a smaller piece. */
	while (commit(online, bytes)) {
		was_refused = true;
		if (bytes == SECTION_BYTES)
			return 0;
		bytes = ALIGN(bytes / 2, SECTION_BYTES);
	}
	was_refused = false;
	*first = pfn_to_page(online >> PAGE_SHIFT);
	/*
	 * No load pairs with these stores. Another thread gets an address in the new part only by a
	 * hand-over that orders memory itself. They are releases for the sake of wrong addresses:
	 * a thread whose processor keeps its loads in order then finds the tables behind them.
	 */
	atomic_store_release(&mm_window.online_map_bytes,
			     (online + bytes) / PAGE_SIZE * sizeof(struct page));
	atomic_store_release(&mm_window.online_bytes, online + bytes);
	if (!options.hardened && percpu_has_sequences())
		atomic_store_release(&mm_window.free_bytes, online + bytes);
	return bytes >> PAGE_SHIFT;
}

void mm_prefer_node(struct page *page, unsigned long nr_pages, unsigned int node)
{
	unsigned long first = page_to_pfn(page);

	os_prefer_node(page_address(page), nr_pages << PAGE_SHIFT, node);
	for (unsigned int i = 0; i < NR_TABLES; i++)
		os_prefer_node(tables[i].start + first * tables[i].page_bytes,
			       nr_pages * tables[i].page_bytes, node);
}

bool mm_is_reserved(void)
{
	return atomic_load_relaxed(&is_reserved);
}

enum mm_addresses mm_addresses(void)
{
	unsigned long online = atomic_load_relaxed(&mm_window.online_bytes);
	uint64_t limit = atomic_load_relaxed(&counting_limit);

	if (likely(online <= limit / 4))
		return MM_ADDRESSES_PLENTY;
	return online <= limit / 2 ? MM_ADDRESSES_SCARCE : MM_ADDRESSES_SCARCER;
}

bool mm_limit_has_risen(void)
{
	return first_limit != UINT64_MAX && os_address_space_limit() > first_limit;
}

static void unmap_between(char *start, char *end)
{
	if (start < end)
		os_unmap(start, (size_t)(end - start));
}

uint64_t mm_charge_limit(void)
{
	return atomic_load_relaxed(&counting_limit);
}

static uint64_t read_counting_limit(void)
{
	uint64_t limit = os_data_limit();

	return mm_is_reserved() ? limit : min(limit, os_address_space_limit());
}

void mm_read_limits(void)
{
	atomic_store_relaxed(&counting_limit, read_counting_limit());
}

/* A reservation that was made under RLIMIT_AS stays: see bring_up(). */
bool mm_knows_limits(void)
{
	if (mm_is_reserved() && !is_shared && first_limit == UINT64_MAX &&
	    os_address_space_limit() != UINT64_MAX)
		return false;
	return read_counting_limit() == mm_charge_limit();
}

/* True if there was a reservation. */
static bool give_up_reservation(void)
{
	char *window = (char *)usermm_memmap.base, *left = reservation;

	if (!is_reserved || os_address_space_limit() == UINT64_MAX)
		return false;
	for (unsigned int i = 0; i < NR_TABLES; i++) {
		unmap_between(left, tables[i].start);
		left = tables[i].start + table_bytes(&tables[i], mm_window.online_bytes);
	}
	unmap_between(left, window);
	unmap_between(window + mm_window.online_bytes, reservation + reservation_bytes);
	atomic_store_relaxed(&is_reserved, false);
	return true;
}

bool mm_give_up_reservation(void)
{
	bool given_up = !is_shared && give_up_reservation();

	mm_read_limits();
	return given_up;
}

bool virt_addr_valid(const void *addr)
{
	return mm_is_online(addr);
}

bool mm_has_views(void)
{
	return is_shared;
}

int mm_view(const struct page *page, unsigned long nr_pages, void *addr)
{
	if (!is_shared)
		return -EOPNOTSUPP;
	return os_shared_map(addr, nr_pages << PAGE_SHIFT, page_to_pfn(page) << PAGE_SHIFT);
}

static int discard(void *addr, size_t bytes)
{
	return is_shared ? os_shared_discard(addr, bytes) : os_discard(addr, bytes);
}

/*
 * The last owner may have left a part of its block locked (mlock()). The kernel discards nothing
 * of a locked range, so all pages that have merged with that part would stay in RAM. So the pages
 * are unlocked. A process that locks all its memory (mlockall()) keeps the pages, since it relies
 * on not getting page faults.
 */
int mm_discard(const struct page *page, unsigned long nr_pages)
{
	void *addr = page_address(page);
	size_t bytes = nr_pages << PAGE_SHIFT;
	int error;

	mm_huge_settle();
	error = discard(addr, bytes);
	if (error != -EINVAL || os_locks_new_memory() || os_unlock(addr, bytes))
		return error;
	return discard(addr, bytes);
}

void mm_discard_tables(const struct page *page, unsigned long nr_pages, bool all)
{
	unsigned long pfn = page_to_pfn(page), end = pfn + nr_pages;

	for (unsigned int i = 0; i < NR_TABLES; i++) {
		const struct table *table = &tables[i];
		/* Without `all` the first struct page stays: it says that the block is free. */
		unsigned long from = (pfn + (i == PAGES && !all)) * table->page_bytes;

		from = ALIGN(from, os_page_bytes());
		if (from + os_page_bytes() <= end * table->page_bytes)
			os_discard(table->start + from,
				   ALIGN_DOWN(end * table->page_bytes, os_page_bytes()) - from);
	}
}

static void discard_around(const struct table *table, unsigned long pfn)
{
	os_discard(table->start + ALIGN_DOWN(pfn * table->page_bytes, PAGE_SIZE), PAGE_SIZE);
}

void mm_discard_slab_caches(unsigned long pfn)
{
	discard_around(&tables[SLAB_CACHES], pfn);
}

void mm_discard_marks(unsigned long pfn)
{
	discard_around(&tables[MARKS], pfn);
}

FOR_KERNEL(mm_has_views);
FOR_KERNEL(mm_view);
FOR_KERNEL(mm_wants_views);
FOR_KERNEL(mm_window);
