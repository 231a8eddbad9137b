// SPDX-License-Identifier: MIT
/*
 * The linker takes this object from libusermm_kernel.a if the program calls one of these functions.
 * usermm_views_wanted then tells runner/views.c that the program needs views: pages mapped at a
 * second address (../memory/views.h). The functions are weak, since the program may define one of
 * them itself.
 */
#include <linux/vmalloc.h>

#include "memory/views.h"

const char usermm_views_wanted;

/* The names that kernel_names.cmake gives the library's functions. */
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
