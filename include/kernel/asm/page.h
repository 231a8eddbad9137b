/* SPDX-License-Identifier: MIT */
#ifndef _ASM_PAGE_H
#define _ASM_PAGE_H

#include <linux/log2.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/typecheck.h>
#include <linux/types.h>
#include <usermm/page.h>

/* As in the kernel, addr may be a number or a pointer. */
#define virt_to_page(addr) (virt_to_page)((const void *)(addr))
#define virt_to_head_page(addr) (virt_to_head_page)((const void *)(addr))
#define virt_addr_valid(addr) (virt_addr_valid)((const void *)(addr))
#define virt_to_pfn(addr) page_to_pfn(virt_to_page(addr))
#define pfn_to_virt(pfn) page_address(pfn_to_page(pfn))
#define page_to_virt(page) page_address(page)

#define __pa(addr) ((unsigned long)(addr) - usermm_memmap.base)
#define __va(phys) ((void *)((unsigned long)(phys) + usermm_memmap.base))
#define virt_to_phys(addr) ((phys_addr_t)__pa(addr))
#define phys_to_virt(phys) __va(phys)
#define page_to_phys(page) ((phys_addr_t)page_to_pfn(page) << PAGE_SHIFT)
#define phys_to_page(phys) pfn_to_page((phys) >> PAGE_SHIFT)
#define phys_to_pfn(phys) ((unsigned long)((phys) >> PAGE_SHIFT))
#define PFN_ALIGN(x) (((unsigned long)(x) + PAGE_SIZE - 1) & PAGE_MASK)
#define PFN_UP(x) (((x) + PAGE_SIZE - 1) >> PAGE_SHIFT)
#define PFN_DOWN(x) ((x) >> PAGE_SHIFT)
#define PFN_PHYS(x) ((phys_addr_t)(x) << PAGE_SHIFT)
#define PHYS_PFN(x) ((unsigned long)((x) >> PAGE_SHIFT))
#define pfn_valid(pfn) virt_addr_valid(page_address(pfn_to_page(pfn)))
#define PAGE_ALIGN(addr) (((addr) + PAGE_SIZE - 1) & PAGE_MASK)
#define PAGE_ALIGN_DOWN(addr) ((addr) & PAGE_MASK)
#define offset_in_page(p) ((unsigned long)(p) & ~PAGE_MASK)

#define clear_page(page) ((void)__builtin_memset(page, 0, PAGE_SIZE))
#define copy_page(to, from) ((void)__builtin_memcpy(to, from, PAGE_SIZE))

#endif
