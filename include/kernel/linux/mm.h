/* SPDX-License-Identifier: MIT */
/*
 * Pages, addresses, references. The window is the whole memory, so a "physical" address is an
 * offset in the window. virt, phys, page and pfn convert as in Linux.
 */
#ifndef _LINUX_MM_H
#define _LINUX_MM_H

#include <asm/page.h>
#include <linux/atomic.h>
#include <linux/bit_spinlock.h>
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/ioport.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/migrate_mode.h>
#include <linux/mmap_lock.h>
#include <linux/mm_types.h>
#include <linux/mmdebug.h>
#include <linux/mmzone.h>
#include <linux/page-flags.h>
#include <linux/page_ref.h>
#include <linux/percpu-rwsem.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/rt.h>
#include <linux/semaphore.h>
#include <linux/shrinker.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/sysinfo.h>
#include <linux/vmalloc.h>
#include <linux/vmstat.h>
#include <linux/wait_bit.h>

#define PAGE_ALIGNED(addr) (!((unsigned long)(addr) & ~PAGE_MASK))
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define nth_page(page, n) ((page) + (n))
#else
USERMM_REMOVED(nth_page, "6.18", "page + n")
#endif
#define lowmem_page_address(page) page_address(page)
#define folio_address(folio) page_address(&(folio)->page)
#define virt_to_folio(addr) page_folio(virt_to_page(addr))
#define folio_page_idx(folio, page) ((unsigned long)((page) - &(folio)->page))
#define thp_order(page) compound_order(page)
#define is_vmalloc_or_module_addr(addr) is_vmalloc_addr(addr)

static inline unsigned long compound_nr(const struct page *head)
{
	return 1UL << compound_order(head);
}

static inline unsigned long page_size(const struct page *head)
{
	return PAGE_SIZE << compound_order(head);
}

static inline unsigned int page_shift(const struct page *head)
{
	return PAGE_SHIFT + compound_order(head);
}

#define folio_order(folio) compound_order(&(folio)->page)
#define folio_nr_pages(folio) ((long)compound_nr(&(folio)->page))
#define offset_in_folio(folio, p) ((unsigned long)(p) & (folio_size(folio) - 1))
#define folio_test_hugetlb(folio) ((void)(folio), false)
#define unpin_user_page(page) put_page(page)
/* There are no device pages. */
#define zone_device_pages_have_same_pgmap(a, b) ((void)(a), (void)(b), true)
#define folio_size(folio) page_size(&(folio)->page)
#define folio_shift(folio) page_shift(&(folio)->page)
#define folio_pfn(folio) page_to_pfn(&(folio)->page)
#define folio_get(folio) get_page(&(folio)->page)
#define folio_put(folio) put_page(&(folio)->page)
#define folio_nid(folio) page_to_nid(&(folio)->page)

static inline void folio_put_refs(struct folio *folio, int refs)
{
	if (refs > 1)
		page_ref_sub(&folio->page, refs - 1);
	put_page(&folio->page);
}

/* If the result is true the caller owns the page and must free it, e.g. by free_unref_page(). */
static inline int put_page_testzero(struct page *page)
{
	VM_BUG_ON_PAGE(page_ref_count(page) == 0, page);
	return page_ref_dec_and_test(page);
}
#define folio_put_testzero(folio) put_page_testzero(&(folio)->page)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define free_unref_page(page, order) free_frozen_pages(page, order)
#else
USERMM_REMOVED(free_unref_page, "6.14", "free_frozen_pages()")
#endif

static inline bool try_get_page(struct page *page)
{
	page = compound_head(page);
	if (WARN_ON_ONCE(page_ref_count(page) <= 0))
		return false;
	page_ref_inc(page);
	return true;
}

#define folio_try_get(folio) get_page_unless_zero(&(folio)->page)

void release_pages(struct page **pages, int nr) USERMM_API(release_pages);
/* Drops one reference of each page of the list, and empties the list. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define put_pages_list(list) free_pages_bulk_list(list)
#else
USERMM_REMOVED(put_pages_list, "7.2", "__free_page() of each")
#endif

#define page_private(page) ((page)->private)
#define set_page_private(page, value) ((page)->private = (value))
#define folio_get_private(folio) ((folio)->private)
#define folio_change_private(folio, data)					\
	({									\
		void *old_private_ = (folio)->private;				\
										\
		(folio)->private = (data);					\
		old_private_;							\
	})

/* Attaches the owner's data. It holds a reference of the folio until it is detached. */
static inline void folio_attach_private(struct folio *folio, void *data)
{
	folio_get(folio);
	folio->private = data;
	folio_set_private(folio);
}

