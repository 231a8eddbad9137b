/* SPDX-License-Identifier: MIT */
/*
 * The library's memory in a target: window, caches, zones, blocks. This is the reader's interface:
 * open a heap, read what is wanted, close it.
 *
 *	struct heap *heap = heap_open("1234", &status, error);
 *	struct heap_summary summary;
 *
 *	if (heap && heap_read_summary(heap, &summary) == INSPECT_OK)
 *		printf("%lu\n", summary.stats.allocated_bytes);
 *	heap_close(heap);
 *
 * heap_refresh() reads again what may have changed; so one heap serves a view that is drawn again
 * and again. Numbers of a live process may be of different times.
 */
#ifndef INSPECT_HEAP_H
#define INSPECT_HEAP_H

#include "target/find_layout.h"
#include "usermm/stats.h"

#define HEAP_NAME_BYTES 64
#define HEAP_ORDERS_MAX 16
#define HEAP_NODES_MAX 16

/* One node's slabs of a cache. */
struct heap_node {
	uint64_t address;
	uint64_t partial;		/* address of the list's head */
	uint64_t partial_first;		/* what the head leads to */
	uint64_t slabs, slabs_created, slabs_freed;
	uint64_t nr_partial, small_slabs, objects_lacking;
	uint64_t deferred;
	uint32_t barn_nr, barn_batch, barn_nr_on_top, barn_per_page, barn_nr_pages;
	uint64_t barn_top;
	bool is_locked;
};

/* In a slab: its count of them has 15 bits. */
#define HEAP_OBJECTS_MAX 0x7fff

struct heap_cache {
	uint64_t address, name_address;
	char name[HEAP_NAME_BYTES];
	uint64_t flags, random;
	uint32_t object_size, size, inuse, offset, red_left_pad, link_offset, mark_offset;
	uint32_t sheaf_room_max, quarantine_half;
	uint16_t objects, order, min_order;
	bool byte_marks, is_hardened, is_debugged;
	bool is_of_caches;		/* its objects are the library's own */
	uint64_t own_sheaf, own_cpu_slab, quarantine, more_nodes;
	uint64_t refills, flushes, objects_up;
	uint64_t inverse;		/* see heap_object_of() */
	struct heap_node node;		/* the first; heap_read_node() reads the others */
};

/* What the commands slabinfo and top show of a cache. */
struct heap_usage {
	uint64_t objects, active;	/* objects in all, and in use */
	uint64_t cached;		/* free, in sheaves, barns and quarantines */
	uint64_t slabs, active_slabs, pages;
	uint64_t bytes, active_bytes, waste_bytes;	/* of pages; of objects in use; the rest */
	bool is_estimate;		/* not all partial slabs were looked at */
};

struct heap_zone {
	uint64_t address;
	unsigned int number;		/* as in a pageblock's class */
	unsigned int node;
	char name[16];
	uint64_t managed_pages, present_pages, free_pages, pcp_pages, dirty_pages, boost;
	uint64_t min_pages, low_pages, high_pages;
	uint64_t mapped, refills, spills, start_pfn, end_pfn, flags;
	unsigned int nr_orders;
	uint64_t free_blocks[HEAP_ORDERS_MAX];
};

/* Mixed slabs: all of them together. */
struct heap_mixed {
	uint64_t slabs, pages;
	uint64_t released_pages;	/* of these, pages that the system has back */
	uint64_t blocks, used_bytes;	/* in use, or with their former cache */
};

/* A quicklist: free pages in a known state. */
struct heap_quicklist {
	char name[24];
	uint64_t piece;			/* of the slots: its lists */
	uint64_t pages;
};

struct heap_quicklists {
	struct heap_quicklist *lists;	/* in the order in which they were made; for free() */
	size_t nr;
	uint64_t pages;			/* of all */
};

struct heap_summary {
	pid_t pid;
	char command[32], executable[4096], release[LAYOUT_RELEASE_BYTES + 1];
	char library[256];
	uint64_t rss_bytes;		/* of the process; 0 in a core */
	unsigned int nr_caches, nr_zones, nr_slots;
	const char *mode;		/* "rseq" or "locked" */
	struct usermm_stats stats;	/* as usermm_stats_read() has them */
	struct heap_mixed mixed;	/* they are part of slab_bytes */
};

struct heap {
	struct target *target;
	struct layout layout;
	bool is_up;			/* the library has memory */

	/* The window. */
	uint64_t base, online_bytes, pages, slab_caches, marks, mark_key, pageblocks;
	uint64_t window_bytes, wished_bytes, budget_bytes;
	uint64_t slots;			/* address of slot 0 */
	uint32_t nr_slots, nr_nodes;
	bool has_sequences;
	uint64_t seal_key, fence;

	/* Caches, in the order in which they were made. */
	struct heap_cache *caches;
	size_t nr_caches;
	uint32_t *cache_order;		/* their numbers, sorted by address */

	/* For heap_read_summary(): how many of a cache's partial slabs to look at; 0: all */
	size_t partial_most;

