/* SPDX-License-Identifier: MIT */
/*
 * struct page is usermm/page.h's. A folio is the first page of a block seen as the
 * whole: the fields that sources use lie where struct page has them.
 */
#ifndef _LINUX_MM_TYPES_H
#define _LINUX_MM_TYPES_H

#include <linux/list.h>
#include <linux/types.h>
#include <usermm/page.h>

struct folio {
	union {
		struct {
			unsigned long flags;
			struct list_head lru;
			void *private;
		};
		struct page page;
	};
};

_Static_assert(offsetof(struct folio, lru) == offsetof(struct page, lru), "folio: lru");
_Static_assert(offsetof(struct folio, private) == offsetof(struct page, private),
	       "folio: private");

struct page_frag {
	struct page *page;
	__u32 offset;
	__u32 size;
};

struct mm_struct;
struct vm_area_struct;

typedef unsigned int vm_fault_t;

#endif
