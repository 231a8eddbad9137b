/* SPDX-License-Identifier: MIT */
/*
 * Who allocated a cache's objects, or freed them last: one entry for each caller, stack and
 * waste, and entries with the most objects first. The text has the form of Linux's files
 * alloc_traces and free_traces. cf. Linux mm/slub.c: add_location(), slab_debugfs_show().
 *
 * The entries are collected under the locks and printed after them. The table is a mapping of
 * its own, since an allocation might come from the same caches.
 */
#include "base/fmt.h"
#include "os/os.h"
#include "page/debug/stack_depot.h"
#include "page/pageblock.h"
#include "page/zone.h"
#include "slab/debug/debug_object.h"
#include "slab/merge.h"
#include "slab/partial.h"
#include "usermm/stats.h"

#define CPUS_TOLD 1024
#define CPU_WORDS (CPUS_TOLD / 64)

struct location {
	const void *caller;
	uint32_t stack;
	unsigned int waste;
	unsigned long count;		/* objects; 0: the place is free */
	uint64_t min_age, max_age, sum_age;
	int32_t min_thread, max_thread;
	unsigned long nodes, cpus[CPU_WORDS];
};

/* First a hash table by caller, stack and waste; then sorted from the first place on. */
struct traces {
	const char *name;		/* the cache's; NULL: the index selects the cache */
	unsigned int index;
	enum slab_track_kind kind;
	char cache_name[CACHE_NAME_BYTES];
	struct location *locations;
	unsigned long places, nr;	/* places is a power of two */
	uint64_t now;
};

static unsigned long first_place(const struct traces *traces, const struct slab_track *track,
				 unsigned int waste)
{
	uint64_t hash = (uint64_t)track->caller ^ (uint64_t)track->stack << 32 ^ waste;

	return (hash * 0x9e3779b97f4a7c15UL >> 32) & (traces->places - 1);
}

static struct location *find_place(struct traces *traces, const struct slab_track *track,
				   unsigned int waste)
{
	unsigned long place = first_place(traces, track, waste);

	for (unsigned long i = 0; i < traces->places; i++) {
		struct location *location =
			&traces->locations[(place + i) & (traces->places - 1)];

		if (!location->count ||
		    (location->caller == track->caller && location->stack == track->stack &&
		     location->waste == waste))
			return location;
	}
	return NULL;	/* full, since the cache has grown: the rest is not listed */
}

static void add_track(struct traces *traces, const struct slab_track *track, unsigned int waste,
		      const struct page *slab)
{
	struct location *location = find_place(traces, track, waste);
	uint64_t age = traces->now - track->milliseconds;

	if (!location)
		return;
	if (!location->count++) {
		location->caller = track->caller;
		location->stack = track->stack;
		location->waste = waste;
		location->min_age = age;
		location->min_thread = location->max_thread = track->thread;
		traces->nr++;
	}
	location->sum_age += age;
	location->min_age = min(location->min_age, age);
	location->max_age = max(location->max_age, age);
	location->min_thread = min(location->min_thread, track->thread);
	location->max_thread = max(location->max_thread, track->thread);
	location->nodes |= 1UL << page_zone(slab)->node;
	if (track->cpu < CPUS_TOLD)
		location->cpus[track->cpu / 64] |= 1UL << (track->cpu % 64);
}

static void add_slabs_locked(struct traces *traces, struct kmem_cache *cache,
			     struct list_head *slabs)
{
	struct slab_map map;
	struct page *slab;

	list_for_each_entry(slab, slabs, lru) {
		slab_map_fill(&map, cache, slab);
		for (unsigned int i = 0; i < slab->objects; i++) {
			void *object = slab_object(cache, slab, i);
			unsigned long waste = traces->kind == TRACK_FREE ? 0 :
				cache->object_size - slab_debug_size(cache, object);

			if (!map_has(&map, i))
				add_track(traces, object_track(cache, object, traces->kind),
					  (unsigned int)waste, slab);
		}
	}
}

/* --- Which cache ------------------------------------------------------------- */

static bool keeps_tracks(const struct kmem_cache *cache)
{
	return cache->flags & SLAB_STORE_USER;
}

static struct kmem_cache *find_cache_locked(const struct traces *traces)
{
	unsigned int index = 0;
	struct kmem_cache *cache;

	if (traces->name) {
		cache = slab_find_locked(traces->name);
		return cache && keeps_tracks(cache) ? cache : NULL;
	}
	list_for_each_entry(cache, &slab_caches, caches)
		if (keeps_tracks(cache) && index++ == traces->index)
			return cache;
	return NULL;
}

/* How many objects the cache can have now. False if there is no such cache. */
static bool count_objects(const struct traces *traces, unsigned long *nr)
{
	struct kmem_cache *cache;

	lock_acquire(&slab_caches_lock);
	cache = find_cache_locked(traces);
	if (cache)
		*nr = slab_nr_slabs(cache) * cache->objects;
	lock_release(&slab_caches_lock);
	return cache;
}

static bool collect(struct traces *traces)
{
	struct kmem_cache *cache;

	lock_acquire(&slab_caches_lock);
	cache = find_cache_locked(traces);
	if (cache) {
		fmt_format(traces->cache_name, sizeof(traces->cache_name), "%s", cache->name);
		lock_acquire(&cache->first_node.lock);
		traces->now = os_time_ms();
		add_slabs_locked(traces, cache, &cache->first_node.partial);
		add_slabs_locked(traces, cache, &cache->first_node.full);
		lock_release(&cache->first_node.lock);
	}
	lock_release(&slab_caches_lock);
	return cache;
}

