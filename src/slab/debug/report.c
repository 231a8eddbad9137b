/* SPDX-License-Identifier: MIT */
/* One line about an address that must not be freed, then the end of the process. */
#include <stdarg.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "mm/page_flags.h"
#include "os/os.h"
#include "page/debug/flag_names.h"
#include "page/debug/hooks.h"
#include "slab/debug/debug_object.h"
#include "slab/debug/report.h"
#include "slab/kmalloc/kvmalloc.h"
#include "slab/mixed/mixed.h"
#include "slab/slab_word.h"

#define TEXT_BYTES 400

/* Names the options that tell more and are not on yet. */
static const char *options_hint(void)
{
	if (options.page_owner)
		return options.hardened ? "" : "; hardened=1 tells more";
	return options.hardened ? "; page_owner=1 tells more" :
				  "; page_owner=1 and hardened=1 tell more";
}

static void describe_double_free(char *text, size_t bytes, const struct kmem_cache *cache,
				 unsigned long index)
{
	size_t used = fmt_format(text, bytes, "object %lu of a slab of cache %s (%u bytes), and "
				 "already free: double free", index, cache->name,
				 cache->object_size);

	/* With SLAB_STORE_USER the report goes on with who freed it. */
	if (!(cache->flags & SLAB_STORE_USER))
		fmt_format(text + used, bytes - used, "; slab_debug=FU,%s %stells who freed it",
			   cache->name, options.hardened ? "as well " : "");
}

static void describe_object(char *text, size_t bytes, const struct kmem_cache *cache,
			    const char *pointer)
{
	const struct page *slab = slab_of(cache, pointer);
	/* Wraps to a large number in front of the first object. */
	unsigned long offset = (unsigned long)(pointer - slab_object(cache, slab, 0));
	unsigned long index = offset / cache->size, inside = offset % cache->size;

	if (index >= slab_nr_objects(cache, slab))
		fmt_format(text, bytes, "in the unused end of a slab of cache %s", cache->name);
	else if (index >= slab_word_read(slab).carved)
		fmt_format(text, bytes, "where a slab of cache %s has objects (%u bytes) that were "
			   "not allocated so far: stale pointer", cache->name, cache->object_size);
	else if (inside)
		fmt_format(text, bytes,
			   "%lu bytes inside object %p (%u bytes, cache %s); free the address "
			   "that was returned",
			   inside, pointer - inside, cache->object_size, cache->name);
	else
		describe_double_free(text, bytes, cache, index);
}

/* The first page of the free block or of malloc's block around the page; else the page itself. */
static const struct page *first_of_block(const struct page *page)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		unsigned long before = page_to_pfn(page) & ((1UL << order) - 1);
		const struct page *first = page - before;
		unsigned long flags = page_flags(first);

		if ((flags & PG_buddy && before < 1UL << first->order) ||
		    (flags & PG_block && before * PAGE_SIZE < first->index))
			return first;
	}
	return page;
}

static void describe_mixed(char *text, size_t bytes, const void *pointer)
{
	const char *block = slab_mixed_block_around(pointer);

	if (!block || block == pointer)
		fmt_format(text, bytes, "in a slab of mixed sizes, where no block is in use: "
			   "double free or stale pointer");
	else
		fmt_format(text, bytes, "%lu bytes inside block %p of a slab of mixed sizes; free "
			   "the address that was returned",
			   (unsigned long)((const char *)pointer - block), block);
}

static void describe_page(char *text, size_t bytes, const struct page *page,
			  const void *pointer)
{
	const struct page *head = compound_head(page);
	unsigned long flags;

	page = first_of_block(page);
	flags = page_flags(page);

	if (flags & PG_buddy)
		fmt_format(text, bytes, "in a free block of order %u, pfn %lu: double free or "
			   "stale pointer%s", (unsigned int)page->order, page_to_pfn(page),
			   options_hint());
	else if (page_flags(head) & PG_head)
		fmt_format(text, bytes, "inside a compound page of order %u at %p",
			   (unsigned int)head->order, page_address(head));
	else if ((flags & PG_block) && pointer == page_address(page))
		fmt_format(text, bytes, "malloc's block of %lu bytes, which free() and realloc() "
			   "take", page->index);
	else if (flags & PG_block)
		fmt_format(text, bytes, "inside a block of %lu bytes at %p; free the address that "
			   "was returned, unless this is a stale pointer", page->index,
			   page_address(page));
	else if (atomic_load_relaxed(&page->_refcount) > 0)
		fmt_format(text, bytes, "in an allocated page (count %d, pfn %lu) that is not a "
			   "block of this allocator's", page->_refcount, page_to_pfn(page));
	else
		fmt_format(text, bytes, "in page %lu, which holds no object: already freed, or "
			   "inside a block of several pages%s", page_to_pfn(page), options_hint());
}

