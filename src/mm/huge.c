/* SPDX-License-Identifier: MIT */
#include "mm/huge.h"

#include "base/options.h"
#include "mm/memmap.h"
#include "os/os.h"

unsigned int mm_huge_patience_ms = 2;

/*
 * The advice MADV_HUGEPAGE holds from this offset in the window to the end of the online part; 0:
 * nowhere. Sync: atomic. mm_huge_settle() first sets this to 0 and then reads online_bytes.
 * note_advised() writes this after online_bytes has grown, even if the value stays the same. So if
 * memory comes online meanwhile, either mm_huge_settle() withdraws the advice there, too, or this
 * is not 0 afterwards.
 */
static unsigned long advised_from;
/* Sync: under RANK_GROW */
static uint64_t pause_until_ms;

/* With other page sizes a huge page is too large: 32 or 512 MiB. */
static bool are_of_use(void)
{
	return os_page_bytes() == PAGE_SIZE && !mm_has_views();
}

/* Makes the huge page present. False if that took too long. The page is zero already. */
static bool touch_by_the_clock(char *addr)
{
	uint64_t start = os_time_ns();

	*(volatile char *)addr = 0;
	return os_time_ns() - start < mm_huge_patience_ms * 1000000UL;
}

/* Notes that the advice holds from this offset on, unless it holds from an earlier one. */
static void note_advised(unsigned long offset)
{
	unsigned long from = atomic_load_relaxed(&advised_from);

	/* pairs with mm_huge_settle(): online_bytes */
	while (!atomic_cas_release(&advised_from, &from, from ? from : offset))
		;
}

/*
 * False for memory that went offline and comes online again. It may lie before advised_from, where
 * mm_huge_settle() would not withdraw the advice, and other mappings may lie in holes behind it.
 */
static bool is_at_end(const char *addr, size_t bytes)
{
	return mm_offset(addr) + bytes == mm_window.online_bytes;
}

static void advise(char *addr, size_t bytes)
{
	if (mm_offset(addr) < MM_HUGE_FROM || !is_at_end(addr, bytes) || !are_of_use() ||
	    os_time_ms() < pause_until_ms || os_huge_pages(addr, bytes, true))
		return;
	note_advised(mm_offset(addr));
	if (!touch_by_the_clock(addr)) {
		pause_until_ms = os_time_ms() + MM_HUGE_PAUSE_MS;
		mm_huge_settle();
	}
}

void mm_huge_settle(void)
{
	unsigned long from = atomic_load_relaxed(&advised_from);

	/* pairs with note_advised(): online_bytes */
	if (!from || !atomic_cas_acquire(&advised_from, &from, 0UL))
		return;
	os_huge_pages((char *)mm_window.base + from,
		      atomic_load_relaxed(&mm_window.online_bytes) - from, false);
}

void mm_huge_grown(void *addr, size_t bytes)
{
	if (options.thp == OPTION_THP_AUTO)
		advise(addr, bytes);
	else
		mm_huge_mapped(addr, bytes);
}

void mm_huge_mapped(void *addr, size_t bytes)
{
	if (options.thp == OPTION_THP_ALWAYS || options.thp == OPTION_THP_NEVER)
		os_huge_pages(addr, bytes, options.thp == OPTION_THP_ALWAYS);
}
