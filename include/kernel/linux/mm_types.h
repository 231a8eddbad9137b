/* SPDX-License-Identifier: MIT */
/*
 * usermm/page.h has struct page. A folio is the first page of a block, which stands for the whole
 * block. The fields that sources use have the same offsets as in struct page.
 */
#ifndef _LINUX_MM_TYPES_H
#define _LINUX_MM_TYPES_H

#include <asm/msr.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/notifier.h>
#include <linux/rbtree.h>
#include <linux/seqlock.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/version.h>
#include <linux/workqueue_types.h>
#include <usermm/page.h>

struct folio {
	union {
		struct {
			USERMM_PAGE_FLAGS flags;
			struct list_head lru;
			void *_allocators_own;
			void *private;
			unsigned long index;
			unsigned long _counts;
			struct address_space *mapping;
		};
		struct page page;
	};
};

_Static_assert(offsetof(struct folio, lru) == offsetof(struct page, lru), "folio: lru");
_Static_assert(offsetof(struct folio, private) == offsetof(struct page, private),
	       "folio: private");
_Static_assert(offsetof(struct folio, index) == offsetof(struct page, index), "folio: index");
_Static_assert(offsetof(struct folio, mapping) == offsetof(struct page, mapping),
	       "folio: mapping");

struct page_frag {
	struct page *page;
	__u32 offset;
	__u32 size;
};

#define PAGE_FRAG_CACHE_MAX_SIZE 32768
#define PAGE_FRAG_CACHE_MAX_ORDER 3

struct mm_struct;
struct vm_area_struct;

typedef unsigned int vm_fault_t;

#endif
