/* SPDX-License-Identifier: MIT */
#include "malloc/profile/profile.h"

#include <errno.h>

#include "base/check.h"
#include "base/options.h"
#include "malloc/hardened/hardened.h"
#include "malloc/malloc_slow.h"
#include "malloc/page_blocks.h"
#include "malloc/profile/probes.h"
#include "malloc/size_classes.h"
#include "os/os.h"
#include "page/debug/stack_depot.h"
#include "slab/random.h"

#define SAMPLES_MAX (PROFILE_GROUPS * PROFILE_GROUP_PLACES * 7 / 8)
/* How many places of the table are tried for a new site. */
#define SITE_PROBES 64u

bool profile_is_up __read_mostly, profile_takes_samples __read_mostly;

struct profile_group *profile_groups;
struct profile_site *profile_sites;
struct profile_distance *profile_distances;

static unsigned long nr_samples;	/* Sync: atomic relaxed */
static struct profile_sums dropped, stackless;

static void *map_table(size_t bytes)
{
	void *memory;

	return os_map_lazily(ALIGN(bytes, os_page_bytes()), os_page_bytes(), &memory) ? NULL :
											memory;
}

static bool make_tables(void)
{
	if (!profile_groups)	/* else an earlier attempt made it */
		profile_groups = map_table(PROFILE_GROUPS * sizeof(*profile_groups));
	if (!profile_sites)
		profile_sites = map_table(PROFILE_SITES * sizeof(*profile_sites));
	if (!profile_distances)
		profile_distances = percpu_alloc(CACHE_LINE_BYTES, CACHE_LINE_BYTES);
	return profile_groups && profile_sites && profile_distances && !stack_depot_init();
}

often_called void profile_prepare(void)
{
	if (!options.profile || make_tables())
		return;
	report_warning("profile=: no memory for its tables; there is no profile");
	options.profile = 0;
}

static void begin(void)
{
	/* pair with profile_has_samples() and profile_is_on(): the tables and the classes */
	atomic_store_release(&profile_is_up, true);
	atomic_store_release(&profile_takes_samples, true);
}

often_called void profile_start(void)
{
	if (options.profile)
		begin();
	profile_write_init();
}

/* Every allocation relies on all classes, so these are made first. */
static int switch_on(size_t bytes)
{
	if ((!profile_is_up && !make_tables()) || !classes_make_all())
		return -ENOMEM;
	options.profile = bytes;
	begin();
	classes_show_sheaves(false);
	return 0;
}

int profile_switch(size_t bytes)
{
	if (options.kfence_sample || (options.hardened && !profile_is_up))
		return -EOPNOTSUPP;
	if (bytes && profile_is_up && bytes != options.profile)
		return -EINVAL;
	if (bytes)
		return switch_on(bytes);
	if (profile_is_up) {
		atomic_store_relaxed(&profile_takes_samples, false);
		classes_show_sheaves(true);
	}
	return 0;
}

/* --- When a sample is due --------------------------------------------------------------- */

#define LOG2_BITS 24

/* -log2 of a random number between 0 and 1, in units of 2^-LOG2_BITS. */
static uint64_t draw_log2(void)
{
	uint64_t number = slab_random_number() | 1, log2 = 0;
	unsigned int zeros = (unsigned int)__builtin_clzl(number);
	uint64_t power = number << zeros >> 32;		/* a number from 1 to 2, times 2^31 */

	/*
	 * Squaring doubles the logarithm. If the square is 2 or more, the logarithm's next bit is
	 * 1, and the square is halved.
	 */
	for (unsigned int i = 0; i < LOG2_BITS; i++) {
		power = power * power >> 31;
		log2 = log2 << 1 | power >> 32;
		power >>= power >> 32;
	}
	return ((uint64_t)(zeros + 1) << LOG2_BITS) - log2;
}

