// SPDX-License-Identifier: MIT
/*
 * Per-CPU memory. A chunk is one mapping with a unit for each possible CPU. An allocation has the
 * same offset in every unit. One bitmap marks the granules in use, another one the last granule of
 * each allocation.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/percpu.h>

#define GRANULE 8
#define NR_GRANULES ((unsigned int)(USERMM_PERCPU_UNIT / GRANULE))

struct chunk {
	struct chunk *next;
	char *base;			/* CPU 0's unit */
	DECLARE_BITMAP(taken, USERMM_PERCPU_UNIT / GRANULE);
	DECLARE_BITMAP(last, USERMM_PERCPU_UNIT / GRANULE);
};

/* Protects chunks, their bitmaps, and in_use. */
static pthread_mutex_t percpu_lock = PTHREAD_MUTEX_INITIALIZER;
static struct chunk *chunks;
static size_t in_use;

static struct chunk *new_chunk(void)
{
	struct chunk *chunk = calloc(1, sizeof(*chunk));
	void *base;

	if (!chunk)
		return NULL;
	base = mmap(NULL, NR_CPUS * USERMM_PERCPU_UNIT, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED) {
		free(chunk);
		return NULL;
	}
	chunk->base = base;
	chunk->next = chunks;
	chunks = chunk;
	return chunk;
}

static char *take_from(struct chunk *chunk, unsigned int nr, size_t align)
{
	unsigned long start = bitmap_find_next_zero_area(chunk->taken, NR_GRANULES, 0, nr,
							 align / GRANULE - 1);

	if (start >= NR_GRANULES)
		return NULL;
	bitmap_set(chunk->taken, (unsigned int)start, nr);
	__set_bit(start + nr - 1, chunk->last);
	in_use += nr * GRANULE;
	return chunk->base + start * GRANULE;
}

static char *take(size_t size, size_t align)
{
	unsigned int nr = (unsigned int)DIV_ROUND_UP(size, GRANULE);
	struct chunk *chunk;
	char *ptr = NULL;

	pthread_mutex_lock(&percpu_lock);
	for (chunk = chunks; chunk && !ptr; chunk = chunk->next)
		ptr = take_from(chunk, nr, align);
	if (!ptr && (chunk = new_chunk()))
		ptr = take_from(chunk, nr, align);
	pthread_mutex_unlock(&percpu_lock);
	return ptr;
}

void *__alloc_percpu_gfp(size_t size, size_t align, gfp_t gfp)
{
	char *ptr;

	if (!size || size > PCPU_MIN_UNIT_SIZE || align > 4096 || (align & (align - 1))) {
		WARN(!(gfp & __GFP_NOWARN),
		     "illegal size (%zu) or align (%zu) for percpu allocation\n", size, align);
		return NULL;
	}
	ptr = take(size, max(align, (size_t)GRANULE));
	for (unsigned int cpu = 0; ptr && cpu < nr_cpu_ids; cpu++)
		memset(ptr + cpu * USERMM_PERCPU_UNIT, 0, size);
	return ptr;
}

static void give_back(struct chunk *chunk, unsigned int start)
{
	unsigned int end = (unsigned int)find_next_bit(chunk->last, NR_GRANULES, start) + 1;

	if (!test_bit(start, chunk->taken) ||
	    (start && test_bit(start - 1, chunk->taken) && !test_bit(start - 1, chunk->last)))
		panic("free_percpu() of an address that alloc_percpu() did not give\n");
	bitmap_clear(chunk->taken, start, end - start);
	__clear_bit(end - 1, chunk->last);
	in_use -= (size_t)(end - start) * GRANULE;
}

void free_percpu(void *ptr)
{
	struct chunk *chunk;

	if (!ptr)
		return;
	pthread_mutex_lock(&percpu_lock);
	for (chunk = chunks; chunk; chunk = chunk->next)
		if ((size_t)((char *)ptr - chunk->base) < USERMM_PERCPU_UNIT)
			break;
	if (!chunk || ((char *)ptr - chunk->base) % GRANULE)
		panic("free_percpu() of an address that alloc_percpu() did not give\n");
	give_back(chunk, (unsigned int)(((char *)ptr - chunk->base) / GRANULE));
	pthread_mutex_unlock(&percpu_lock);
}

size_t usermm_percpu_in_use(void)
{
	size_t bytes;

	pthread_mutex_lock(&percpu_lock);
	bytes = in_use;
	pthread_mutex_unlock(&percpu_lock);
	return bytes;
}

/* Called by constructors, in one thread. Static variables do not count in in_use. */
void usermm_percpu_load(struct usermm_percpu_image *image, const char *start, const char *stop)
{
	size_t size = (size_t)(stop - start);
	char *copies;

	if (!size || image->delta)
		return;
	/* The template is aligned to at most a page; its copies get the same offset in a page. */
	copies = size <= USERMM_PERCPU_UNIT - 4096 ? take(size + 4096, 4096) : NULL;
	if (!copies)
		panic("no room for %zu bytes of per-CPU variables\n", size);
	in_use -= ALIGN(size + 4096, GRANULE);
	copies += (unsigned long)start % 4096;
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
		memcpy(copies + cpu * USERMM_PERCPU_UNIT, start, size);
	image->delta = (unsigned long)copies - (unsigned long)start;
}
