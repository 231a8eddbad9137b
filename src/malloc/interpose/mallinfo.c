/* SPDX-License-Identifier: MIT */
/*
 * What programs ask and tell an allocator apart from blocks: mallinfo(3), mallinfo2(3),
 * malloc_stats(3), malloc_info(3), mallopt(3). libc's versions would tell of a heap that nobody
 * uses. The numbers mean what they mean in glibc:
 *
 *	arena		bytes of the window that are online
 *	hblks, hblkhd	number and bytes of mapping blocks, which are not in arena
 *	smblks, fsmblks	0. glibc before 2.43 counts its fastbins here
 *	ordblks		free objects of malloc's classes, and 1 for the rest
 *	uordblks	bytes of arena that are in use
 *	fordblks	the other bytes of arena
 *	keepcost	bytes that malloc_trim() could give back
 *
 * Fast paths count nothing. So the bytes in use are those taken from the page layer less those that
 * CPUs and barns keep free. They are exact while no other thread allocates.
 *
 * malloc_info() writes to a stdio stream, which allocates a buffer. No lock is held meanwhile.
 */
#include "malloc/interpose/mallinfo.h"

#include <errno.h>
#include <pthread.h>

#include "base/fmt.h"
#include "base/options.h"
#include "malloc/counts.h"
#include "malloc/mapped/mapped.h"
#include "malloc/perturb.h"
#include "malloc/size_classes.h"
#include "mm/memmap.h"
#include "os/lock.h"
#include "page/reclaim/release.h"
#include "page/zone.h"
#include "slab/mixed/mixed.h"
#include "slab/partial.h"
#include "slab/slab.h"

/* --- Reading ----------------------------------------------------------------- */

struct class_usage {
	unsigned long free_objects;
	size_t bytes;		/* of one object */
};

static unsigned long free_objects_of(struct kmem_cache *cache)
{
	struct slab_usage slabs;
	unsigned long in_use = slab_objects_in_use(cache, &slabs);

	return slabs.objects - in_use;
}

/* A class that is not made yet has no objects. */
static void read_class(struct class_usage *usage, unsigned int index)
{
	struct kmem_cache *cache = class_of(class_bytes(index));

	*usage = (struct class_usage){ 0 };
	if (!cache)
		return;
	usage->free_objects = free_objects_of(cache);
	usage->bytes = cache->size;
}

/* The heap without mapping blocks, so all of it lies in the window. */
struct heap_usage {
	size_t online, used, dirty;
	struct class_usage classes;	/* the free objects of all classes, and their bytes */
};

static void read_classes(struct heap_usage *heap)
{
	struct class_usage class;

	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		read_class(&class, i);
		heap->classes.free_objects += class.free_objects;
		heap->classes.bytes += class.free_objects * class.bytes;
	}
}

/* All free memory of a mixed slab counts as one object. */
static void add_mixed(struct heap_usage *heap)
{
	struct slab_mixed_usage mixed;

	slab_mixed_read_usage(&mixed);
	heap->classes.free_objects += mixed.slabs;
	heap->classes.bytes += mixed.pages * PAGE_SIZE - mixed.used_bytes;
}

static void read_heap(struct heap_usage *heap)
{
	const struct zone *z;

	*heap = (struct heap_usage){ 0 };
	if (classes_init() || !lock_none_held())
		return;
	read_classes(heap);
	add_mixed(heap);
	heap->online = atomic_load_relaxed(&mm_window.online_bytes);
	heap->used = nodes_used_pages() * PAGE_SIZE;
	heap->used = min(heap->used - min(heap->classes.bytes, heap->used), heap->online);
	for_each_populated_zone(z)
		heap->dirty += atomic_load_relaxed(&z->dirty_pages) * PAGE_SIZE;
}

/* --- mallinfo(3) ---------------------------------------------------------------- */

struct mallinfo2 mallinfo2(void)
{
	struct malloc_counts counts;
	struct heap_usage heap;

	read_heap(&heap);
	malloc_counts_read(&counts);
	return (struct mallinfo2){
		.arena = heap.online,
		.ordblks = heap.classes.free_objects + 1,
		.hblks = counts.large_blocks,
		.hblkhd = counts.mapped_bytes,
		.uordblks = heap.used,
		.fordblks = heap.online - heap.used,
		.keepcost = heap.dirty + counts.mapped_cache_bytes,
	};
}

/* mallinfo2() in numbers that wrap round. */
struct mallinfo mallinfo(void)
{
	struct mallinfo2 info = mallinfo2();

	return (struct mallinfo){
		.arena = (int)info.arena,
		.ordblks = (int)info.ordblks,
		.smblks = (int)info.smblks,
		.hblks = (int)info.hblks,
		.hblkhd = (int)info.hblkhd,
		.fsmblks = (int)info.fsmblks,
		.uordblks = (int)info.uordblks,
		.fordblks = (int)info.fordblks,
		.keepcost = (int)info.keepcost,
	};
}

