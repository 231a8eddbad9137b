// SPDX-License-Identifier: MIT
/*
 * mmap() of a module's file. The module's mmap() puts pages into an area (memory/mapped.c). All
 * pages are memory of one file (memory/views.h), which the program gets a descriptor of, and maps
 * the pages where its area is. Pages that the module's fault() provides are asked for at once, not
 * when the program first touches them; where it has none, the program gets SIGBUS, as in Linux.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>

#include "base/linux_version.h"
#include "memory/mapped.h"
#include "memory/views.h"
#include "module/security.h"
#include "files.h"
#include "serve_call.h"

struct area {
	struct vm_area_struct vma;	/* its table of pages is libc's */
	struct area *next;
	long number;
};

static DEFINE_MUTEX(lock);
static struct area *areas;	/* Sync: lock */
static long nr_areas;		/* ever. Sync: lock */

static vm_flags_t flags_of(const struct file *file, int protection, int flags)
{
	vm_flags_t result = (protection & PROT_READ ? VM_READ : 0) |
			    (protection & PROT_WRITE ? VM_WRITE : 0) |
			    (protection & PROT_EXEC ? VM_EXEC : 0) |
			    VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC;

	if ((flags & MAP_TYPE) == MAP_PRIVATE)
		return result;
	return file->f_mode & FMODE_WRITE ? result | VM_SHARED | VM_MAYSHARE :
					    (result & ~VM_MAYWRITE) | VM_MAYSHARE;
}

static struct area *make_area(struct served *call, struct file *file)
{
	const int64_t *arguments = call->wire.arguments;
	unsigned long length = PAGE_ALIGN((unsigned long)arguments[1]);
	struct area *area = calloc(1, sizeof(*area));

	if (!area)
		return NULL;
	area->vma.usermm_pages = calloc(length >> PAGE_SHIFT, sizeof(struct page *));
	if (!area->vma.usermm_pages) {
		free(area);
		return NULL;
	}
	area->vma.vm_start = (unsigned long)arguments[0];
	area->vma.vm_end = area->vma.vm_start + length;
	area->vma.vm_mm = current->mm;
	area->vma.vm_file = file;
	area->vma.vm_pgoff = (unsigned long)arguments[3] >> PAGE_SHIFT;
	vm_flags_init(&area->vma, flags_of(file, served_protection(call), served_flags(call)));
	area->vma.vm_page_prot = vm_get_page_prot(area->vma.vm_flags);
	return area;
}

static void free_area(struct area *area)
{
	usermm_unmap_pages(&area->vma);
	free(area->vma.usermm_pages);
	free(area);
}

/* What the module's fault() says; up to Linux 4.10 it has another form. */
static vm_fault_t ask_fault(struct vm_fault *fault)
{
	const struct vm_operations_struct *operations = fault->vma->vm_ops;

	if (linux_since(4, 11))
		return operations->fault(fault);
	return ((vm_fault_t (*)(struct vm_area_struct *, struct vm_fault *))(void *)
		operations->fault)(fault->vma, fault);
}

static void fill_by_faults(struct vm_area_struct *vma)
{
	const vm_fault_t failed = VM_FAULT_OOM | VM_FAULT_SIGBUS | VM_FAULT_SIGSEGV |
				  VM_FAULT_RETRY;

	for (unsigned long i = 0; i < vma_pages(vma); i++) {
		unsigned long address = vma->vm_start + (i << PAGE_SHIFT);
		struct vm_fault fault = {
			.vma = vma, .gfp_mask = GFP_HIGHUSER, .pgoff = vma->vm_pgoff + i,
			.address = address, .real_address = address,
			.flags = vma->vm_flags & VM_WRITE ? FAULT_FLAG_WRITE : 0,
		};
		vm_fault_t result;

		if (usermm_mapped_page(vma, i))
			continue;
		result = ask_fault(&fault);
		if (result & (failed | VM_FAULT_NOPAGE) || !fault.page)
			continue;
		if (result & VM_FAULT_LOCKED)
			unlock_page(fault.page);
		if (usermm_map_page(vma, i, fault.page))
			put_page(fault.page);
	}
}

/* Each run of pages that follow one another in memory is one message. 0 or -errno. */
static long show_pages(struct served *call, const struct vm_area_struct *vma)
{
	unsigned long nr = vma_pages(vma), run;

	for (unsigned long i = 0; i < nr; i += run) {
		struct page *first = usermm_mapped_page(vma, i);
		long error;

		for (run = 1; first && i + run < nr && run < 1UL << 18 &&
		     usermm_mapped_page(vma, i + run) == first + run; run++)
			;
		if (!first)
			continue;
		error = served_show(call, vma->vm_start + (i << PAGE_SHIFT), run << PAGE_SHIFT,
				    page_to_pfn(first) << PAGE_SHIFT);
		if (error)
			return error;
	}
	return 0;
}

static long check(const struct served *call, struct file *file)
{
	unsigned long protection = (unsigned long)served_protection(call);
	bool writes = protection & PROT_WRITE &&
		      (served_flags(call) & MAP_TYPE) != MAP_PRIVATE;

	if (!file->f_op->mmap)
		return -ENODEV;
	if (!(file->f_mode & FMODE_READ) || (writes && !(file->f_mode & FMODE_WRITE)))
		return -EACCES;
	if (!views_are_possible())
		return -ENODEV;
	return security_mmap_file(file, protection, protection,
				  (unsigned long)served_flags(call));
}

long file_map(struct served *call, struct file *file)
{
	long error = check(call, file);
	struct area *area;

	if (error)
		return error;
	area = make_area(call, file);
	if (!area)
		return -ENOMEM;
	if (operation_begin(file, &error)) {
		error = file->f_op->mmap(file, &area->vma);
		if (!error && area->vma.vm_ops && area->vma.vm_ops->fault)
			fill_by_faults(&area->vma);
		operation_end(file);
	}
	if (error) {
		free_area(area);
		return error;
	}
	mutex_lock(&lock);
	area->number = ++nr_areas;
	area->next = areas;
	areas = area;
	mutex_unlock(&lock);
	error = show_pages(call, &area->vma);
	if (!error)
		return area->number;
	file_unmap(file, area->number);
	return error;
}

static void end_area(struct area *area)
{
	if (area->vma.vm_ops && area->vma.vm_ops->close)
		area->vma.vm_ops->close(&area->vma);
	free_area(area);
}

/* Takes one out of the list: the file's area of this number, or, with 0, any of the file. */
static struct area *take(const struct file *file, long number)
{
	struct area **link, *area;

	mutex_lock(&lock);
	for (link = &areas; *link; link = &(*link)->next)
		if ((*link)->vma.vm_file == file && (!number || (*link)->number == number))
			break;
	area = *link;
	if (area)
		*link = area->next;
	mutex_unlock(&lock);
	return area;
}

long file_unmap(struct file *file, long number)
{
	struct area *area = number > 0 ? take(file, number) : NULL;

	if (!area)
		return -EINVAL;
	end_area(area);
	return 0;
}

void file_unmap_all(struct file *file)
{
	struct area *area;

	while ((area = take(file, 0)) != NULL)
		end_area(area);
}
