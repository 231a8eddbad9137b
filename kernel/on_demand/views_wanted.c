// SPDX-License-Identifier: MIT
/*
 * A program that is linked with libusermm_kernel.a gets this if it calls one of these
 * functions, and then wants pages at further addresses: see runner/views.c. Weak, since it may
 * have another one of them itself.
 */
#include <linux/vmalloc.h>

#include "views.h"

const char usermm_views_wanted;

/* As kernel_names.cmake calls them. */
void *real_vmap(struct page **pages, unsigned int count, unsigned long flags, pgprot_t prot)
	__asm__("usermm.usermm_vmap");
void *real_vm_map_ram(struct page **pages, unsigned int count, int node)
	__asm__("usermm.usermm_vm_map_ram");
struct page *real_vmalloc_to_page(const void *address) __asm__("usermm.usermm_vmalloc_to_page");

__weak void *vmap(struct page **pages, unsigned int count, unsigned long flags, pgprot_t prot)
{
	return real_vmap(pages, count, flags, prot);
}

__weak void *vm_map_ram(struct page **pages, unsigned int count, int node)
{
	return real_vm_map_ram(pages, count, node);
}

__weak struct page *vmalloc_to_page(const void *address)
{
	return real_vmalloc_to_page(address);
}
