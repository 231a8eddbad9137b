/* SPDX-License-Identifier: MIT */
/* Sizes and entry types of x86-64's page tables. There are no tables to walk. */
#ifndef _LINUX_PGTABLE_H
#define _LINUX_PGTABLE_H

#include <asm/msr.h>
#include <asm/page.h>
#include <linux/mm_types.h>
#include <linux/page-flags-layout.h>
#include <linux/time64.h>
#include <linux/workqueue_types.h>

#define PMD_SHIFT 21
#define PUD_SHIFT 30
#define P4D_SHIFT 39
#define PGDIR_SHIFT 39
#define PMD_SIZE (1UL << PMD_SHIFT)
#define PUD_SIZE (1UL << PUD_SHIFT)
#define PGDIR_SIZE (1UL << PGDIR_SHIFT)
#define PMD_MASK (~(PMD_SIZE - 1))
#define PUD_MASK (~(PUD_SIZE - 1))
#define PTRS_PER_PTE 512
#define PTRS_PER_PMD 512
#define PTRS_PER_PUD 512
#define PTRS_PER_PGD 512
#define HPAGE_PMD_ORDER (PMD_SHIFT - PAGE_SHIFT)

typedef struct { unsigned long pte; } pte_t;
typedef struct { unsigned long pmd; } pmd_t;
typedef struct { unsigned long pud; } pud_t;
typedef struct { unsigned long p4d; } p4d_t;

#define pte_val(x) ((x).pte)
#define pmd_val(x) ((x).pmd)
#define pud_val(x) ((x).pud)
#define pgd_val(x) ((x).pgd)
#define __pte(x) ((pte_t){ (x) })
#define __pmd(x) ((pmd_t){ (x) })
#define __pud(x) ((pud_t){ (x) })
#define __pgd(x) ((pgd_t){ (x) })
#define __pgprot(x) ((pgprot_t){ (x) })
#define pgprot_val(x) ((x).pgprot)
#define PAGE_KERNEL __pgprot(3)
#define PAGE_KERNEL_EXEC __pgprot(7)
#define PAGE_KERNEL_RO __pgprot(1)
#define PAGE_SHARED __pgprot(7)
#define PAGE_READONLY __pgprot(5)
#define p4d_val(x) ((x).p4d)
#define __p4d(x) ((p4d_t){ (x) })
#define pgprot_noncached(protection) (protection)
#define pgprot_writecombine(protection) (protection)
#define pgprot_device(protection) (protection)
#define pgprot_dmacoherent(protection) (protection)

/* A walk finds the first level empty. */
#define USERMM_NO_ENTRY(level, upper)						\
	static inline level##_t *level##_offset(upper##_t *entry, unsigned long address) \
	{									\
		static level##_t empty;						\
										\
		(void)entry;							\
		(void)address;							\
		return &empty;							\
	}									\
	USERMM_NO_LEVEL(level)
#define USERMM_NO_LEVEL(level)							\
	static inline int level##_none(level##_t entry)				\
	{									\
		return !level##_val(entry);					\
	}									\
	static inline int level##_bad(level##_t entry)				\
	{									\
		return !level##_val(entry);					\
	}									\
	static inline int level##_present(level##_t entry)			\
	{									\
		return level##_val(entry) != 0;					\
	}
USERMM_NO_LEVEL(pgd)
USERMM_NO_ENTRY(p4d, pgd)
USERMM_NO_ENTRY(pud, p4d)
USERMM_NO_ENTRY(pmd, pud)

static inline pgd_t *pgd_offset(struct mm_struct *mm, unsigned long address)
{
	static pgd_t empty;

	(void)mm;
	(void)address;
	return &empty;
}

static inline pte_t *pte_offset_kernel(pmd_t *entry, unsigned long address)
{
	static pte_t empty;

	(void)entry;
	(void)address;
	return &empty;
}

#define pgd_offset_k(address) pgd_offset(&init_mm, address)
#define pte_offset_map(entry, address) pte_offset_kernel(entry, address)
#define pte_unmap(entry) ((void)(entry))
#define pte_none(entry) (!pte_val(entry))
#define pte_present(entry) (pte_val(entry) != 0)
#define pte_write(entry) ((void)(entry), 0)
#define pte_young(entry) ((void)(entry), 0)
#define pte_dirty(entry) ((void)(entry), 0)
#define pte_mkold(entry) (entry)
#define pte_pfn(entry) (pte_val(entry) >> PAGE_SHIFT)
#define pte_page(entry) pfn_to_page(pte_pfn(entry))
#define pte_flags(entry) (pte_val(entry) & ~PAGE_MASK)
#define pmd_large(entry) ((void)(entry), 0)
#define pud_large(entry) ((void)(entry), 0)
#define pmd_leaf(entry) ((void)(entry), 0)
#define pud_leaf(entry) ((void)(entry), 0)
#define pmd_pfn(entry) (pmd_val(entry) >> PAGE_SHIFT)
#define pgd_index(address) ((address) >> PGDIR_SHIFT & (PTRS_PER_PGD - 1))
#define pud_index(address) ((address) >> PUD_SHIFT & (PTRS_PER_PUD - 1))
#define pmd_index(address) ((address) >> PMD_SHIFT & (PTRS_PER_PMD - 1))
#define pte_index(address) ((address) >> PAGE_SHIFT & (PTRS_PER_PTE - 1))
#define pgtable_l5_enabled() false

#endif
