/* SPDX-License-Identifier: MIT */
/* Sizes and entry types of x86-64's page tables. There are no tables to walk. */
#ifndef _LINUX_PGTABLE_H
#define _LINUX_PGTABLE_H

#include <asm/msr.h>
#include <asm/page.h>
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
typedef struct { unsigned long pgd; } pgd_t;
typedef struct { unsigned long pgprot; } pgprot_t;

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

#endif
