// SPDX-License-Identifier: MIT
/*
 * vmalloc() and the kv functions. A tree holds the areas by address, so that a pointer into an area
 * is recognised. linux/vmalloc.h says what an area is.
 *
 *	kind		address				memory
 *	AREA_BLOCK	that of its pages		one block of pages
 *	AREA_MAPPING	a mapping of its own		the system's, charged to the zone
 *	AREA_VIEW	outside of the window		pages from anywhere: vmap(), and areas
 *							larger than a block
 *
 * An inaccessible page follows each area, and another one lies in front, so that an access beside
 * the area crashes at once. In Linux the page in front is unmapped, or the one behind another area.
 * With a block these are two pages more of the block. A block whose alignment is larger than a page
 * has none in front.
 */
#include <limits.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "module/module_run.h"
#include "base/linux_version.h"
#include "base/upward_hooks.h"
#include "slab/kmalloc/kvmalloc.h"
#include "views.h"
#include "zone_counts.h"

/* The largest area that is one block of pages, with the pages beside it. */
#define BLOCK_BYTES_MAX ((PAGE_SIZE << MAX_PAGE_ORDER) - 2 * PAGE_SIZE)
/*
 * Each inaccessible page costs the process up to two mappings, whose number the system limits
 * (vm.max_map_count, 65530 by default). Blocks beyond this many have accessible pages beside them.
 */
#define NR_GUARDED_MAX 4096

enum area_kind { AREA_BLOCK, AREA_MAPPING, AREA_VIEW };
/* Who owns the pages of a view. */
enum owner { OWNER_CALLER, OWNER_AREA, OWNER_AREA_AND_ARRAY };

