/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_HUGE_MM_H
#define KERNEL_LINUX_HUGE_MM_H

#include <linux/hugetlb.h>
#include <linux/pgtable.h>

#define HPAGE_PMD_SHIFT PMD_SHIFT
#ifndef HPAGE_PMD_NR
#define HPAGE_PMD_NR (1 << HPAGE_PMD_ORDER)
#endif
#ifndef HPAGE_PMD_SIZE
#define HPAGE_PMD_SIZE HPAGE_SIZE
#endif

#endif
