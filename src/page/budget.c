/* SPDX-License-Identifier: MIT */
/*
 * See budget.h. No lock spans more than one zone. Two threads that each hold a part of what they
 * want may both be refused where there is room for one: then both give back what they have.
 * Where there is room for all, none is refused unless others are faster many times in a row.
 */
#include "page/budget.h"

#include "base/atomic.h"
#include "page/reclaim/release.h"
#include "page/zone.h"

/* So often other threads may be faster before a charge is refused. */
#define TRIES_MAX 16

/* What may be charged to the zone beside others. */
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

/* In a signal handler, too: see zone_charge(). */
static bool charge_zone(struct zone *z, unsigned long pages)
{
	if (!zone_charge(z, pages))
		return false;
	atomic_add_relaxed(&z->mapped, pages);
	return true;
}

/* What the zone has to spare of so many, which others may be taking from at the same time. */
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
 * Of each zone as much as it has to spare. More than once, since others may give back to a zone
 * behind our look at it what they then take from one before it.
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

bool budget_charge_spare(unsigned long pages)
{
	return charge_zone(budget_zone(), pages) || charge_several(pages);
}

/* What is free and kept, by CPUs and by the layers above, is on no zone's list. */
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

/* So many of the zone's pages, or what it lacks, are the caller's to give back. */
static unsigned long take_mapped(struct zone *z, unsigned long pages)
{
	unsigned long mapped = atomic_load_relaxed(&z->mapped), part;

	do
		part = min(pages, mapped);
	while (part && !atomic_cas_relaxed(&z->mapped, &mapped, mapped - part));
	return part;
}

/* All zones together lack at least as many; another round means that others were faster. */
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
 * Between charging and counting what is mapped another thread may have been anywhere, so that is
 * counted anew. It is never less than `pages`: a block is charged before it is there.
 */
void budget_fork_child(unsigned long pages)
{
	unsigned long charged = 0;
	struct zone *z;

	for_each_populated_zone(z) {
		unsigned long lacking = zone_charged_pages(z);

		atomic_store_relaxed(&z->mapped, lacking);
		charged += lacking;
	}
	if (charged > pages)
		budget_uncharge(charged - pages);
}
