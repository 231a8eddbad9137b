/* SPDX-License-Identifier: MIT */
#include "page/parked.h"

#include "mm/memmap.h"
#include "os/os.h"
#include "page/buddy.h"
#include "page/debug/hooks.h"
#include "page/pageblock.h"

/* How much comes back at a time. Each chunk costs a page fault: some 50 microseconds in all. */
#define UNPARK_PAGES (16 * MIB / PAGE_SIZE)
#define WORD_BITS 64UL

/*
 * A bit for each chunk of the window. Sync: the pointer is set under page_drain_lock, before any
 * zone has parked pages; a zone's bits belong to its lock. Zones share words, so bits are set and
 * cleared atomically.
 */
static unsigned long *bits;

static unsigned int chunk_order(void)
{
	return (unsigned int)get_order(os_page_bytes() / sizeof(struct page) * PAGE_SIZE);
}

/* Makes the table of bits, once. False without memory. The caller holds page_drain_lock. */
static bool make_bits(void)
{
	size_t chunks = mm_facts.window_bytes / PAGE_SIZE >> chunk_order();
	void *addr;

	if (bits)
		return true;
	if (os_map_lazily(ALIGN(DIV_ROUND_UP(chunks, 8), os_page_bytes()), os_page_bytes(), &addr))
		return false;
	bits = addr;
	return true;
}

/* --- Parking ---------------------------------------------------------------------- */

static void park_locked(struct zone *z, unsigned long pfn, unsigned long nr_pages)
{
	unsigned long end = (pfn + nr_pages) >> chunk_order();

	for (unsigned long chunk = pfn >> chunk_order(); chunk < end; chunk++)
		atomic_or_relaxed(&bits[chunk / WORD_BITS], 1UL << chunk % WORD_BITS);
	atomic_store_relaxed(&z->parked_pages, z->parked_pages + nr_pages);
	atomic_store_relaxed(&z->present_pages, z->present_pages - nr_pages);
	zone_add_free_pages(z, nr_pages);
}

/*
 * Parks the next block that may be parked. False if there is none. The caller holds
 * page_drain_lock.
 */
static bool park_next(struct zone *z)
{
	unsigned long nr;
	struct page *page = make_bits() ? buddy_take_zeroed(z, chunk_order(), &nr) : NULL;

	if (!page)
		return false;
	page_set_flags(page, 0);
	mm_discard_tables(page, nr, true);
	lock_acquire(&z->lock);
	park_locked(z, page_to_pfn(page), nr);
	lock_release(&z->lock);
	/* Parked memory can be had, even if the system has refused to give more. */
	zone_clear_flag(z, ZONE_GROWTH_REFUSED);
	return true;
}

static bool park_one(struct zone *z)
{
	bool done;

	lock_acquire(&page_drain_lock);
	zone_set_flag(z, ZONE_BLOCKS_MOVING);
	done = park_next(z);
	zone_clear_flag(z, ZONE_BLOCKS_MOVING);
	lock_release(&page_drain_lock);
	return done;
}

static bool may_park(void)
{
	return chunk_order() < MAX_PAGE_ORDER && !page_hooks() && !mm_is_charged();
}

void zone_park(struct zone *z)
{
	while (may_park() && park_one(z))
		;
}

unsigned long zone_parkable_pages(struct zone *z)
{
	return may_park() ? buddy_zeroed_pages(z, chunk_order()) : 0;
}

/* --- Coming back -------------------------------------------------------------------- */

static bool is_parked(const struct zone *z, unsigned long chunk)
{
	return atomic_load_relaxed(&bits[chunk / WORD_BITS]) >> chunk % WORD_BITS & 1 &&
	       page_zone(pfn_to_page(chunk << chunk_order())) == z;
}

/* The zone's first parked chunk from this one on; `end` if there is none. */
static unsigned long next_parked(const struct zone *z, unsigned long chunk, unsigned long end)
{
	while (chunk < end && !is_parked(z, chunk))
		if (atomic_load_relaxed(&bits[chunk / WORD_BITS]))
			chunk++;
		else
			chunk = ALIGN_DOWN(chunk, WORD_BITS) + WORD_BITS;
	return min(chunk, end);
}

/* Takes the bits of a run of chunks from *chunk on, at most `most`. Returns how many. */
static unsigned long take_run_locked(struct zone *z, unsigned long *chunk, unsigned long most)
{
	unsigned long end = z->end_pfn >> chunk_order(), nr;

	*chunk = next_parked(z, *chunk, end);
	for (nr = 0; nr < most && *chunk + nr < end && is_parked(z, *chunk + nr); nr++)
		atomic_and_relaxed(&bits[(*chunk + nr) / WORD_BITS],
				   ~(1UL << (*chunk + nr) % WORD_BITS));
	return nr;
}

static void give_run_locked(struct zone *z, unsigned long chunk, unsigned long nr)
{
	unsigned long pages = nr << chunk_order();

	atomic_store_relaxed(&z->present_pages, z->present_pages + pages);
	buddy_give_zeroed_locked(z, pfn_to_page(chunk << chunk_order()), pages);
	/* Subtracts last, so that nobody sees too few free pages. */
	zone_add_free_pages(z, -pages);
	atomic_store_relaxed(&z->parked_pages, z->parked_pages - pages);
}

/*
 * All of a run comes back under one lock. So a request that looks at the lists, and then whether
 * something is parked or offline, misses nothing (tests/models/page_parked.pml).
 */
bool zone_unpark(struct zone *z)
{
	unsigned long most = UNPARK_PAGES >> chunk_order(), done = 0, nr;
	unsigned long chunk = atomic_load_relaxed(&z->start_pfn) >> chunk_order();

	while (done < most && atomic_load_relaxed(&z->parked_pages)) {
		lock_acquire(&z->lock);
		nr = take_run_locked(z, &chunk, most - done);
		give_run_locked(z, chunk, nr);
		lock_release(&z->lock);
		if (!nr)	/* only chunks below this one were parked meanwhile */
			break;
		chunk += nr;
		done += nr;
	}
	return done;
}

/* --- Who has a pageblock --------------------------------------------------------------- */

/* Returns how many free pages begin here, as a block or a chunk; 0 if this page is not free. */
static unsigned long free_pages_at_locked(const struct zone *z, unsigned long pfn)
{
	const struct page *page = pfn_to_page(pfn);

	if (atomic_load_relaxed(&z->parked_pages) && is_parked(z, pfn >> chunk_order()))
		return 1UL << chunk_order();
	return page_flags(page) & PG_buddy ? 1UL << page->order : 0;
}

bool pageblock_is_free_but(unsigned long pfn, unsigned long (*others)(const struct page *page))
{
	struct zone *z = page_zone(pfn_to_page(pfn));
	unsigned long end = pfn + PAGEBLOCK_PAGES, nr;

	/*
	 * Between mm_grow() and add_sections() no zone has the pageblock, and its class says zone
	 * 0. That zone may have no pages, or may have grown since the class was read.
	 */
	if (pfn >= atomic_load_relaxed(&z->end_pfn))
		return false;
	lock_acquire(&z->lock);
	for (nr = page_zone(pfn_to_page(pfn)) == z; nr && pfn < end; pfn += nr) {
		nr = free_pages_at_locked(z, pfn);
		if (!nr)
			nr = others(pfn_to_page(pfn));
	}
	lock_release(&z->lock);
	return nr;
}