	/* The first thing that is wrong, as a line for messages. */
	unsigned int nr_damages;
	char damage[INSPECT_TEXT_BYTES];
};

struct heap *heap_open(const char *target, enum inspect_status *status,
		       char error[INSPECT_TEXT_BYTES]);
void heap_close(struct heap *heap);
enum inspect_status heap_refresh(struct heap *heap);
/* Notes damage. The caller goes on with the rest. */
void heap_damaged(struct heap *heap, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* caches.c. most: how many partial slabs to look at; the rest is estimated. 0: all */
enum inspect_status heap_read_usage(struct heap *heap, const struct heap_cache *cache, size_t most,
				    struct heap_usage *usage);
/* All caches at once, in few system calls. usages[] has heap->nr_caches places. */
enum inspect_status heap_read_usages(struct heap *heap, size_t most, struct heap_usage *usages);
/* False for the first nid behind the last node. */
bool heap_read_node(struct heap *heap, const struct heap_cache *cache, unsigned int nid,
		    struct heap_node *node);
struct heap_cache *heap_find_cache(const struct heap *heap, uint64_t address);
enum inspect_status heap_read_caches(struct heap *heap);

/* mixed.c. False, and all is 0: it cannot be read. */
bool heap_read_mixed(struct heap *heap, struct heap_mixed *mixed);

/* quicklists.c. If it cannot be read to its end, the first ones are there. */
void heap_read_quicklists(struct heap *heap, struct heap_quicklists *all);

/* zones.c. Returns how many zones there are; at most `most`. */
#define HEAP_ZONES_MAX 64
unsigned int heap_read_zones(struct heap *heap, struct heap_zone *zones, unsigned int most);
/* Pages in each block of a per-CPU page list. */
uint64_t heap_pcp_pages(const struct heap *heap, unsigned int list);
enum inspect_status heap_read_summary(struct heap *heap, struct heap_summary *summary);
/* For a caller that has read the usages of all caches already. */
enum inspect_status heap_sum_up(struct heap *heap, const struct heap_usage *usages,
				struct heap_summary *summary);

/* --- Words of structures, by the layout note --------------------------------------- */

static inline uint16_t heap_value(const struct heap *heap, enum layout_value value)
{
	return heap->layout.values[value];
}

static inline uint64_t heap_address(const struct heap *heap, enum layout_address address)
{
	return heap->layout.addresses[address];
}

/* Fields of a structure whose bytes were read to `at`. */
static inline uint64_t heap_u64(const struct heap *heap, const void *at, enum layout_value field)
{
	uint64_t word;

	__builtin_memcpy(&word, (const char *)at + heap->layout.values[field], sizeof(word));
	return word;
}

static inline uint32_t heap_u32(const struct heap *heap, const void *at, enum layout_value field)
{
	uint32_t word;

	__builtin_memcpy(&word, (const char *)at + heap->layout.values[field], sizeof(word));
	return word;
}

static inline uint16_t heap_u16(const struct heap *heap, const void *at, enum layout_value field)
{
	uint16_t word;

	__builtin_memcpy(&word, (const char *)at + heap->layout.values[field], sizeof(word));
	return word;
}

static inline uint8_t heap_u8(const struct heap *heap, const void *at, enum layout_value field)
{
	return *((const uint8_t *)at + heap->layout.values[field]);
}

/* A word of the target; 0 if it cannot be read. */
uint64_t heap_read_u64(struct heap *heap, uint64_t address);

/* --- Pages ------------------------------------------------------------------------- */

static inline uint64_t heap_page_bytes(const struct heap *heap)
{
	return 1UL << heap_value(heap, LAYOUT_page_shift);
}

static inline uint64_t heap_nr_pages(const struct heap *heap)
{
	return heap->online_bytes >> heap_value(heap, LAYOUT_page_shift);
}

static inline bool heap_is_online(const struct heap *heap, uint64_t address)
{
	return address - heap->base < heap->online_bytes;
}

static inline uint64_t heap_pfn(const struct heap *heap, uint64_t address)
{
	return (address - heap->base) >> heap_value(heap, LAYOUT_page_shift);
}

/* Address of a page's struct page. */
static inline uint64_t heap_struct_page(const struct heap *heap, uint64_t pfn)
{
	return heap->pages + pfn * heap_value(heap, LAYOUT_sizeof_page);
}

/* The pfn of the page with this struct page; UINT64_MAX if there is none. */
static inline uint64_t heap_pfn_of_struct(const struct heap *heap, uint64_t address)
{
	uint64_t offset = address - heap->pages, bytes = heap_value(heap, LAYOUT_sizeof_page);

	return offset / bytes < heap_nr_pages(heap) && !(offset % bytes) ? offset / bytes :
									   UINT64_MAX;
}

/* The piece's address in a slot. */
static inline uint64_t heap_percpu(const struct heap *heap, uint64_t piece, uint32_t slot)
{
	return heap->slots + piece + ((uint64_t)slot << heap_value(heap, LAYOUT_slot_shift));
}

#endif