/* --- malloc_stats(3), malloc_info(3) --------------------------------------------- */

__attribute__((__format__(__printf__, 2, 3)))
static void put(FILE *stream, const char *format, ...)
{
	char line[160];
	va_list args;

	va_start(args, format);
	fmt_vformat(line, sizeof(line), format, args);
	va_end(args);
	fputs(line, stream);
}

/* Writes to stderr, which the program may have replaced. This is no cancellation point. */
void malloc_stats(void)
{
	struct mallinfo2 info = mallinfo2();
	int saved_errno = errno, cancel_state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	put(stderr, "Arena 0:\n");
	put(stderr, "system bytes     = %10zu\n", info.arena);
	put(stderr, "in use bytes     = %10zu\n", info.uordblks);
	put(stderr, "Total (incl. mmap):\n");
	put(stderr, "system bytes     = %10zu\n", info.arena + info.hblkhd);
	put(stderr, "in use bytes     = %10zu\n", info.uordblks + info.hblkhd);
	put(stderr, "max mmap regions = %10zu\n",
	    atomic_load_relaxed(&mapped_counts.most_blocks));
	put(stderr, "max mmap bytes   = %10zu\n",
	    atomic_load_relaxed(&mapped_counts.most_bytes));
	pthread_setcancelstate(cancel_state, NULL);
	errno = saved_errno;
}

/* Free objects by class. */
static void put_sizes(FILE *stream)
{
	struct class_usage class;
	size_t from = 1;

	put(stream, "<sizes>\n");
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		read_class(&class, i);
		if (class.free_objects)
			put(stream,
			    "  <size from=\"%zu\" to=\"%zu\" total=\"%zu\" count=\"%lu\"/>\n",
			    from, class_bytes(i), class.free_objects * class.bytes,
			    class.free_objects);
		from = class_bytes(i) + 1;
	}
	put(stream, "</sizes>\n");
}

static void put_totals(FILE *stream, const struct mallinfo2 *info)
{
	put(stream, "<total type=\"rest\" count=\"%zu\" size=\"%zu\"/>\n", info->ordblks,
	    info->fordblks);
}

/* Online memory stays online, so the current size is also the largest so far. */
static void put_system(FILE *stream, const struct mallinfo2 *info)
{
	put(stream, "<system type=\"current\" size=\"%zu\"/>\n", info->arena);
	put(stream, "<system type=\"max\" size=\"%zu\"/>\n", info->arena);
	put(stream, "<aspace type=\"total\" size=\"%zu\"/>\n", info->arena);
	put(stream, "<aspace type=\"mprotect\" size=\"%zu\"/>\n", info->arena);
}

int malloc_info(int options_wanted, FILE *stream)
{
	struct mallinfo2 info = mallinfo2();

	if (options_wanted)
		return EINVAL;
	put(stream, "<malloc version=\"1\">\n<heap nr=\"0\">\n");
	put_sizes(stream);
	put_totals(stream, &info);
	put_system(stream, &info);
	put(stream, "</heap>\n");
	put_totals(stream, &info);
	put(stream, "<total type=\"mmap\" count=\"%zu\" size=\"%zu\"/>\n", info.hblks, info.hblkhd);
	put_system(stream, &info);
	put(stream, "</malloc>\n");
	return 0;
}

/* --- mallopt(3) -------------------------------------------------------------------- */

/* The number in <malloc.h>, and the highest value that glibc accepts for it on 64 bits. */
#define M_MXFAST 1
#define MXFAST_MAX 160
#define M_TRIM_THRESHOLD (-1)
#define M_PERTURB (-6)

/* An M_TRIM_THRESHOLD of at least NO_TRIM_FROM, or below 0, keeps free memory for NO_TRIM_MS. */
#define NO_TRIM_FROM (1 << 30)
#define NO_TRIM_MS 3600000

/*
 * Real-time programs lock their memory, forbid trimming and touch a heap once, and rely on having
 * no page faults from then on.
 */
static void set_trim_threshold(int bytes)
{
	unsigned int no_trim = NO_TRIM_MS;

	if (bytes < 0 || bytes >= NO_TRIM_FROM)
		atomic_store_relaxed(&release_interval_ms, no_trim);
	else
		atomic_cas_relaxed(&release_interval_ms, &no_trim, RELEASE_INTERVAL_MS + 0u);
}

/*
 * The parameters are glibc's. M_PERTURB does what it does there, and M_TRIM_THRESHOLD keeps free
 * memory if it is -1, or very large. The others change nothing: blocks above 4 MiB are always
 * mappings, and options say how much is kept free. Success is returned where glibc would return it,
 * so that no program gives up. A negative value counts as a large one.
 */
int mallopt(int parameter, int value)
{
	if (parameter == M_PERTURB)
		perturb_set((unsigned char)value);
	if (parameter == M_TRIM_THRESHOLD)
		set_trim_threshold(value);
	return parameter != M_MXFAST || (size_t)value <= MXFAST_MAX;
}
