/* SPDX-License-Identifier: MIT */
/*
 * Blocks of any size: kmalloc() first. If that fails, the block is a mapping of its own, or kernel
 * sources' vmalloc() makes it. The calls are in usermm/slab.h.
 */
#ifndef SLAB_KMALLOC_KVMALLOC_H
#define SLAB_KMALLOC_KVMALLOC_H

/* Kernel sources include this header, so it must not define our macros. */
#include "usermm/slab.h"

/* Mappings, now. Sync: atomic relaxed */
struct kv_counts {
	size_t blocks, bytes;
};
extern struct kv_counts kv_counts;

/* The mappings of all blocks. An entry's bytes are those that were asked for. */
struct mappings;
extern struct mappings kv_mappings;

/* Ends the process with a report if the address lies in one of kvmalloc()'s mappings. */
void kv_report_inside(const char *function, const void *pointer, const void *caller);
/* For mend_budget() in malloc/mapped/mapped.c: the bytes that kvmalloc's mappings have charged. */
size_t kv_fork_child_bytes(void);

#endif
