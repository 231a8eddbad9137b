/* SPDX-License-Identifier: MIT */
#include "mm/memmap.h"

#include "base/options.h"
#include "os/load_options.h"
#include "os/once.h"
#include "os/os.h"
#include "percpu/percpu.h"

/* Below this a window is of no use. */
#define WINDOW_BYTES_MIN SECTION_BYTES

struct usermm_memmap usermm_memmap __read_mostly;
unsigned long mm_online_bytes __read_mostly;
unsigned long mm_online_map_bytes __read_mostly;
struct mm_facts mm_facts;
size_t mm_fixed_bytes;

static struct once mm_once;

_Static_assert(sizeof(struct page) == 64, "struct page is one cache line");

/* Bytes of struct pages for so many bytes of window. */
static size_t map_bytes(size_t window_bytes)
{
	return ALIGN(window_bytes / PAGE_SIZE * sizeof(struct page), os_page_bytes());
}

static size_t wished_window(void)
{
	uint64_t wished = options.window ? options.window : os_memory_bytes();
	uint64_t address_space = os_address_space_limit();

	if (mm_fixed_bytes)
		return mm_fixed_bytes;
	/* The program needs address space as well: at most half of a limit. */
	if (address_space != UINT64_MAX)
		wished = min(wished, address_space / 2);
	return max(ALIGN(wished, SECTION_BYTES), WINDOW_BYTES_MIN);
}

/* One reservation: struct pages first, then the window at a section boundary. */
static int reserve(size_t window_bytes)
{
	size_t pages_bytes = ALIGN(map_bytes(window_bytes), SECTION_BYTES);
	void *addr;
	int error = os_reserve(pages_bytes + window_bytes, SECTION_BYTES, &addr);

	if (error)
		return error;
	usermm_memmap.pages = addr;
	usermm_memmap.base = (unsigned long)addr + pages_bytes;
	return 0;
}

static int map_pageblocks(size_t window_bytes)
{
	size_t bytes = (window_bytes >> (PAGE_SHIFT + MM_PAGEBLOCK_ORDER)) * sizeof(uint16_t);
	void *addr;
	int error = os_map_lazily(ALIGN(bytes, os_page_bytes()), os_page_bytes(), &addr);

	if (!error)
		usermm_memmap.pageblocks = addr;
	return error;
}

static void set_budget(void)
{
	struct os_limit limit;

	mm_facts.budget_bytes = mm_facts.window_bytes;
	mm_facts.budget_source = "window";
	if (mm_fixed_bytes)
		return;
	os_memory_limit(&limit);
	if (limit.bytes < mm_facts.budget_bytes) {
		mm_facts.budget_bytes = limit.bytes;
		mm_facts.budget_source = limit.source;
	}
	if (options.limit && options.limit < mm_facts.budget_bytes) {
		mm_facts.budget_bytes = options.limit;
		mm_facts.budget_source = "limit=";
	}
	mm_facts.budget_bytes = max(ALIGN_DOWN(mm_facts.budget_bytes, SECTION_BYTES),
				    SECTION_BYTES);
}

static int bring_up(void)
{
	size_t bytes;
	int error;

	load_options();
	bytes = wished_window();
	mm_facts.wished_bytes = bytes;
	while ((error = reserve(bytes)) && bytes > WINDOW_BYTES_MIN)
		bytes = ALIGN(bytes / 2, SECTION_BYTES);
	if (error)
		return error;
	mm_facts.window_bytes = bytes;
	error = map_pageblocks(bytes);
	if (error)
		return error;
	set_budget();
	percpu_keep_apart(&usermm_memmap, sizeof(usermm_memmap));
	percpu_keep_apart(&mm_online_bytes, sizeof(mm_online_bytes));
	percpu_keep_apart(&mm_online_map_bytes, sizeof(mm_online_map_bytes));
	return 0;
}

int mm_init(void)
{
	return once_run(&mm_once, bring_up) ? 0 : -1;
}

static int commit(unsigned long online, size_t bytes)
{
	char *pages = (char *)usermm_memmap.pages;
	size_t map_start = map_bytes(online);
	int error = os_commit(pages + map_start, map_bytes(online + bytes) - map_start);

	return error ? error : os_commit((void *)(usermm_memmap.base + online), bytes);
}

unsigned long mm_grow(size_t max_bytes, struct page **first)
{
	unsigned long online = mm_online_bytes;
	size_t bytes = clamp(ALIGN(online / 8, SECTION_BYTES), SECTION_BYTES, GROW_BYTES_MAX);

	bytes = min(bytes, ALIGN_DOWN(max_bytes, SECTION_BYTES));
	bytes = min(bytes, mm_facts.window_bytes - online);
	/* Near a limit of the system's a smaller step may still be granted. */
	while (bytes && commit(online, bytes))
		bytes = ALIGN_DOWN(bytes / 2, SECTION_BYTES);
	if (!bytes)
		return 0;
	*first = pfn_to_page(online >> PAGE_SHIFT);
	/*
	 * mm_is_online() need not pair with this: an address in the new part reaches
	 * another thread only through whatever hands it over.
	 */
	atomic_store_release(&mm_online_map_bytes,
			     (online + bytes) / PAGE_SIZE * sizeof(struct page));
	atomic_store_release(&mm_online_bytes, online + bytes);
	return bytes >> PAGE_SHIFT;
}

bool virt_addr_valid(const void *addr)
{
	return mm_is_online(addr);
}