/* A distance of at least 1: the marked byte, after an exponentially distributed number of bytes. */
static uint64_t draw_distance(void)
{
	static const double ln_2 = 0.693147180559945309;
	double logarithms = (double)draw_log2() / (1 << LOG2_BITS) * ln_2;

	return 1 + (uint64_t)(logarithms * (double)options.profile);
}

bool profile_is_due(size_t size)
{
	struct profile_distance *distance = profile_distance_here();
	bool is_drawn = atomic_load_relaxed(&distance->left);

	atomic_store_relaxed(&distance->left, draw_distance());
	return is_drawn || !profile_passes(size);
}

/* --- Sites -------------------------------------------------------------------------------- */

static void add(struct profile_sums *sums, uint64_t bytes)
{
	atomic_add_relaxed(&sums->nr, 1);
	atomic_add_relaxed(&sums->bytes, bytes);
}

static void read_sums(const struct profile_sums *sums, struct profile_sums *read)
{
	read->nr = atomic_load_relaxed(&sums->nr);
	read->bytes = atomic_load_relaxed(&sums->bytes);
}

/* Sizes with the same upper four bits get the same number. */
static uint64_t size_class(size_t size)
{
	unsigned int power = size < 8 ? 3 : 63 - (unsigned int)__builtin_clzl(size);

	return (uint64_t)power << 4 | size >> (power - 3);
}

/* The site's number; PROFILE_SITES if there is no room, or no stack. */
static uint32_t find_site(uint32_t stack, size_t size)
{
	uint64_t key = (uint64_t)stack << PROFILE_SIZE_CLASS_BITS | size_class(size);
	uint64_t hash = key * 0x9e3779b97f4a7c15UL >> 32;

	for (uint32_t i = 0; stack && i < SITE_PROBES; i++) {
		uint32_t number = (uint32_t)(hash + i) % PROFILE_SITES;
		uint64_t found = atomic_load_relaxed(&profile_sites[number].key);

		/* pairs with profile_read_site(): the stack */
		if (!found && atomic_cas_release(&profile_sites[number].key, &found, key))
			return number;
		if (found == key)
			return number;
	}
	return PROFILE_SITES;
}

bool profile_read_site(unsigned int number, struct profile_sums *in_use,
		       struct profile_sums *allocated)
{
	struct profile_sums freed;

	/* pairs with find_site(): the stack */
	if (!atomic_load_acquire(&profile_sites[number].key))
		return false;
	read_sums(&profile_sites[number].freed, &freed);
	read_sums(&profile_sites[number].allocated, allocated);
	/* Another CPU's counters may be seen out of order. */
	in_use->nr = allocated->nr - min(freed.nr, allocated->nr);
	in_use->bytes = allocated->bytes - min(freed.bytes, allocated->bytes);
	return allocated->nr;
}

unsigned int profile_site_stack(unsigned int number, const void *const **frames)
{
	uint64_t key = atomic_load_relaxed(&profile_sites[number].key);

	return stack_depot_fetch((uint32_t)(key >> PROFILE_SIZE_CLASS_BITS), frames);
}

void profile_read_dropped(struct profile_sums *sums)
{
	read_sums(&dropped, sums);
}

void profile_read_stackless(struct profile_sums *sums)
{
	read_sums(&stackless, sums);
}

/* --- Samples -------------------------------------------------------------------------------- */

static struct profile_group *group_of(const void *block, bool second)
{
	uint64_t hash = (unsigned long)block / PAGE_SIZE * 0x9e3779b97f4a7c15UL;

	hash >>= second ? 32 : 64 - PROFILE_GROUP_BITS;
	return &profile_groups[hash & (PROFILE_GROUPS - 1)];
}