static inline void *folio_detach_private(struct folio *folio)
{
	void *data = folio_get_private(folio);

	if (!folio_test_private(folio))
		return NULL;
	folio_clear_private(folio);
	folio->private = NULL;
	folio_put(folio);
	return data;
}

#define attach_page_private(page, data) folio_attach_private(page_folio(page), data)
#define detach_page_private(page) folio_detach_private(page_folio(page))

static inline int page_to_nid(const struct page *page)
{
	return nr_node_ids == 1 ? 0 : usermm_page_nid(page);
}

#define page_zonenum(page) ((enum zone_type)usermm_page_zonenum(page))
#define page_zone(page) (&NODE_DATA(page_to_nid(page))->node_zones[page_zonenum(page)])
#define page_pgdat(page) NODE_DATA(page_to_nid(page))
#define folio_pgdat(folio) page_pgdat(&(folio)->page)
#define folio_zone(folio) page_zone(&(folio)->page)
#define pfn_to_nid(pfn) page_to_nid(pfn_to_page(pfn))
#define pfn_folio(pfn) page_folio(pfn_to_page(pfn))

/* Was the page allocated from the reserves below the watermarks? The free clears the flag. */
#define USERMM_PG_PFMEMALLOC (1UL << 5)
static inline bool page_is_pfmemalloc(const struct page *page)
{
	return READ_ONCE(USERMM_FLAGS_OF(page)) & USERMM_PG_PFMEMALLOC;
}

static inline void set_page_pfmemalloc(struct page *page)
{
	__atomic_or_fetch(&USERMM_FLAGS_OF(page), USERMM_PG_PFMEMALLOC, __ATOMIC_RELAXED);
}

static inline void clear_page_pfmemalloc(struct page *page)
{
	__atomic_and_fetch(&USERMM_FLAGS_OF(page), ~USERMM_PG_PFMEMALLOC, __ATOMIC_RELAXED);
}
#define folio_is_pfmemalloc(folio) page_is_pfmemalloc(&(folio)->page)
/* Nobody maps pages. */
#define folio_mapped(folio) ((void)(folio), false)
#define folio_mapcount(folio) ((void)(folio), 0)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define page_mapcount(page) ((void)(page), 0)
#else
USERMM_REMOVED(page_mapcount, "6.11", "folio_mapcount()")
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define page_mapped(page) ((void)(page), false)
#else
USERMM_REMOVED(page_mapped, "7.2", "folio_mapped()")
#endif

/* Describes the address, at the end of a log line that the caller has begun. */
void mem_dump_obj(void *object) USERMM_API(mem_dump_obj);

/* A zeroed page that everybody may read. */
struct page *usermm_zero_page(void) __attribute__((visibility("default")));
#define ZERO_PAGE(vaddr) ((void)(vaddr), usermm_zero_page())
#define is_zero_pfn(pfn) ((pfn) == page_to_pfn(usermm_zero_page()))
#define is_zero_page(page) ((page) == usermm_zero_page())

void si_meminfo(struct sysinfo *info) USERMM_API(si_meminfo);
/* About how many pages can be allocated without reclaim. */
long si_mem_available(void) USERMM_API(si_mem_available);
/* Pages that the zones of GFP_USER manage beyond their high watermarks. */
unsigned long nr_free_buffer_pages(void) USERMM_API(nr_free_buffer_pages);
/* setup_per_zone_wmarks() computes the watermarks of all zones from min_free_kbytes. */
extern int min_free_kbytes USERMM_API(min_free_kbytes);
void setup_per_zone_wmarks(void) USERMM_API(setup_per_zone_wmarks);
unsigned long usermm_totalram_pages(void) __attribute__((visibility("default")));
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 0, 0)
#define totalram_pages usermm_totalram_pages()
#else
#define totalram_pages() usermm_totalram_pages()
#endif
#define max_mapnr usermm_totalram_pages()

static inline bool want_init_on_alloc(gfp_t gfp)
{
	return IS_ENABLED(CONFIG_INIT_ON_ALLOC_DEFAULT_ON) || (gfp & __GFP_ZERO);
}

static inline bool want_init_on_free(void)
{
	return false;
}

#define page_poisoning_enabled() false
#define debug_pagealloc_enabled() false
#define debug_pagealloc_enabled_static() false
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define kernel_map_pages(page, nr, enable) ((void)(page))
#else
USERMM_REMOVED(kernel_map_pages, "5.11", "debug_pagealloc_map_pages()")
#endif
#define get_num_physpages() usermm_totalram_pages()

