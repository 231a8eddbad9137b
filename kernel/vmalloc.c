// SPDX-License-Identifier: MIT
/*
 * vmalloc() and the kv family. Areas are kept in a tree by address, so that a pointer
 * into one is recognised. See linux/vmalloc.h for what an area is.
 */
#include <limits.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/vmalloc.h>

#include "module_run.h"
#include "zone_counts.h"

/* More than this is not taken in one piece from the pages. */
#define PAGES_BYTES_MAX (PAGE_SIZE << MAX_PAGE_ORDER)

struct area {
	unsigned long start, bytes;	/* a search has 1 byte */
	bool is_mapping;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *areas;			/* Sync: lock; tsearch(3)'s */
static unsigned long nr_areas, nr_bytes;	/* Sync: lock */

/* Areas do not overlap: what does is the same one. */
static int compare(const void *left, const void *right)
{
	const struct area *a = left, *b = right;

	if (a->start + a->bytes <= b->start)
		return -1;
	return a->start >= b->start + b->bytes;
}

static bool remember(const struct area *area)
{
	struct area *copy = malloc(sizeof(*copy));
	bool done;

	if (!copy)
		return false;
	*copy = *area;
	pthread_mutex_lock(&lock);
	done = tsearch(copy, &areas, compare);
	nr_areas += done;
	nr_bytes += done ? area->bytes : 0;
	pthread_mutex_unlock(&lock);
	if (!done)
		free(copy);
	return done;
}

/* The area that the address lies in; it is forgotten if that is wanted. */
static bool find(const void *address, struct area *area, bool forget)
{
	struct area key = { .start = (unsigned long)address, .bytes = 1 };
	struct area **node, *found = NULL;

	pthread_mutex_lock(&lock);
	node = tfind(&key, &areas, compare);
	if (node) {
		found = *node;
		*area = *found;
	}
	if (node && forget && found->start == key.start) {
		tdelete(found, &areas, compare);
		nr_areas--;
		nr_bytes -= found->bytes;
		free(found);
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void *map(unsigned long bytes)
{
	void *memory;

	if (!zone_counts_charge(bytes >> PAGE_SHIFT))
		return NULL;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		return memory;
	zone_counts_uncharge(bytes >> PAGE_SHIFT);
	return NULL;
}

static void release(const struct area *area)
{
	if (area->is_mapping) {
		munmap((void *)area->start, area->bytes);
		zone_counts_uncharge(area->bytes >> PAGE_SHIFT);
	} else {
		free_pages_exact((void *)area->start, area->bytes);
	}
}

void *__vmalloc_noprof(unsigned long size, gfp_t gfp)
{
	struct area area = { .bytes = (size + PAGE_SIZE - 1) & PAGE_MASK };

	if (!size || area.bytes < size)
		return NULL;
	if (area.bytes <= PAGES_BYTES_MAX)
		area.start = (unsigned long)alloc_pages_exact(area.bytes, gfp | __GFP_NOWARN);
	if (!area.start) {
		area.is_mapping = true;
		area.start = (unsigned long)map(area.bytes);
	}
	if (area.start && !remember(&area)) {
		release(&area);
		area.start = 0;
	}
	return (void *)area.start;
}

void vfree(const void *address)
{
	struct area area;

	if (!address)
		return;
	if (WARN(!find(address, &area, true) || area.start != (unsigned long)address,
		 "Trying to vfree() nonexistent vm area (%px)\n", address))
		return;
	release(&area);
}

bool is_vmalloc_addr(const void *address)
{
	struct area area;

	return find(address, &area, false);
}

struct page *vmalloc_to_page(const void *address)
{
	struct area area;

	return find(address, &area, false) && !area.is_mapping ? virt_to_page(address) : NULL;
}

unsigned long vmalloc_nr_pages(void)
{
	return __atomic_load_n(&nr_bytes, __ATOMIC_RELAXED) >> PAGE_SHIFT;
}

size_t vmalloc_areas(unsigned long *bytes)
{
	*bytes = __atomic_load_n(&nr_bytes, __ATOMIC_RELAXED);
	return __atomic_load_n(&nr_areas, __ATOMIC_RELAXED);
}

/* cf. Linux mm/util.c: __kvmalloc_node_noprof() */
void *kvmalloc_node(size_t size, gfp_t gfp, int node)
{
	gfp_t first = gfp;
	void *memory;

	(void)node;
	if (size > PAGE_SIZE) {
		first |= __GFP_NOWARN;
		if (!(gfp & __GFP_RETRY_MAYFAIL))
			first |= __GFP_NORETRY;
		first &= ~__GFP_NOFAIL;
	}
	memory = usermm_kmalloc_size(size, first);
	if (memory || size <= PAGE_SIZE || !gfpflags_allow_blocking(gfp))
		return memory;
	if (size > INT_MAX) {
		WARN_ON_ONCE(!(gfp & __GFP_NOWARN));
		return NULL;
	}
	return __vmalloc_noprof(size, gfp);
}

void kvfree(const void *address)
{
	if (is_vmalloc_addr(address))
		vfree(address);
	else
		kfree(address);
}

void kvfree_sensitive(const void *address, size_t size)
{
	if (ZERO_OR_NULL_PTR(address))
		return;
	memset((void *)address, 0, size);
	__asm__ __volatile__("" : : "r"(address) : "memory");
	kvfree(address);
}

void *usermm_kvrealloc(const void *address, size_t old_size, size_t size, gfp_t gfp)
{
	struct area area;
	size_t have;
	void *memory;

	if (!address || ZERO_OR_NULL_PTR(address))
		return kvmalloc(size, gfp);
	have = find(address, &area, false) ? area.bytes : ksize(address);
	if (size && size <= have && (!old_size || size <= old_size))
		return (void *)address;
	memory = size ? kvmalloc(size, gfp) : ZERO_SIZE_PTR;
	if (!memory)
		return NULL;
	if (size)
		memcpy(memory, address, min_t(size_t, old_size ? old_size : have, size));
	kvfree(address);
	return memory;
}
