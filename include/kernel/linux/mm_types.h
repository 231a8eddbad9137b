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
#include <linux/rwsem.h>
#include <linux/seqlock.h>
#include <linux/spinlock_types.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/uprobes.h>
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

typedef unsigned int vm_fault_t;
typedef struct usermm_pgprot {
	unsigned long pgprot;
} pgprot_t;
typedef struct {
	unsigned long pgd;
} pgd_t;
typedef unsigned long vm_flags_t;

struct file;
struct task_struct;
struct vm_operations_struct;

/*
 * What the memory of this process or of a program is, as /proc/PID/stat told when it was first
 * asked for. There are no page tables behind it. Its areas are found by find_vma() and
 * for_each_vma() (mm.h).
 */
struct mm_struct {
	atomic_t mm_count, mm_users;
	pgd_t *pgd;
	int map_count;
	spinlock_t page_table_lock, arg_lock;
	struct rw_semaphore mmap_lock;
	unsigned long mmap_base, task_size;
	unsigned long total_vm, locked_vm, data_vm, exec_vm, stack_vm;
	unsigned long start_code, end_code, start_data, end_data;
	unsigned long start_brk, brk, start_stack;
	unsigned long arg_start, arg_end, env_start, env_end;
	unsigned long def_flags;
	struct task_struct *owner;
	struct file *exe_file;			/* NULL: not told */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
	struct vm_area_struct *mmap;		/* NULL: not told */
#else
	struct vm_area_struct *usermm_mmap;	/* keeps the layout */
#endif
};

/* Memory that a program maps; also one of this process's own areas. */
struct vm_area_struct {
	unsigned long vm_start, vm_end;
	struct mm_struct *vm_mm;
	pgprot_t vm_page_prot;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	const vm_flags_t vm_flags;		/* changed by vm_flags_set() and its like */
#else
	vm_flags_t vm_flags;
#endif
	const struct vm_operations_struct *vm_ops;
	unsigned long vm_pgoff;
	struct file *vm_file;
	void *vm_private_data;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
	struct vm_area_struct *vm_next, *vm_prev;	/* NULL: not told */
#else
	struct vm_area_struct *usermm_next, *usermm_prev;	/* keep the layout */
#endif
	struct page **usermm_pages;		/* of a program's area; else NULL */
};

extern struct mm_struct init_mm __asm__("usermm_init_mm")
	__attribute__((visibility("default")));

#endif
