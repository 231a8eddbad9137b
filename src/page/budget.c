/* SPDX-License-Identifier: MIT */
/*
 * See budget.h. No lock covers more than one zone. So if there is room for only one of two threads,
 * each may get a part of what it wants. Then both are refused, and both give their parts back. If
 * there is room for all, a thread is refused only if others are faster many times in a row.
 */
#include "page/budget.h"

#include <errno.h>

#include "base/atomic.h"
#include "mm/memmap.h"
#include "os/lock.h"
#include "os/machine/limits.h"
#include "page/reclaim/release.h"
#include "page/zone.h"

/* How often other threads may be faster before a charge is refused. */
#define TRIES_MAX 16

/* Charged for a limit below the budget. Sync: written by the thread that set is_changing */
static unsigned long held_pages;
/* What budget_set_limit() was last told; 0: the budget is the limit. Sync: as held_pages */
static size_t set_bytes;
static bool is_changing;	/* Sync: atomic */

/* Pages that the zone can spare when several zones bear a block. */
static unsigned long zone_room(const struct zone *z)
{
	long room = (long)(atomic_load_relaxed(&z->free_pages) -
			   atomic_load_relaxed(&z->charged) - wmark_pages(z, WMARK_MIN) -
			   z->lowmem_reserve[ZONE_MOVABLE]) - 1;

	return (unsigned long)max(room, 0L);
}

static unsigned long whole_room(void)
{
	unsigned long room = 0;
	struct zone *z;

	for_each_populated_zone(z)
		room += zone_room(z);
	return room;
}

/* Works in a signal handler, too: see zone_charge(). */
static bool charge_zone(struct zone *z, unsigned long pages)
{
	if (!zone_charge(z, pages))
		return false;
	atomic_add_relaxed(&z->mapped, pages);
	return true;
}

/* Charges up to `pages` pages to the zone, and returns how many. Others may charge meanwhile. */
static unsigned long charge_part(struct zone *z, unsigned long pages)
{
	for (unsigned int tries = 0; tries < TRIES_MAX; tries++) {
		unsigned long part = min(pages, zone_room(z));

		if (!part)
			return 0;
		if (charge_zone(z, part))
			return part;
	}
	return 0;
}

/*
 * Charges each zone what it can spare. Tries more than once: others may give pages back to a zone
 * that this loop has passed, and take pages from a zone that is still to come.
 */
static bool charge_several(unsigned long pages)
{
	unsigned long left = pages;
	struct zone *z;

	for (unsigned int tries = 0; tries < TRIES_MAX && left; tries++) {
		if (whole_room() < left)
			continue;
		for_each_populated_zone(z)
			left -= charge_part(z, left);
	}
	if (left)
		budget_uncharge(pages - left);
	return !left;
}

seldom_called bool budget_charge_spare(unsigned long pages)
{
	return charge_zone(budget_zone(), pages) || charge_several(pages);
}

/* release_kept() helps, because no zone counts what CPUs and the layers above keep as free. */
bool budget_charge(unsigned long pages)
{
	return budget_charge_spare(pages) ||
	       (pages < nodes_managed_pages() && release_kept() && budget_charge_spare(pages));
}

unsigned long budget_mapped_pages(void)
{
	unsigned long pages = 0;
	struct zone *z;

	for_each_populated_zone(z)
		pages += atomic_load_relaxed(&z->mapped);
	return pages;
}

/*
 * Takes up to `pages` pages off the zone's `mapped`, for the caller to give back. Returns how many.
 */
static unsigned long take_mapped(struct zone *z, unsigned long pages)
{
	unsigned long mapped = atomic_load_relaxed(&z->mapped), part;

	do
		part = min(pages, mapped);
	while (part && !atomic_cas_relaxed(&z->mapped, &mapped, mapped - part));
	return part;
}

/*
 * All zones together bear at least `pages`. So if a round finds too few, other threads were faster,
 * and the next round finds the rest.
 */
void budget_uncharge(unsigned long pages)
{
	struct zone *z;

	while (pages)
		for_each_populated_zone(z) {
			unsigned long part = take_mapped(z, pages);

			if (part)
				zone_uncharge(z, part);
			pages -= part;
		}
}

/*
 * Another thread may have charged a zone and not yet counted that in `mapped`. So `mapped` is
 * computed anew. The sum is never less than `pages`, because a block is charged before it exists.
 * If the parent has lowered the limit, the lower limit holds in the child, too.
 */
void budget_fork_child(unsigned long pages)
{
	unsigned long charged = 0;
	struct zone *z;

	pages += atomic_load_relaxed(&held_pages);
	/* Whoever was changing the limit is not in the child. */
	atomic_store_relaxed(&is_changing, false);

	for_each_populated_zone(z) {
		unsigned long lacking = zone_charged_pages(z);

		atomic_store_relaxed(&z->mapped, lacking);
		charged += lacking;
	}
	if (charged > pages)
		budget_uncharge(charged - pages);
}

void budget_fork_child_limit(void)
{
	if (atomic_load_relaxed(&held_pages) || atomic_load_relaxed(&is_changing))
		budget_fork_child(0);
}

/* --- A limit below the budget -------------------------------------------------------------- */

size_t budget_limit_bytes(void)
{
	size_t budget = mm_budget_bytes();

	return budget - min(budget, atomic_load_relaxed(&held_pages) * PAGE_SIZE);
}

static int hold(unsigned long pages)
{
	unsigned long held = atomic_load_relaxed(&held_pages);

	if (pages > held && !budget_charge(pages - held))
		return -ENOMEM;
	if (pages < held)
		budget_uncharge(held - pages);
	atomic_store_relaxed(&held_pages, pages);
	return 0;
}

static bool begin_change(void)
{
	bool nobody = false;

	/* pairs with end_change(): held_pages */
	return lock_none_held() && atomic_cas_acquire(&is_changing, &nobody, true);
}

static void end_change(void)
{
	/* pairs with the next thread's begin_change(): held_pages */
	atomic_store_release(&is_changing, false);
}

int budget_set_limit(size_t bytes)
{
	size_t budget;
	int error;

	if (page_init())
		return -ENOMEM;
	if (bytes < SECTION_BYTES || bytes > mm_budget_bytes())
		return -EINVAL;
	if (!begin_change())
		return -EBUSY;
	budget = max(mm_budget_bytes(), bytes);
	error = hold((budget - bytes) >> PAGE_SHIFT);
	if (!error)
		set_bytes = bytes < budget ? bytes : 0;
	end_change();
	return error;
}

/* Pages to hold back so that `set_bytes` are left of a budget. */
static unsigned long pages_to_hold(size_t budget)
{
	return set_bytes && set_bytes < budget ? (budget - set_bytes) >> PAGE_SHIFT : 0;
}

/*
 * A lower limit holds pages back (held_pages). If fewer must be held back now, they are given up
 * before the zones change: zones that shrink can then take these pages, and none that are in use.
 * If more must be held back, they are taken after the zones have changed: from the pages by which
 * the zones grew.
 */
void budget_resize(const struct os_limit *limit)
{
	unsigned long pages;

	if (nodes_managed_pages() == limit->bytes >> PAGE_SHIFT &&
	    mm_budget_bytes() == limit->bytes) {
		mm_set_budget(limit);
		return;
	}
	if (!begin_change())
		return;
	pages = pages_to_hold(limit->bytes);
	if (pages < atomic_load_relaxed(&held_pages))
		hold(pages);
	mm_set_budget(limit);
	zones_resize(limit->bytes);
	if (pages > atomic_load_relaxed(&held_pages))
		hold(pages);
	end_change();
}
