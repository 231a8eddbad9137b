// SPDX-License-Identifier: MIT
/*
 * Pages that a module puts into an area that a program maps: see linux/mm.h. The area has a table
 * of its pages, which ../files/mmap.c shows to the program. cf. Linux mm/memory.c.
 */
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "mapped.h"

/* Whether the area has a reference to the page, as of vm_insert_page(). */
#define HAS_REFERENCE 1UL

static int insert(struct vm_area_struct *vma, unsigned long address, struct page *page,
		  unsigned long flags)
{
	struct page **slot;

	if (!vma->usermm_pages)
		return -EINVAL;
	if (address < vma->vm_start || address >= vma->vm_end)
		return -EFAULT;
	slot = &vma->usermm_pages[(address - vma->vm_start) >> PAGE_SHIFT];
	if (*slot)
		return -EBUSY;
	*slot = (struct page *)((unsigned long)page | flags);
	return 0;
}

struct page *usermm_mapped_page(const struct vm_area_struct *vma, unsigned long index)
{
	return (struct page *)((unsigned long)vma->usermm_pages[index] & ~HAS_REFERENCE);
}

int usermm_map_page(struct vm_area_struct *vma, unsigned long index, struct page *page)
{
	return insert(vma, vma->vm_start + (index << PAGE_SHIFT), page, HAS_REFERENCE);
}

void usermm_unmap_pages(struct vm_area_struct *vma)
{
	for (unsigned long i = 0; i < vma_pages(vma); i++)
		if ((unsigned long)vma->usermm_pages[i] & HAS_REFERENCE)
			put_page(usermm_mapped_page(vma, i));
}

int remap_pfn_range(struct vm_area_struct *vma, unsigned long address, unsigned long pfn,
		    unsigned long n, pgprot_t protection)
{
	unsigned long nr = PAGE_ALIGN(n) >> PAGE_SHIFT;
	int error = address & ~PAGE_MASK ? -EINVAL : 0;

	(void)protection;
	for (unsigned long i = 0; i < nr && !error; i++)
		error = pfn_valid(pfn + i) ? insert(vma, address + (i << PAGE_SHIFT),
						    pfn_to_page(pfn + i), 0) : -EINVAL;
	if (!error)
		vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	return error;
}

int vm_iomap_memory(struct vm_area_struct *vma, phys_addr_t start, unsigned long n)
{
	unsigned long nr = PAGE_ALIGN(n + (start & ~PAGE_MASK)) >> PAGE_SHIFT;

	if (vma->vm_pgoff > nr || vma_pages(vma) > nr - vma->vm_pgoff)
		return -EINVAL;
	return remap_pfn_range(vma, vma->vm_start, (start >> PAGE_SHIFT) + vma->vm_pgoff,
			       vma->vm_end - vma->vm_start, vma->vm_page_prot);
}

int vm_insert_page(struct vm_area_struct *vma, unsigned long address, struct page *page)
{
	int error;

	if (!page_count(page))
		return -EINVAL;
	error = insert(vma, address, page, HAS_REFERENCE);
	if (!error)
		get_page(page);
	return error;
}

int vm_insert_pages(struct vm_area_struct *vma, unsigned long address, struct page **pages,
		    unsigned long *nr)
{
	int error = 0;

	for (unsigned long i = 0, n = *nr; i < n && !error; i++) {
		error = vm_insert_page(vma, address + (i << PAGE_SHIFT), pages[i]);
		*nr -= !error;
	}
	return error;
}

static int map_pages(struct vm_area_struct *vma, struct page **pages, unsigned long nr,
		     unsigned long from)
{
	int error = 0;

	if (from >= nr || vma_pages(vma) > nr - from)
		return -ENXIO;
	for (unsigned long i = 0; i < vma_pages(vma) && !error; i++)
		error = vm_insert_page(vma, vma->vm_start + (i << PAGE_SHIFT), pages[from + i]);
	return error;
}

int vm_map_pages(struct vm_area_struct *vma, struct page **pages, unsigned long nr)
{
	return map_pages(vma, pages, nr, vma->vm_pgoff);
}

int vm_map_pages_zero(struct vm_area_struct *vma, struct page **pages, unsigned long nr)
{
	return map_pages(vma, pages, nr, 0);
}

vm_fault_t vmf_insert_pfn(struct vm_area_struct *vma, unsigned long address, unsigned long pfn)
{
	int error = pfn_valid(pfn) ? insert(vma, address, pfn_to_page(pfn), 0) : -EINVAL;

	return error && error != -EBUSY ? VM_FAULT_SIGBUS : VM_FAULT_NOPAGE;
}

vm_fault_t vmf_insert_page(struct vm_area_struct *vma, unsigned long address, struct page *page)
{
	int error = vm_insert_page(vma, address, page);

	return error && error != -EBUSY ? VM_FAULT_SIGBUS : VM_FAULT_NOPAGE;
}

int remap_vmalloc_range(struct vm_area_struct *vma, void *address, unsigned long offset)
{
	int error = (unsigned long)address & ~PAGE_MASK ? -EINVAL : 0;

	for (unsigned long i = 0; i < vma_pages(vma) && !error; i++) {
		const char *at = (char *)address + ((offset + i) << PAGE_SHIFT);
		struct page *page = is_vmalloc_addr(at) ? vmalloc_to_page(at) : NULL;

		error = page ? vm_insert_page(vma, vma->vm_start + (i << PAGE_SHIFT), page) :
			-EINVAL;
	}
	if (!error)
		vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	return error;
}
