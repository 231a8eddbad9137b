/* SPDX-License-Identifier: MIT */
/* The fast paths of libusermm.so. */
#include <stdint.h>

#include <usermm/usermm.h>

#include "golden/record.h"

#define NR_BULK 32

static struct kmem_cache *cache;
static struct usermm_heap *heap;
static void *volatile object;
static struct page *volatile page;
static struct page *pages[NR_BULK];
static LIST_HEAD(page_list);
static volatile size_t size_64 = 64;
static volatile unsigned long result;

/* --- Objects --------------------------------------------------------------- */

static void kmalloc_constant(void)
{
	object = kmalloc(64, GFP_KERNEL);
}

static void kmalloc_variable(void)
{
	object = kmalloc(size_64, GFP_KERNEL);
}

static void kzalloc_constant(void)
{
	object = kzalloc(64, GFP_KERNEL);
}

static void krealloc_in_place(void)
{
	object = krealloc(object, 64, GFP_KERNEL);
}

static void free_object(void)
{
	kfree(object);
}

static void object_bytes(void)
{
	result = ksize(object);
}

static void cache_alloc(void)
{
	object = kmem_cache_alloc(cache, GFP_KERNEL);
}

static void cache_zalloc(void)
{
	object = kmem_cache_zalloc(cache, GFP_KERNEL);
}

static void cache_free(void)
{
	kmem_cache_free(cache, object);
}

/* --- Pages ------------------------------------------------------------------ */

static void alloc_0(void)
{
	page = alloc_page(GFP_KERNEL);
}

static void free_0(void)
{
	__free_page(page);
}

static void alloc_3(void)
{
	page = alloc_pages(GFP_KERNEL, 3);
}

static void free_3(void)
{
	__free_pages(page, 3);
}

static void alloc_compound(void)
{
	page = alloc_pages(GFP_KERNEL | __GFP_COMP, 3);
}

static void alloc_frozen_0(void)
{
	page = alloc_frozen_pages(GFP_KERNEL, 0);
}

static void free_frozen_0(void)
{
	free_frozen_pages(page, 0);
}

static void alloc_frozen_3(void)
{
	page = alloc_frozen_pages(GFP_KERNEL, 3);
}

static void free_frozen_3(void)
{
	free_frozen_pages(page, 3);
}

static void get_address(void)
{
	object = (void *)__get_free_page(GFP_KERNEL);
}

static void free_address(void)
{
	free_page((unsigned long)object);
}

static void get_reference(void)
{
	get_page(page);
}

static void put_reference(void)
{
	put_page(page);
}

static void alloc_and_get(void)
{
	alloc_0();
	get_reference();
}

static void put_and_free(void)
{
	put_reference();
	free_0();
}

static void is_valid(void)
{
	result = virt_addr_valid(object);
}

/* --- Bulk ------------------------------------------------------------------- */

static void forget_pages(void)
{
	for (unsigned int i = 0; i < NR_BULK; i++)
		pages[i] = NULL;
}

static void alloc_array(void)
{
	result = alloc_pages_bulk_array(GFP_KERNEL, NR_BULK, pages);
}

static void refill_array(void)
{
	forget_pages();
	alloc_array();
}

static void free_array(void)
{
	free_pages_bulk(pages, NR_BULK);
}

static void alloc_frozen_array(void)
{
	result = alloc_frozen_pages_bulk(GFP_KERNEL, NR_BULK, pages);
}

static void free_frozen_array(void)
{
	free_frozen_pages_bulk(pages, NR_BULK);
}

static void alloc_list(void)
{
	result = alloc_pages_bulk_list(GFP_KERNEL, NR_BULK, &page_list);
}

static void free_list(void)
{
	struct page *next, *entry;

	list_for_each_entry_safe(entry, next, &page_list, lru) {
		list_del(&entry->lru);
		__free_page(entry);
	}
}

/* --- Quicklists ------------------------------------------------------------- */

static void quicklist_get(void)
{
	object = quicklist_alloc(0, GFP_KERNEL, NULL);
}

static void heap_alloc(void)
{
	object = usermm_heap_alloc(heap, 64);
}

static void heap_free(void)
{
	usermm_heap_free(heap, object);
}

static void quicklist_put(void)
{
	quicklist_free(0, NULL, object);
}

static void quicklist_put_page(void)
{
	quicklist_free_page(0, NULL, virt_to_page(object));
}

static const struct golden_path paths[] = {
	{ "kmalloc(64)", NULL, kmalloc_constant, free_object },
	{ "kmalloc(size)", NULL, kmalloc_variable, free_object },
	{ "kzalloc(64)", NULL, kzalloc_constant, free_object },
	{ "krealloc(64->64)", kmalloc_constant, krealloc_in_place, free_object },
	{ "ksize", kmalloc_constant, object_bytes, free_object },
	{ "kfree", kmalloc_constant, free_object, NULL },
	{ "kmem_cache_alloc", NULL, cache_alloc, cache_free },
	{ "kmem_cache_zalloc", NULL, cache_zalloc, cache_free },
	{ "kmem_cache_free", cache_alloc, cache_free, NULL },
	{ "alloc_page", NULL, alloc_0, free_0 },
	{ "__free_page", alloc_0, free_0, NULL },
	{ "alloc_pages(3)", NULL, alloc_3, free_3 },
	{ "__free_pages(3)", alloc_3, free_3, NULL },
	{ "alloc_pages(COMP,3)", NULL, alloc_compound, put_reference },
	{ "put_page(COMP,3)", alloc_compound, put_reference, NULL },
	{ "alloc_frozen_pages(0)", NULL, alloc_frozen_0, free_frozen_0 },
	{ "free_frozen_pages(0)", alloc_frozen_0, free_frozen_0, NULL },
	{ "alloc_frozen_pages(3)", NULL, alloc_frozen_3, free_frozen_3 },
	{ "free_frozen_pages(3)", alloc_frozen_3, free_frozen_3, NULL },
	{ "__get_free_page", NULL, get_address, free_address },
	{ "free_page", get_address, free_address, NULL },
	{ "get_page", alloc_0, get_reference, put_and_free },
	{ "put_page", alloc_and_get, put_reference, free_0 },
	{ "put_page(last)", alloc_0, put_reference, NULL },
	{ "virt_addr_valid", get_address, is_valid, free_address },
	{ "alloc_pages_bulk_array(32)", forget_pages, alloc_array, free_array },
	{ "free_pages_bulk(32)", refill_array, free_array, NULL },
	{ "alloc_pages_bulk_list(32)", NULL, alloc_list, free_list },
	{ "alloc_frozen_pages_bulk(32)", NULL, alloc_frozen_array, free_frozen_array },
	{ "free_frozen_pages_bulk(32)", alloc_frozen_array, free_frozen_array, NULL },
	{ "usermm_heap_alloc(64)", NULL, heap_alloc, heap_free },
	{ "usermm_heap_free", heap_alloc, heap_free, NULL },
	{ "quicklist_alloc", NULL, quicklist_get, quicklist_put },
	{ "quicklist_free", quicklist_get, quicklist_put, NULL },
	{ "quicklist_free_page", quicklist_get, quicklist_put_page, NULL },
};

static const char *start(void)
{
	cache = kmem_cache_create("golden", 100, 0, SLAB_PANIC, NULL);
	heap = usermm_heap_create("golden");
	return record_why_not();
}

const struct recording recording = {
	.start = start,
	.code_start = (const void *)usermm_version,
	.paths = paths,
	.nr_paths = sizeof(paths) / sizeof(paths[0]),
};