/* What an area is for. */
#define VM_NONE 0x00000000UL
#define VM_READ 0x00000001UL
#define VM_WRITE 0x00000002UL
#define VM_EXEC 0x00000004UL
#define VM_SHARED 0x00000008UL
#define VM_MAYREAD 0x00000010UL
#define VM_MAYWRITE 0x00000020UL
#define VM_MAYEXEC 0x00000040UL
#define VM_MAYSHARE 0x00000080UL
#define VM_GROWSDOWN 0x00000100UL
#define VM_PFNMAP 0x00000400UL
#define VM_LOCKED 0x00002000UL
#define VM_IO 0x00004000UL
#define VM_DONTCOPY 0x00020000UL
#define VM_DONTEXPAND 0x00040000UL
#define VM_ACCOUNT 0x00100000UL
#define VM_HUGETLB 0x00400000UL
#define VM_DONTDUMP 0x04000000UL
#define VM_MIXEDMAP 0x10000000UL
#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 7, 0)
#define VM_RESERVED 0x00080000UL
#endif

#define VM_FAULT_OOM 0x000001
#define VM_FAULT_SIGBUS 0x000002
#define VM_FAULT_MAJOR 0x000004
#define VM_FAULT_SIGSEGV 0x000040
#define VM_FAULT_NOPAGE 0x000100
#define VM_FAULT_LOCKED 0x000200
#define VM_FAULT_RETRY 0x000400
#define FAULT_FLAG_WRITE 0x01
#define FOLL_WRITE 0x01
#define FOLL_GET 0x02
#define FOLL_FORCE 0x10
#define FOLL_LONGTERM 0x100

struct vm_fault {
	struct vm_area_struct *vma;
	gfp_t gfp_mask;
	pgoff_t pgoff;
	unsigned long address, real_address;
	unsigned int flags;
	struct page *page, *cow_page;
};

struct vm_operations_struct {
	void (*open)(struct vm_area_struct *vma);
	void (*close)(struct vm_area_struct *vma);
	int (*mremap)(struct vm_area_struct *vma);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 11, 0)
	vm_fault_t (*fault)(struct vm_fault *fault);
	vm_fault_t (*page_mkwrite)(struct vm_fault *fault);
#else
	int (*fault)(struct vm_area_struct *vma, struct vm_fault *fault);
	int (*page_mkwrite)(struct vm_area_struct *vma, struct vm_fault *fault);
#endif
	int (*access)(struct vm_area_struct *vma, unsigned long address, void *buffer, int n,
		      int write);
	const char *(*name)(struct vm_area_struct *vma);
};

/* Goes through the areas of a task's memory. */
struct vma_iterator {
	struct mm_struct *mm;
	unsigned long next;		/* the first address that was not looked at */
};

USERMM_BEGIN_DECLS

/* The area with this address, or the first one behind it; NULL. It stays until the run ends. */
struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long address)
	USERMM_API(find_vma);
struct vm_area_struct *vma_next(struct vma_iterator *iterator) USERMM_API(vma_next);
struct mm_struct *get_task_mm(struct task_struct *task) USERMM_API(get_task_mm);

USERMM_END_DECLS

#define VMA_ITERATOR(name, mm_ptr, address) \
	struct vma_iterator name = { .mm = (mm_ptr), .next = (address) }
#define for_each_vma(iterator, vma) while (((vma) = vma_next(&(iterator))) != NULL)
#define vma_iter_init(iterator, mm_ptr, address) \
	((void)(*(iterator) = (struct vma_iterator){ (mm_ptr), (address) }))
#define vma_lookup(mm, address)						\
	({								\
		struct vm_area_struct *found_ = find_vma(mm, address);	\
									\
		found_ && found_->vm_start <= (address) ? found_ : NULL;	\
	})
#define mmput(mm) ((void)(mm))
#define mmget(mm) ((void)(mm))
#define mmgrab(mm) ((void)(mm))
#define mmdrop(mm) ((void)(mm))
#define mmget_not_zero(mm) ((void)(mm), true)
#define vma_pages(vma) (((vma)->vm_end - (vma)->vm_start) >> PAGE_SHIFT)
#define vma_is_anonymous(vma) (!(vma)->vm_ops)
#define vma_set_page_prot(vma) ((void)(vma))
#define USERMM_VMA_FLAGS(vma) (*(vm_flags_t *)&(vma)->vm_flags)
#define vm_flags_set(vma, flags) ((void)(USERMM_VMA_FLAGS(vma) |= (flags)))
#define vm_flags_clear(vma, flags) ((void)(USERMM_VMA_FLAGS(vma) &= ~(flags)))
#define vm_flags_init(vma, flags) ((void)(USERMM_VMA_FLAGS(vma) = (flags)))
#define vm_flags_reset(vma, flags) vm_flags_init(vma, flags)
#define vm_flags_mod(vma, set, clear) \
	((void)(USERMM_VMA_FLAGS(vma) = (USERMM_VMA_FLAGS(vma) | (set)) & ~(clear)))