static bool put_in_group(struct profile_group *group, const void *block,
			 const struct profile_sample *sample)
{
	for (unsigned int i = 0; i < PROFILE_GROUP_PLACES; i++) {
		unsigned long nobody = PROFILE_FREE;

		/* pairs with take_from_group(): the last sample has been read */
		if (atomic_load_relaxed(&group->blocks[i]) != PROFILE_FREE ||
		    !atomic_cas_acquire(&group->blocks[i], &nobody, PROFILE_CLAIMED))
			continue;
		group->samples[i] = *sample;
		/* pairs with take_from_group(): the sample */
		atomic_store_release(&group->blocks[i], (unsigned long)block);
		return true;
	}
	return false;
}

static bool take_from_group(struct profile_group *group, const void *block,
			    struct profile_sample *sample)
{
	for (unsigned int i = 0; i < PROFILE_GROUP_PLACES; i++) {
		unsigned long start = (unsigned long)block;

		/* pairs with put_in_group(): the sample */
		if (atomic_load_relaxed(&group->blocks[i]) != start ||
		    !atomic_cas_acquire(&group->blocks[i], &start, PROFILE_CLAIMED))
			continue;
		*sample = group->samples[i];
		/* pairs with put_in_group(): the sample has been read */
		atomic_store_release(&group->blocks[i], PROFILE_FREE);
		return true;
	}
	return false;
}

bool profile_take(const void *block, struct profile_sample *sample)
{
	if ((unsigned long)block <= PROFILE_CLAIMED ||
	    (!take_from_group(group_of(block, false), block, sample) &&
	     !take_from_group(group_of(block, true), block, sample)))
		return false;
	atomic_add_relaxed(&nr_samples, -1UL);
	return true;
}

void profile_end(const void *block, const struct profile_sample *sample)
{
	profile_probe_free(block);
	add(&profile_sites[sample->site].freed, sample->size);
}

void profile_put(const void *block, const struct profile_sample *sample)
{
	atomic_add_relaxed(&nr_samples, 1);
	if (put_in_group(group_of(block, false), block, sample) ||
	    put_in_group(group_of(block, true), block, sample))
		return;
	atomic_add_relaxed(&nr_samples, -1UL);
	profile_end(block, sample);
	add(&dropped, sample->size);
}

void profile_forget(const void *block)
{
	struct profile_sample sample;

	if (profile_take(block, &sample))
		profile_end(block, &sample);
}

/* --- Allocation ------------------------------------------------------------------------------ */

/* Fills in the sample of a new block; false if there is no room. */
static bool find_place(size_t size, const void *caller, struct profile_sample *sample)
{
	uint32_t stack;

	sample->size = size;
	sample->site = PROFILE_SITES;
	if (atomic_load_relaxed(&nr_samples) < SAMPLES_MAX) {
		stack = stack_depot_save_from(caller);
		/* Without unwind tables, only the caller is known. */
		if (!stack)
			add(&stackless, size);
		sample->site = find_site(stack ? stack : stack_depot_save_one(caller), size);
	}
	if (sample->site == PROFILE_SITES)
		add(&dropped, size);
	return sample->site != PROFILE_SITES;
}

static void record(const void *block, const struct profile_sample *sample)
{
	add(&profile_sites[sample->site].allocated, sample->size);
	profile_probe_alloc(block, sample->size, profile_weight(sample->size, options.profile));
	profile_put(block, sample);
}

void *profile_alloc(const struct kmem_cache *cache, size_t size, size_t align,
		    const void *caller)
{
	struct profile_sample sample;
	void *block;

	if (!find_place(size, caller, &sample))
		return NULL;
	if (hardened_is_on())
		block = malloc_pages(size, align, NULL);
	else
		block = block_alloc_small(cache->object_size, MALLOC_GFP);
	if (block)
		record(block, &sample);
	else
		add(&dropped, size);
	return block;
}

void profile_count(const void *block, size_t size, const void *caller)
{
	struct profile_sample sample;

	if (!profile_passes(size) && profile_is_due(size) &&
	    find_place(size, caller, &sample))
		record(block, &sample);
}