struct area {
	unsigned long start, bytes;	/* a search key has 1 byte */
	unsigned long requested;	/* bytes that the caller asked for; vrealloc() changes it */
	enum area_kind kind;
	enum owner owner;
	unsigned long front;		/* AREA_BLOCK: bytes of the block in front of the area */
	bool guarded;			/* AREA_BLOCK: are the pages beside it inaccessible? */
	struct page **pages;		/* AREA_VIEW: an array from malloc(), or the caller's */
	const void *caller;		/* address of the code that made the area */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *areas;			/* root of a tsearch(3) tree. Sync: lock */
static unsigned long nr_areas, nr_bytes;	/* Sync: lock */
static unsigned long nr_guarded;	/* Sync: atomic relaxed */

/* Areas do not overlap, so a key that overlaps an area equals it. */
static int compare(const void *left, const void *right)
{
	const struct area *a = left, *b = right;

	if (a->start + a->bytes <= b->start)
		return -1;
	return a->start >= b->start + b->bytes;
}

/* Bytes that count as the area's own. A view of the caller's pages has none. */
static unsigned long counted(const struct area *area)
{
	return area->kind == AREA_VIEW && area->owner == OWNER_CALLER ? 0 : area->bytes;
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
	nr_bytes += done ? counted(area) : 0;
	pthread_mutex_unlock(&lock);
	if (!done)
		free(copy);
	return done;
}

/* Finds the area that contains the address. With forget it is removed from the tree. */
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
		nr_bytes -= counted(found);
		free(found);
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/*
 * Maps more than needed, then unmaps the parts before and behind the aligned part. One page stays
 * in front.
 */
static void *map_aligned(unsigned long bytes, unsigned long align)
{
	unsigned long more = bytes + align, start;
	char *memory;

	if (more < bytes)
		return NULL;
	memory = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	start = ALIGN((unsigned long)memory + PAGE_SIZE, align);
	if (start - PAGE_SIZE > (unsigned long)memory)
		munmap(memory, start - PAGE_SIZE - (unsigned long)memory);
	if (start + bytes < (unsigned long)memory + more)
		munmap((void *)(start + bytes), (unsigned long)memory + more - start - bytes);
	return (void *)start;
}

static void *map(unsigned long bytes, unsigned long align)
{
	void *memory;

	if (!zone_counts_charge(bytes >> PAGE_SHIFT))
		return NULL;
	memory = map_aligned(bytes + PAGE_SIZE, align);
	if (!memory) {
		zone_counts_uncharge(bytes >> PAGE_SHIFT);
		return NULL;
	}
	mprotect((char *)memory - PAGE_SIZE, PAGE_SIZE, PROT_NONE);
	mprotect((char *)memory + bytes, PAGE_SIZE, PROT_NONE);
	return memory;
}

static void free_pages_of_view(struct page **pages, unsigned long nr)
{
	for (unsigned long i = 0; i < nr; i++)
		__free_page(pages[i]);
}

/* Unmaps the view, and frees the pages and the array if the area owns them. */
static void release_view(const struct area *area)
{
	unsigned long nr = area->bytes >> PAGE_SHIFT;

	views_unmap((void *)area->start, nr);
	if (area->owner != OWNER_CALLER)
		free_pages_of_view(area->pages, nr);
	if (area->owner == OWNER_AREA_AND_ARRAY)
		kvfree(area->pages);
	else
		free(area->pages);
}

static int protect(unsigned long start, unsigned long bytes, int protection)
{
	return bytes ? mprotect((void *)start, bytes, protection) : 0;
}

/* The page behind an area. */
static int protect_behind(const struct area *area, int protection)
{
	return protect(area->start + area->bytes, PAGE_SIZE, protection);
}

static int protect_front(const struct area *area, int protection)
{
	return protect(area->start - area->front, area->front, protection);
}

static void guard_block(struct area *area)
{
	unsigned long nr = __atomic_fetch_add(&nr_guarded, 1, __ATOMIC_RELAXED);

	area->guarded = nr < NR_GUARDED_MAX && !protect_behind(area, PROT_NONE);
	if (!area->guarded)
		__atomic_fetch_sub(&nr_guarded, 1, __ATOMIC_RELAXED);
	else
		protect_front(area, PROT_NONE);	/* if not, the area has one guard */
}

static void release_block(const struct area *area)
{
	unsigned long end = area->start + area->bytes + PAGE_SIZE;
	unsigned long start = area->start - area->front;

	if (area->guarded) {
		__atomic_fetch_sub(&nr_guarded, 1, __ATOMIC_RELAXED);
		/* A page that stays inaccessible must not be used again: it is lost. */
		if (WARN_ON_ONCE(protect_behind(area, PROT_READ | PROT_WRITE)))
			end -= PAGE_SIZE;
		if (WARN_ON_ONCE(protect_front(area, PROT_READ | PROT_WRITE)))
			start += area->front;
	}
	free_pages_exact((void *)start, end - start);
}

static void release(const struct area *area)
{
	switch (area->kind) {
	case AREA_BLOCK:
		release_block(area);
		break;
	case AREA_MAPPING:
		munmap((void *)(area->start - PAGE_SIZE), area->bytes + 2 * PAGE_SIZE);
		zone_counts_uncharge(area->bytes >> PAGE_SHIFT);
		break;
	case AREA_VIEW:
		release_view(area);
		break;
	}
}

/* Can a block of pages serve? Its alignment is its size. */
static bool pages_will_do(unsigned long bytes, unsigned long align)
{
	return bytes <= BLOCK_BYTES_MAX &&
	       (align <= PAGE_SIZE || align <= PAGE_SIZE << get_order(bytes + PAGE_SIZE));
}

/* Flags for a block where single pages would do as well: do not reclaim hard for it. */
static gfp_t no_effort(gfp_t gfp)
{
	return (gfp | __GFP_NORETRY) & ~(__GFP_NOFAIL | __GFP_RETRY_MAYFAIL);
}

/* Takes nr pages with one reference each, in blocks as large as possible; all or none. */
static bool take_pages(struct page **pages, unsigned long nr, gfp_t gfp, int node)
{
	unsigned int max_order = MAX_PAGE_ORDER;
	unsigned long taken = 0;

	gfp |= __GFP_NOWARN;
	while (taken < nr) {
		unsigned int order = min_t(unsigned int, max_order, ilog2(nr - taken));
		struct page *page = alloc_pages_node(node, order ? no_effort(gfp) : gfp, order);

		if (!page && !order) {
			free_pages_of_view(pages, taken);
			return false;
		}
		if (!page) {
			max_order = order - 1;
			continue;
		}
		split_page(page, order);
		for (unsigned long i = 0; i < 1UL << order; i++)
			pages[taken++] = page + i;
	}
	return true;
}

/* Makes an AREA_VIEW of pages from anywhere, if views are possible. */
static void make_large(struct area *area, unsigned long align, gfp_t gfp, int node)
{
	unsigned long nr = area->bytes >> PAGE_SHIFT;

	if (!views_are_possible() || nr > totalram_pages())
		return;
	area->pages = malloc(nr * sizeof(*area->pages));
	if (!area->pages)
		return;
	if (!take_pages(area->pages, nr, gfp, node)) {
		free(area->pages);
		return;
	}
	area->kind = AREA_VIEW;
	area->owner = OWNER_AREA;
	area->start = (unsigned long)views_map(area->pages, nr, max(align, PAGE_SIZE));
	if (!area->start) {
		free_pages_of_view(area->pages, nr);
		free(area->pages);
	}
}

static void make_block(struct area *area, unsigned long align, gfp_t gfp, int node)
{
	void *block;

	area->kind = AREA_BLOCK;
	area->front = align <= PAGE_SIZE ? PAGE_SIZE : 0;
	block = (alloc_pages_exact_nid)(usermm_nid(node), area->front + area->bytes + PAGE_SIZE,
					gfp | __GFP_NOWARN);
	if (!block)
		return;
	area->start = (unsigned long)block + area->front;
	guard_block(area);
}

static void make_mapping(struct area *area, unsigned long align, int node)
{
	area->kind = AREA_MAPPING;
	area->start = (unsigned long)map(area->bytes, max(align, PAGE_SIZE));
	if (area->start && node != NUMA_NO_NODE)
		zone_counts_prefer_node((void *)area->start, area->bytes, (unsigned int)node);
}

void *__vmalloc_node_noprof(unsigned long size, unsigned long align, gfp_t gfp, int node,
			    const void *caller)
{
	struct area area = { .bytes = (size + PAGE_SIZE - 1) & PAGE_MASK, .requested = size };
	bool block_will_do = pages_will_do(area.bytes, align);

	/* There is no highmem here, and the pages of an area are single pages. */
	gfp &= ~(__GFP_HIGHMEM | __GFP_COMP);
	area.caller = caller ? caller : __builtin_return_address(0);
	if (WARN_ON_ONCE(!size) || area.bytes < size)
		return NULL;
	if (block_will_do)
		make_block(&area, align, no_effort(gfp), node);
	if (!area.start)
		make_large(&area, align, gfp, node);
	if (!area.start && !views_are_possible())
		make_mapping(&area, align, node);
	if (!area.start && block_will_do)
		make_block(&area, align, gfp, node);
	if (area.start && !remember(&area)) {
		release(&area);
		area.start = 0;
	}
	return (void *)area.start;
}

void *__vmalloc_noprof(unsigned long size, gfp_t gfp)
{
	return __vmalloc_node_noprof(size, 1, gfp, NUMA_NO_NODE, __builtin_return_address(0));
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

/* cf. Linux mm/vmalloc.c: vmalloc_dump_obj() */
bool vmalloc_describe(const void *address, char *text, size_t size)
{
	char caller[200];
	struct area area;

	if (find((const void *)PAGE_ALIGN((unsigned long)address), &area, false)) {
		symbol_text(area.caller, caller, sizeof(caller));
		snprintf(text, size, " %lu-page vmalloc region starting at %#lx allocated at %s",
			 area.bytes >> PAGE_SHIFT, area.start, caller);
	} else if (find(address, &area, false)) {
		snprintf(text, size, " vmalloc memory");
	} else {
		return false;
	}
	return true;
}

struct page *vmalloc_to_page(const void *address)
{
	struct area area;

	if (!find(address, &area, false) || area.kind == AREA_MAPPING)
		return NULL;
	if (area.kind == AREA_BLOCK)
		return virt_to_page(address);
	return area.pages[((unsigned long)address - area.start) >> PAGE_SHIFT];
}

/* Makes a view of the caller's pages. NULL if that is impossible. */
static void *add_view(struct page **pages, unsigned long nr, enum owner owner,
		      const void *caller)
{
	struct area area = {
		.bytes = nr << PAGE_SHIFT, .requested = nr << PAGE_SHIFT, .kind = AREA_VIEW,
		.owner = owner, .pages = pages, .caller = caller,
	};

	if (!nr || nr > totalram_pages() || !views_are_possible())
		return NULL;
	if (owner == OWNER_CALLER) {
		area.pages = malloc(nr * sizeof(*pages));
		if (!area.pages)
			return NULL;
		memcpy(area.pages, pages, nr * sizeof(*pages));
	}
	area.start = (unsigned long)views_map(area.pages, nr, PAGE_SIZE);
	if (area.start && remember(&area))
		return (void *)area.start;
	if (area.start)
		views_unmap((void *)area.start, nr);
	if (owner == OWNER_CALLER)
		free(area.pages);
	return NULL;
}

/* The bits of prot are those of mprotect(2). */
void *vmap(struct page **pages, unsigned int count, unsigned long flags, pgprot_t prot)
{
	void *view;

	might_sleep();
	view = add_view(pages, count,
			flags & VM_MAP_PUT_PAGES ? OWNER_AREA_AND_ARRAY : OWNER_CALLER,
			__builtin_return_address(0));
	if (view && pgprot_val(prot) != pgprot_val(PAGE_KERNEL) &&
	    mprotect(view, (size_t)count << PAGE_SHIFT, (int)pgprot_val(prot))) {
		vunmap(view);
		return NULL;
	}
	return view;
}

/* Frees no pages, not even those that vfree() would free. */
void vunmap(const void *address)
{
	struct area area;

	might_sleep();
	if (!address)
		return;
	if (WARN(!find(address, &area, true) || area.start != (unsigned long)address,
		 "Trying to vunmap() nonexistent vm area (%px)\n", address))
		return;
	if (area.owner == OWNER_AREA_AND_ARRAY)
		area.pages = NULL;
	area.owner = OWNER_CALLER;
	release(&area);
}

void *vm_map_ram(struct page **pages, unsigned int count, int node)
{
	(void)node;
	return add_view(pages, count, OWNER_CALLER, __builtin_return_address(0));
}

void vm_unmap_ram(const void *memory, unsigned int count)
{
	struct area area;

	might_sleep();
	BUG_ON(!memory);
	BUG_ON(!PAGE_ALIGNED(memory));
	if (WARN_ON_ONCE(!find(memory, &area, true) || area.start != (unsigned long)memory))
		return;
	WARN_ON_ONCE(area.bytes >> PAGE_SHIFT != count);
	release(&area);
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

/*
 * Gives the pages behind the first `bytes` bytes back (since Linux 7.2). The inaccessible page
 * moves: it is the block's next page, or the mapping's.
 */
static void shorten(struct area *area, unsigned long bytes)
{
	unsigned long end = area->start + bytes, pages = (area->bytes - bytes) >> PAGE_SHIFT;
	struct area before = *area;

	switch (area->kind) {
	case AREA_BLOCK:
		if (before.guarded && protect_behind(&before, PROT_READ | PROT_WRITE))
			return;
		area->bytes = bytes;
		if (before.guarded)
			protect_behind(area, PROT_NONE);
		free_pages_exact((void *)(end + PAGE_SIZE), before.bytes - bytes);
		break;
	case AREA_MAPPING:
		area->bytes = bytes;
		munmap((void *)(end + PAGE_SIZE), before.bytes - bytes);
		mprotect((void *)end, PAGE_SIZE, PROT_NONE);
		zone_counts_uncharge(pages);
		break;
	case AREA_VIEW:
		if (area->owner == OWNER_CALLER)
			return;
		area->bytes = bytes;
		views_cut((void *)end, pages);
		free_pages_of_view(area->pages + (bytes >> PAGE_SHIFT), pages);
		break;
	}
}

/* Makes an area smaller, in place. Before Linux 7.2 its pages stay. */
static void shrink(const void *address, size_t size, gfp_t gfp)
{
	struct area key = { .start = (unsigned long)address, .bytes = 1 };
	unsigned long bytes = PAGE_ALIGN(size), before;
	struct area **node;

	pthread_mutex_lock(&lock);
	node = tfind(&key, &areas, compare);
	if (node) {
		before = counted(*node);
		(*node)->requested = size;
		if (bytes < (*node)->bytes && linux_since(7, 2) && gfp_has_io_fs(gfp))
			shorten(*node, bytes);
		nr_bytes -= before - counted(*node);
	}
	pthread_mutex_unlock(&lock);
}

/* Are the area's pages at the node? A mapping's are wherever the system put them. */
static bool is_at_node(const struct area *area, int node)
{
	const struct page *first = area->kind == AREA_VIEW ? area->pages[0] :
				   virt_to_page((void *)area->start);

	return area->kind == AREA_MAPPING || node == NUMA_NO_NODE || page_to_nid(first) == node;
}

void *vrealloc_node_align_noprof(const void *address, size_t size, unsigned long align, gfp_t gfp,
				 int node)
{
	struct area area = { 0 };
	void *memory;

	if (!size) {
		vfree(address);
		return NULL;
	}
	if (address && WARN(!find(address, &area, false),
			    "Trying to vrealloc() nonexistent vm area (%px)\n", address))
		return NULL;
	if (WARN(!IS_ALIGNED((unsigned long)address, align),
		 "will not reallocate with a bigger alignment (0x%lx)\n", align))
		return NULL;
	if (size <= area.bytes && (!(gfp & __GFP_THISNODE) || is_at_node(&area, node))) {
		if (size < area.requested && (gfp & __GFP_ZERO))
			memset((char *)address + size, 0, area.requested - size);
		shrink(address, size, gfp);
		return (void *)address;
	}
	memory = __vmalloc_node_noprof(size, align, gfp, node, __builtin_return_address(0));
	if (memory && address) {
		memcpy(memory, address, min(size, area.requested));
		vfree(address);
	}
	return memory;
}

void *vrealloc_noprof(const void *address, size_t size, gfp_t gfp)
{
	return vrealloc_node_align_noprof(address, size, 1, gfp, NUMA_NO_NODE);
}

/* What kvmalloc() does after kmalloc() failed. cf. Linux mm/util.c: __kvmalloc_node_noprof() */
static void *alloc_for_kv(size_t size, gfp_t gfp, int node, const void *caller)
{
	if (size > INT_MAX) {
		WARN_ON_ONCE(!(gfp & __GFP_NOWARN));
		return NULL;
	}
	return __vmalloc_node_noprof(size, 1, gfp, node, caller);
}

static __attribute__((__constructor__)) void set_kv_hooks(void)
{
	kv_hooks = (struct kv_hooks){
		.alloc = alloc_for_kv, .owns = is_vmalloc_addr, .free = vfree,
		.resize = vrealloc_noprof,
	};
}

void *usermm_kvrealloc_from(const void *address, size_t old_size, size_t size, gfp_t gfp)
{
	void *memory;

	if (old_size >= size)
		return (void *)address;
	memory = kvmalloc(size, gfp);
	if (memory && old_size)
		memcpy(memory, address, old_size);
	if (memory)
		kvfree(address);
	return memory;
}