#define vm_get_page_prot(flags) ((pgprot_t){ (flags) & 0xf })

USERMM_BEGIN_DECLS

/*
 * Put pages into an area that a program maps, in the mmap() of the module's file or in the area's
 * fault(). 0; -EINVAL for a number of no page, and for an area of this process; -EFAULT for an
 * address outside; -EBUSY where there is a page. vm_insert_page() and its like take a reference to
 * the page, and the area gives it back; memory that remap_pfn_range() is given stays the module's.
 */
int remap_pfn_range(struct vm_area_struct *vma, unsigned long address, unsigned long pfn,
		    unsigned long n, pgprot_t protection) USERMM_API(remap_pfn_range);
int vm_iomap_memory(struct vm_area_struct *vma, phys_addr_t start, unsigned long n)
	USERMM_API(vm_iomap_memory);
int vm_insert_page(struct vm_area_struct *vma, unsigned long address, struct page *page)
	USERMM_API(vm_insert_page);
/* *nr is what is left. */
int vm_insert_pages(struct vm_area_struct *vma, unsigned long address, struct page **pages,
		    unsigned long *nr) USERMM_API(vm_insert_pages);
/* The pages from vm_pgoff on, or from the first one. -ENXIO: too few. */
int vm_map_pages(struct vm_area_struct *vma, struct page **pages, unsigned long nr)
	USERMM_API(vm_map_pages);
int vm_map_pages_zero(struct vm_area_struct *vma, struct page **pages, unsigned long nr)
	USERMM_API(vm_map_pages_zero);
vm_fault_t vmf_insert_pfn(struct vm_area_struct *vma, unsigned long address, unsigned long pfn)
	USERMM_API(vmf_insert_pfn);
vm_fault_t vmf_insert_page(struct vm_area_struct *vma, unsigned long address, struct page *page)
	USERMM_API(vmf_insert_page);
/* Memory of vmalloc_user() and its like, from the page `offset` on. */
int remap_vmalloc_range(struct vm_area_struct *vma, void *address, unsigned long offset)
	USERMM_API(remap_vmalloc_range);

USERMM_END_DECLS

#define io_remap_pfn_range(vma, address, pfn, n, protection) \
	remap_pfn_range(vma, address, pfn, n, protection)

/* Pages of a program are memory of another process: none can be had. */
static inline long usermm_no_user_pages(struct page **pages)
{
	(void)pages;
	return -EFAULT;
}

#define get_user_pages(start, n, flags, pages, ...) \
	((void)(start), (void)(n), (void)(flags), usermm_no_user_pages(pages))
#define get_user_pages_fast(start, n, flags, pages) \
	((int)get_user_pages(start, n, flags, pages))
#define get_user_pages_unlocked(start, n, pages, flags) get_user_pages(start, n, flags, pages)
#define get_user_pages_remote(mm, start, n, flags, pages, ...) \
	((void)(mm), get_user_pages(start, n, flags, pages))
#define pin_user_pages(start, n, flags, pages, ...) get_user_pages(start, n, flags, pages)
#define pin_user_pages_fast(start, n, flags, pages) get_user_pages_fast(start, n, flags, pages)
#define unpin_user_pages(pages, n) ((void)(pages), (void)(n))
#define access_process_vm(task, address, buffer, n, flags) \
	((void)(task), (void)(address), (void)(buffer), (void)(n), (void)(flags), 0)
#define set_page_dirty(page) ((void)(page), 0)
#define set_page_dirty_lock(page) ((void)(page), 0)
#define get_mm_rss(mm) ((void)(mm), 0UL)
#define get_mm_counter(mm, member) ((void)(mm), (void)(member), 0UL)
#define MM_FILEPAGES 0
#define MM_ANONPAGES 1
#define MM_SWAPENTS 2
#define MM_SHMEMPAGES 3
#define get_task_exe_file(task) ((void)(task), (struct file *)NULL)
#define get_mm_exe_file(mm) ((void)(mm), (struct file *)NULL)

#endif
