/* SPDX-License-Identifier: MIT */
/* The table of pages of an area that a program maps (mapped.c). */
#ifndef KERNEL_MAPPED_H
#define KERNEL_MAPPED_H

struct page;
struct vm_area_struct;

/* NULL: the module put none there. */
struct page *usermm_mapped_page(const struct vm_area_struct *vma, unsigned long index);
/* Puts a page there whose reference is the area's. 0, or -EBUSY if there is one. */
int usermm_map_page(struct vm_area_struct *vma, unsigned long index, struct page *page);
/* Gives the area's references back. */
void usermm_unmap_pages(struct vm_area_struct *vma);

#endif
