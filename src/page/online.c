/* SPDX-License-Identifier: MIT */
/*
 * A zone grows by the next unused sections of the window. The sections before them may be other
 * zones'. A section that comes online is zero and MOVABLE. Its pages have counted as free before.
 *
 * RLIMIT_AS and RLIMIT_DATA count all memory that is online, free or not. So free sections are
 * vacated, which makes room for mappings outside the window: at once for the library's own, and for
 * others' when the program trims the heap or leaves them free for a while (reclaim/release.c).
 * Vacated sections are offline. When the zone grows again, it takes these sections first.
 */
#include <errno.h>

#include "mm/huge.h"
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "mm/unused.h"
#include "os/os.h"
#include "page/buddy.h"
#include "page/debug/hooks.h"
#include "page/parked.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/release.h"
#include "percpu/slots.h"

static void add_sections(struct zone *z, struct page *page, unsigned long nr_pages)
{
	unsigned long pfn = page_to_pfn(page);

	lock_acquire(&z->lock);
	for (unsigned long i = 0; i < nr_pages; i += SECTION_PAGES)
		buddy_add_section(z, page + i);
	/* A vacated section that comes back lies inside these bounds already. */
	if (!z->end_pfn)
		atomic_store_relaxed(&z->start_pfn, pfn);
	if (z->end_pfn < pfn + nr_pages)
		atomic_store_relaxed(&z->end_pfn, pfn + nr_pages);
	atomic_store_relaxed(&z->present_pages, z->present_pages + nr_pages);
	lock_release(&z->lock);
}

/*
 * Maps a vacated section again. Returns its number of pages, or 0 if there is none. After EEXIST
 * somebody else has the addresses, and the next section may still be free. Any other error comes
 * from a limit, which would refuse each of perhaps thousands of sections.
 */
static unsigned long take_vacated(struct zone *z, struct page **first)
{
	struct page *page;
	int error;

	list_for_each_entry(page, &z->vacated, lru) {
		error = os_map_at(page_address(page), SECTION_BYTES);
		if (!error) {
			list_del(&page->lru);
			*first = page;
			return SECTION_PAGES;
		}
		if (error != -EEXIST)
			return 0;
	}
	return 0;
}

bool zone_grow(struct zone *z)
{
	struct page *page;
	unsigned long nr_pages = take_vacated(z, &page);

	if (!nr_pages)
		nr_pages = mm_grow(zone_offline_pages(z) << PAGE_SHIFT, &page);
	if (!nr_pages) {
		zone_set_flag(z, ZONE_GROWTH_REFUSED);
		if (!mm_is_charged())	/* perhaps by a limit that somebody else has set */
			mm_read_limits();
		return false;
	}
	zone_clear_flag(z, ZONE_GROWTH_REFUSED);
	if (nodes_are_real)
		mm_prefer_node(page, nr_pages, z->node);
	mm_huge_grown(page_address(page), nr_pages << PAGE_SHIFT);
	mm_unused_hide(page_address(page), nr_pages << PAGE_SHIFT);
	release_mappings(nr_pages << PAGE_SHIFT);
	page_owner_grow(page, nr_pages);
	add_sections(z, page, nr_pages);
	return true;
}

bool zone_grow_fully(struct zone *z)
{
	while (zone_offline_pages(z))
		if (!zone_grow(z))
			return false;
	return true;
}

/* --- Vacating ------------------------------------------------------------------- */

/* Takes a free section offline. NULL if there is none. */
static struct page *take_free_section(struct zone *z)
{
	struct page *page = NULL;

	if (!zone_acquire(z))
		return NULL;
	for (unsigned int type = 0; type < MIGRATE_PCPTYPES && !page; type++) {
		page = freelist_first(z, MAX_PAGE_ORDER, type);
		if (page)
			freelist_take(z, page, MAX_PAGE_ORDER, type);
	}
	if (page) {
		page_set_flags(page, 0);
		/* No request took these pages, so they do not count as taken. */
		atomic_store_relaxed(&z->nr_taken, z->nr_taken - SECTION_PAGES);
		/* Budget that is offline counts as free. */
		zone_add_free_pages(z, SECTION_PAGES);
		atomic_store_relaxed(&z->present_pages, z->present_pages - SECTION_PAGES);
	}
	lock_release(&z->lock);
	return page;
}