/* Prints who had the object around the address, if its cache keeps that. */
static void say_owner(const struct kmem_cache *cache, const char *pointer)
{
	const struct page *slab = slab_of(cache, pointer);
	unsigned long offset = (unsigned long)(pointer - slab_object(cache, slab, 0));

	if (offset / cache->size < slab_nr_objects(cache, slab))
		slab_say_tracks(cache, pointer - offset % cache->size);
}

struct kmem_cache *slab_cache_around(const void *address)
{
	if (!mm_is_online(address))
		return NULL;
	return atomic_load_relaxed(mm_slab_cache(compound_head(virt_to_page(address))));
}

/* Prints the line, and who called. */
static void say_line(const char *text, const void *caller)
{
	char place[SLAB_CALLER_BYTES] = "";

	if (caller)
		os_describe_address(caller, place, SLAB_CALLER_BYTES);
	report_line("%s%s%s", text, caller ? "; called from " : "", place);
}

void slab_report_fatal(const void *caller, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list args;

	va_start(args, format);
	fmt_vformat(text, sizeof(text), format, args);
	va_end(args);
	say_line(text, caller);
	abort();
}

void slab_report_bad_free(const char *function, const void *pointer, const void *caller)
{
	struct kmem_cache *cache = slab_cache_around(pointer);
	char text[TEXT_BYTES];
	size_t used;

	kv_report_inside(function, pointer, caller);
	used = fmt_format(text, sizeof(text), "%s(%p): invalid pointer: ", function, pointer);

	if (cache)
		describe_object(text + used, sizeof(text) - used, cache, pointer);
	else if (mm_is_online(pointer) && slab_is_mixed(virt_to_page(pointer)))
		describe_mixed(text + used, sizeof(text) - used, pointer);
	else if (mm_is_online(pointer))
		describe_page(text + used, sizeof(text) - used, virt_to_page(pointer), pointer);
	else
		fmt_format(text + used, sizeof(text) - used, "not memory of this allocator%s",
			   options.hardened ? "" : ", or not any more; hardened=1 remembers the "
						   "last large blocks that were freed");
	say_line(text, caller);
	if (cache)
		say_owner(cache, pointer);
	else if (mm_is_online(pointer))
		page_owner_dump(virt_to_page(pointer));
	abort();
}

void slab_report_waiting(const char *function, const void *object, const void *caller)
{
	slab_report_fatal(caller, "%s(%p): invalid pointer: waits for the end of a grace period "
			  "to be freed: double free", function, object);
}

void slab_report_corrupt_link(const struct kmem_cache *cache, const void *object,
			      const void *next)
{
	report_fatal("Freechain corrupt: free object %p of cache %s links to %p, which is none of "
		     "its objects: written to after it was freed; slab_debug=FPU,%s tells who had "
		     "it", object, cache->name, next, cache->name);
}

void slab_report_bad_freelist(const struct kmem_cache *cache, const struct page *slab,
			      const void *object)
{
	report_fatal("BUG %s: Freechain corrupt: %p in the slab at %p is not one of its free "
		     "objects: it, or the one before, was written to after it was freed; "
		     "slab_debug=FPU,%s tells who had it", cache->name, object,
		     page_address(slab), cache->name);
}

void slab_report_link_to_itself(const struct kmem_cache *cache, const void *object)
{
	report_fatal("BUG: object %p of cache %s is freed, and is the first of the free ones "
		     "already: double free", object, cache->name);
}

FOR_KERNEL(slab_report_bad_free);
FOR_KERNEL(slab_report_waiting);
