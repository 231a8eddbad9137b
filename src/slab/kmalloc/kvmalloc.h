/* SPDX-License-Identifier: MIT */
/*
 * Blocks of any size: kmalloc() first; if it fails, a mapping of its own, or vmalloc() of the
 * layer for kernel sources. The calls are in usermm/slab.h.
 */
#ifndef SLAB_KMALLOC_KVMALLOC_H
#define SLAB_KMALLOC_KVMALLOC_H

/* Kernel sources include this header, so it must not define our macros. */
#include "usermm/slab.h"

/*
 * Memory that is not contiguous for the rest of kernel sources: vmalloc(). owns() may be asked of
 * any address; free() and resize() get what it owns. Sync: set by constructors.
 */
struct kv_hooks {
	void *(*alloc)(size_t bytes, gfp_t gfp, int nid, const void *caller);
	bool (*owns)(const void *object);
	void (*free)(const void *object);
	void *(*resize)(const void *object, size_t bytes, gfp_t gfp);
};
extern struct kv_hooks kv_hooks USERMM_API(kv_hooks);

/* Mappings, now. Sync: atomic relaxed */
struct kv_counts {
	size_t blocks, bytes;
};
extern struct kv_counts kv_counts;

/* Ends the process with a report if the address lies in one of kvmalloc()'s mappings. */
void kv_report_inside(const char *function, const void *pointer, const void *caller);
/* For mend_budget() in malloc/mapped/mapped.c: the bytes that kvmalloc's mappings have charged. */
size_t kv_fork_child_bytes(void);

#endif
