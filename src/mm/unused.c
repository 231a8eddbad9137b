/* SPDX-License-Identifier: MIT */
#include "mm/unused.h"

#include "base/atomic.h"
#include "base/options.h"
#include "mm/memmap.h"
#include "os/os.h"

#define NR_GRANULES (MM_UNUSED_BYTES / MM_GRANULE_BYTES)

bool mm_unused_any __read_mostly;

/* Sync: each is set before its granule is free, and cleared once the granule is accessible */
static bool is_hidden[NR_GRANULES];

/*
 * Hides nothing where a limit counts mapped memory (RLIMIT_DATA): the system might then refuse to
 * make a granule accessible. Hides nothing with larger system pages or with views either: such
 * memory is mapped in other ways.
 */
void mm_unused_hide(void *addr, size_t bytes)
{
	size_t first = mm_offset(addr) / MM_GRANULE_BYTES;
	size_t end = min(first + bytes / MM_GRANULE_BYTES, NR_GRANULES);

	if (!options.hardened || first >= end || mm_has_views() ||
	    os_page_bytes() > MM_GRANULE_BYTES || os_data_limit() != UINT64_MAX ||
	    os_hide(addr, (end - first) * MM_GRANULE_BYTES))
		return;
	for (size_t i = first; i < end; i++)
		atomic_store_relaxed(&is_hidden[i], true);
	atomic_store_relaxed(&mm_unused_any, true);
}

bool mm_unused_show(const struct page *page, unsigned long nr_pages)
{
	char *addr = page_address(page), *base = (char *)mm_window.base;
	size_t first = (size_t)(addr - base) / MM_GRANULE_BYTES;
	size_t end = DIV_ROUND_UP((size_t)(addr - base) + nr_pages * PAGE_SIZE, MM_GRANULE_BYTES);

	for (size_t i = first; i < min(end, NR_GRANULES); i++) {
		if (!atomic_load_relaxed(&is_hidden[i]))
			continue;
		/* Two threads may do this at once: both do the same. */
		if (os_show(base + i * MM_GRANULE_BYTES, MM_GRANULE_BYTES))
			return false;
		atomic_store_relaxed(&is_hidden[i], false);
	}
	return true;
}