/*
 * Undoes take_free_section() for a section that could not be unmapped. It still holds its old
 * bytes.
 */
static void take_back(struct zone *z, struct page *page)
{
	lock_acquire(&z->lock);
	atomic_store_relaxed(&z->present_pages, z->present_pages + SECTION_PAGES);
	zone_add_free_pages(z, -SECTION_PAGES);
	lock_release(&z->lock);
	buddy_give_range(page, SECTION_PAGES, false);
}

/* Vacates free sections until they make up the bytes, or none is left. Returns how many bytes. */
static size_t vacate(struct zone *z, size_t bytes)
{
	size_t done = 0;

	mm_huge_settle();
	while (zone_unpark(z))	/* Only whole sections go. */
		;
	while (done < bytes) {
		struct page *page = take_free_section(z);

		if (!page)
			break;
		if (os_unmap(page_address(page), SECTION_BYTES)) {
			take_back(z, page);
			break;
		}
		list_add(&page->lru, &z->vacated);
		done += SECTION_BYTES;
	}
	return done;
}

static bool keeps_mapped;	/* Sync: set under page_grow_lock, never cleared */

/*
 * May the memory of a free section be unmapped? Not with page debugging: it has filled each free
 * page, or made the page inaccessible, and expects that to last.
 */
static bool may_vacate(void)
{
	return !atomic_load_relaxed(&keeps_mapped) && !(page_hooks() & HOOKS_CHECKING);
}

void page_keep_mapped(void)
{
	if (atomic_load_relaxed(&keeps_mapped))
		return;
	/* Wait for a thread that is unmapping now: afterwards nothing is unmapped any more. */
	lock_acquire(&page_grow_lock);
	atomic_store_relaxed(&keeps_mapped, true);
	lock_release(&page_grow_lock);
}

/* As vacate(), for all zones. */
static size_t vacate_zones(size_t bytes)
{
	size_t done = 0;
	struct zone *z;

	if (!lock_acquire_unless_handler(&page_grow_lock))
		return 0;
	for_each_populated_zone(z)
		if (done < bytes && may_vacate())
			done += vacate(z, bytes - done);
	lock_release(&page_grow_lock);
	return done;
}

/* The lock is released after each section, since unmapping one takes a while. */
static bool vacate_one(struct zone *z)
{
	bool done;

	if (!lock_acquire_unless_handler(&page_grow_lock))
		return false;
	done = may_vacate() && vacate(z, SECTION_BYTES);
	lock_release(&page_grow_lock);
	return done;
}

unsigned long zone_vacate(struct zone *z, unsigned long pages)
{
	unsigned long done = 0;

	if (!mm_is_charged() || mm_has_views())
		return 0;
	while (done + SECTION_PAGES <= pages && vacate_one(z))
		done += SECTION_PAGES;
	return done;
}

void page_make_room(size_t bytes)
{
	if (mm_is_charged() && !mm_has_views() && !os_can_map(bytes))
		vacate_zones(bytes);
}

static bool give_up_reservations(void)
{
	bool given_up;

	if (!lock_acquire_unless_handler(&page_grow_lock))
		return false;
	given_up = mm_give_up_reservation();
	if (os_address_space_limit() != UINT64_MAX)
		given_up |= percpu_slots_give_up_reservation();
	lock_release(&page_grow_lock);
	return given_up;
}

/*
 * Could the mapping succeed if all sections in use became free? If not, the layers above need not
 * give up what they keep, some of it on purpose (quarantines).
 */
static bool may_make_room(size_t bytes)
{
	size_t most = 0;
	struct zone *z;

	for_each_populated_zone(z)
		most += atomic_load_relaxed(&z->present_pages) * PAGE_SIZE;
	return bytes <= most || os_can_map(bytes - most);
}

void page_read_limits(void)
{
	if (page_is_up())
		give_up_reservations();
}

seldom_called bool page_make_address_space(size_t bytes)
{
	size_t done;

	if (!page_is_up() || mm_has_views() ||
	    (os_address_space_limit() == UINT64_MAX && os_data_limit() == UINT64_MAX))
		return false;
	if (give_up_reservations())
		return true;
	pcp_drain_all(NULL);
	done = vacate_zones(bytes);
	/* A section stays in use as long as somebody keeps one free object of it. */
	if (done < bytes && may_make_room(bytes) && release_kept())
		done += vacate_zones(bytes - done);
	return done;
}
