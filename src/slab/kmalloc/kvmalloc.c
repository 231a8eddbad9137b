/* SPDX-License-Identifier: MIT */
#include "slab/kmalloc/kvmalloc.h"

#include <errno.h>
#include <string.h>

#include "base/linux_version.h"
#include "base/options.h"
#include "base/upward_hooks.h"
#include "mm/huge.h"
#include "os/os.h"
#include "page/budget.h"
#include "page/mappings.h"
#include "page/reclaim/limits.h"
#include "page/zone.h"
#include "percpu/fork.h"
#include "slab/debug/report.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/slab.h"

/* How long to wait before a request with __GFP_NOFAIL is repeated. */
#define NOFAIL_WAIT_US 1000

struct mappings kv_mappings;

struct kv_hooks kv_hooks;
struct kv_counts kv_counts;

static void count_change(size_t blocks, size_t bytes)
{
	atomic_add_relaxed(&kv_counts.blocks, blocks);
	atomic_add_relaxed(&kv_counts.bytes, bytes);
}

/* kmalloc() may fail early: a mapping comes next. cf. Linux mm/util.c: kmalloc_gfp_adjust() */
static gfp_t first_try(gfp_t gfp, size_t size)
{
	if (size <= PAGE_SIZE)
		return gfp;
	if (!(gfp & __GFP_RETRY_MAYFAIL))
		gfp |= __GFP_NORETRY;
	return (gfp | __GFP_NOWARN) & ~__GFP_NOFAIL;
}

/* Only limit= restricts mappings; else the kernel decides, as for malloc's mappings. */
static bool charge(size_t bytes)
{
	return !options.limit || budget_charge(bytes / PAGE_SIZE);
}

static void uncharge(size_t bytes)
{
	if (options.limit)
		budget_uncharge(bytes / PAGE_SIZE);
}

size_t kv_fork_child_bytes(void)
{
	return mappings_fork_child_bytes(&kv_mappings);
}

static void mend_child(void)
{
	if (options.limit)
		budget_fork_child(kv_fork_child_bytes() / PAGE_SIZE);
}

/* If the address space is full, the window gives up spare addresses, and this tries again. */
static void *map(void *old, size_t old_bytes, size_t bytes)
{
	size_t more = bytes - min(bytes, old_bytes);
	void *block;
	int error;

	do {
		error = old ? os_remap(old, old_bytes, bytes, &block) :
			      os_map(bytes, os_page_bytes(), &block);
	} while (error == -ENOMEM && page_make_address_space(bytes));
	if (error)
		return NULL;
	if (more)
		mm_huge_mapped(block, bytes);
	return block;
}

/* Maps a block, or resizes old; charges the bytes that are new. NULL: nothing has changed. */
static void *map_charged(void *old, size_t old_bytes, size_t bytes)
{
	size_t more = bytes - min(bytes, old_bytes);
	void *block;

	if (bytes == old_bytes)
		return old;
	if (more && !charge(more))
		return NULL;
	block = map(old, old_bytes, bytes);
	if (!block)
		uncharge(more);
	return block;
}

static void *alloc_charged(size_t size, size_t bytes, int nid)
{
	void *block = map_charged(NULL, 0, bytes);

	if (!block)
		return NULL;
	if (mappings_insert(&kv_mappings, block, size)) {
		if (nid != NUMA_NO_NODE)
			os_prefer_node(block, bytes, (unsigned int)nid);
		count_change(1, bytes);
		return block;
	}
	os_unmap_or_discard(block, bytes);
	uncharge(bytes);
	return NULL;
}

static slow_path void *alloc_mapping(size_t size, gfp_t gfp, int nid)
{
	size_t bytes = mapping_bytes(size);
	void *block;

	if (!bytes || page_init())
		return NULL;
	/* In a library with malloc, malloc/mapped/mapped.c mends the budget for both. */
	percpu_set_fork_child_if_none(mend_child);
	limits_before_mapping(bytes);
	for (;;) {
		percpu_fork_change_begin();
		block = alloc_charged(size, bytes, nid);
		percpu_fork_change_end();
		if (block || !(gfp & __GFP_NOFAIL))
			return block;
		os_sleep_us(NOFAIL_WAIT_US);
	}
}

static void *alloc_other(size_t size, gfp_t gfp, int nid, const void *caller)
{
	if (kv_hooks.alloc)
		return kv_hooks.alloc(size, gfp, nid, caller);
	return alloc_mapping(size, gfp, nid);
}

/*
 * A request that may not block gets a mapping only from the runtime for kernel sources (kv_hooks),
 * and only since Linux 6.19. cf. Linux mm/slub.c: __kvmalloc_node_noprof()
 */
static void *alloc(size_t size, gfp_t gfp, int nid, const void *caller)
{
	void *object = slab_kmalloc_node_for(size, first_try(gfp, size), nid, caller);

	if (object || size <= PAGE_SIZE)
		return object;
	if (!gfpflags_allow_blocking(gfp) && !(kv_hooks.alloc && linux_since(6, 19)))
		return NULL;
	return alloc_other(size, gfp, nid, caller);
}