/* --- In order ----------------------------------------------------------------- */

static bool comes_before(const struct location *a, const struct location *b)
{
	return a->count != b->count ? a->count > b->count :
				      (unsigned long)a->caller < (unsigned long)b->caller;
}

/* Shell sort: libc's qsort() may allocate. */
static void put_in_order(struct traces *traces)
{
	struct location *locations = traces->locations;
	unsigned long nr = 0;

	for (unsigned long i = 0; i < traces->places && nr < traces->nr; i++)
		if (locations[i].count)
			locations[nr++] = locations[i];
	for (unsigned long gap = nr / 2; gap; gap /= 2)
		for (unsigned long i = gap; i < nr; i++) {
			struct location moved = locations[i];
			unsigned long k = i;

			for (; k >= gap && comes_before(&moved, &locations[k - gap]); k -= gap)
				locations[k] = locations[k - gap];
			locations[k] = moved;
		}
}

/* --- As text ------------------------------------------------------------------ */

/* As Linux's %*pbl prints them: ranges of numbers. */
static void print_bits(struct fmt_writer *out, const char *name, const unsigned long *words,
		       unsigned int nr)
{
	const char *before = name;

	for (unsigned int bit = 0; bit < nr; bit++) {
		unsigned int first = bit;

		if (!(words[bit / 64] >> (bit % 64) & 1))
			continue;
		while (bit + 1 < nr && (words[(bit + 1) / 64] >> ((bit + 1) % 64) & 1))
			bit++;
		fmt_print(out, bit > first ? "%s%u-%u" : "%s%u", before, first, bit);
		before = ",";
	}
}

static void print_location(struct fmt_writer *out, struct os_files *files,
			   const struct location *location)
{
	char text[SLAB_CALLER_BYTES] = "<not-available>";
	const void *const *frames;
	unsigned int nr = stack_depot_fetch(location->stack, &frames);

	if (location->caller)
		os_describe_in_files(files, location->caller, text, SLAB_CALLER_BYTES);
	fmt_print(out, "%7lu %s", location->count, text);
	if (location->waste)
		fmt_print(out, " waste=%lu/%u", location->count * location->waste,
			  location->waste);
	if (location->sum_age != location->min_age)
		fmt_print(out, " age=%lu/%lu/%lu", location->min_age,
			  location->sum_age / location->count, location->max_age);
	else
		fmt_print(out, " age=%lu", location->min_age);
	fmt_print(out, location->min_thread != location->max_thread ? " pid=%d-%d" : " pid=%d",
		  location->min_thread, location->max_thread);
	if (percpu_nr_cpus() > 1)
		print_bits(out, " cpus=", location->cpus, CPUS_TOLD);
	if (nr_online_nodes > 1)
		print_bits(out, " nodes=", &location->nodes, 64);
	fmt_print(out, "\n");
	for (unsigned int i = 0; i < nr; i++) {
		os_describe_in_files(files, frames[i], text, SLAB_CALLER_BYTES);
		fmt_print(out, "        %s\n", text);
	}
	if (nr)
		fmt_print(out, "\n");
}

static void print_traces(struct fmt_writer *out, const struct traces *traces)
{
	struct os_files files = { 0 };

	for (unsigned long i = 0; i < traces->nr; i++)
		print_location(out, &files, &traces->locations[i]);
	if (!traces->nr)
		fmt_print(out, "No data\n");
}

/* Prints the traces of one cache. False if there is no such cache. */
static bool print_cache(struct fmt_writer *out, struct traces *traces)
{
	unsigned long nr_objects, bytes;
	void *memory;
	bool found;

	if (!count_objects(traces, &nr_objects))
		return false;
	traces->nr = 0;
	for (traces->places = 64; traces->places < 2 * nr_objects; traces->places *= 2)
		;
	bytes = ALIGN(traces->places * sizeof(struct location), os_page_bytes());
	if (os_map_lazily(bytes, os_page_bytes(), &memory))
		return false;
	traces->locations = memory;
	found = collect(traces);
	if (found && !traces->name && traces->nr)
		fmt_print(out, "%s of %s\n",
			  traces->kind == TRACK_ALLOC ? "alloc_traces" : "free_traces",
			  traces->cache_name);
	if (found && (traces->name || traces->nr)) {
		put_in_order(traces);
		print_traces(out, traces);
	}
	os_unmap(memory, bytes);
	return found;
}

/*
 * Prints the traces of the named cache, or of all if name is NULL. -1 if there is no cache of that
 * name.
 */
static int print_kind(struct fmt_writer *out, const char *name, enum slab_track_kind kind)
{
	struct traces traces = { .name = name, .kind = kind };
	bool found;

	if (slab_init())
		return -1;
	do
		found = print_cache(out, &traces);
	while (found && !name && ++traces.index);
	return found || !name ? 0 : -1;
}

static int print_kind_to(int fd, const char *name, enum slab_track_kind kind)
{
	struct fmt_writer out;
	int error;

	fmt_writer_open(&out, fd);
	error = print_kind(&out, name, kind);
	fmt_writer_close(&out);
	return error;
}

void slab_print_alloc_traces(struct fmt_writer *out)
{
	print_kind(out, NULL, TRACK_ALLOC);
}

int usermm_print_slab_alloc_traces(int fd, const char *cache)
{
	return print_kind_to(fd, cache, TRACK_ALLOC);
}

int usermm_print_slab_free_traces(int fd, const char *cache)
{
	return print_kind_to(fd, cache, TRACK_FREE);
}