void *kvmalloc_node(size_t size, gfp_t gfp, int nid)
{
	return alloc(size, gfp, nid, __builtin_return_address(0));
}

/* Unmaps the block. False if there is no such mapping. */
static bool free_mapping(void *object)
{
	struct mapping *entry;
	size_t bytes;

	percpu_fork_change_begin();
	entry = mappings_claim(&kv_mappings, object);
	if (entry) {
		bytes = mapping_bytes(entry->bytes);
		/* Before os_unmap: the address may be another block's right after it. */
		mapping_give_up(entry);
		count_change(-1UL, -bytes);
		os_unmap_or_discard(object, bytes);
		uncharge(bytes);
	}
	percpu_fork_change_end();
	return entry;
}

void kvfree(const void *object)
{
	if (kv_hooks.owns && kv_hooks.owns(object))
		kv_hooks.free(object);
	else if (!free_mapping((void *)object))
		slab_free_for(NULL, (void *)object, "kvfree", __builtin_return_address(0));
}

void kvfree_sensitive(const void *object, size_t size)
{
	if (ZERO_OR_NULL_PTR(object))
		return;
	memset((void *)object, 0, size);
	/* Else the compiler could leave out stores to an object that is freed. */
	__asm__ __volatile__("" : : "r"(object) : "memory");
	kvfree(object);
}

/*
 * The system refuses to shorten the mapping, for example because the process has too many mappings.
 * The block keeps its length, as an area of vmalloc() would.
 */
static void *keep_longer(struct mapping *entry, void *object, size_t size, gfp_t gfp)
{
	if (gfp & __GFP_ZERO)
		memset((char *)object + size, 0, entry->bytes - size);
	mapping_publish(entry, object, entry->bytes);
	return object;
}

/* The entry is claimed while the mapping moves, as in malloc/mapped/mapped.c: resize_claimed(). */
static void *resize_claimed(struct mapping *entry, void *object, size_t size, gfp_t gfp)
{
	size_t old_size = entry->bytes, old_bytes = mapping_bytes(old_size);
	size_t bytes = mapping_bytes(size);
	void *moved = bytes ? map_charged(object, old_bytes, bytes) : NULL;

	if (!moved && bytes && bytes < old_bytes)
		return keep_longer(entry, object, size, gfp);
	if (!moved) {
		mapping_publish(entry, object, old_size);
		return NULL;
	}
	/* New pages are zero. The caller may have written to the rest of the old last page. */
	if ((gfp & __GFP_ZERO) && size > old_size)
		memset((char *)moved + old_size, 0, min(size, old_bytes) - old_size);
	if (moved == object)
		mapping_publish(entry, object, size);
	else
		mappings_move(&kv_mappings, entry, moved, size);
	count_change(0, bytes - old_bytes);
	if (bytes < old_bytes)
		uncharge(old_bytes - bytes);
	return moved;
}

/* True if the object is a mapping; *resized is then its new address, or NULL. */
static bool try_resize(void *object, size_t size, gfp_t gfp, void **resized)
{
	struct mapping *entry;

	percpu_fork_change_begin();
	entry = mappings_claim(&kv_mappings, object);
	if (entry)
		*resized = resize_claimed(entry, object, size, gfp);
	percpu_fork_change_end();
	return entry;
}

static bool resize_mapping(void *object, size_t size, gfp_t gfp, void **resized)
{
	while (try_resize(object, size, gfp, resized)) {
		if (*resized || !(gfp & __GFP_NOFAIL) || !mapping_bytes(size))
			return true;
		os_sleep_us(NOFAIL_WAIT_US);
	}
	return false;
}

/* cf. Linux mm/util.c: kvrealloc_noprof() */
void *kvrealloc(const void *object, size_t size, gfp_t gfp)
{
	const void *caller = __builtin_return_address(0);
	void *resized;

	if (kv_hooks.owns && kv_hooks.owns(object))
		return kv_hooks.resize(object, size, gfp);
	if (!size && free_mapping((void *)object))
		return NULL;
	if (!size) {
		slab_free_for(NULL, (void *)object, "kvrealloc", caller);
		return ZERO_SIZE_PTR;
	}
	if (resize_mapping((void *)object, size, gfp, &resized))
		return resized;
	resized = slab_krealloc_for(object, size, first_try(gfp, size), "kvrealloc", caller);
	if (resized)
		return resized;
	resized = alloc(size, gfp, NUMA_NO_NODE, caller);
	if (resized && object) {
		memcpy(resized, object, ksize(object));
		kfree(object);
	}
	return resized;
}

void kv_report_inside(const char *function, const void *pointer, const void *caller)
{
	const struct mapping *entry = mappings_find_around(&kv_mappings, pointer);
	unsigned long start;

	if (!entry)
		return;
	/* Another thread may free the block meanwhile. Then only the text is wrong. */
	start = atomic_load_relaxed(&entry->start);
	slab_report_fatal(caller, "%s(%p): invalid pointer: %lu bytes inside a mapping of %zu "
			  "bytes of kvmalloc(); kvfree() frees it, by the address that was "
			  "returned", function, pointer, (unsigned long)pointer - start,
			  atomic_load_relaxed(&entry->bytes));
}
