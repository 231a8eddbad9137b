/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_HUGE_MM_H
#define KERNEL_LINUX_HUGE_MM_H

#include <linux/hugetlb.h>

#define HPAGE_PMD_SHIFT HPAGE_SHIFT
#define HPAGE_PMD_ORDER (HPAGE_PMD_SHIFT - PAGE_SHIFT)
#define HPAGE_PMD_NR (1 << HPAGE_PMD_ORDER)
#define HPAGE_PMD_SIZE HPAGE_SIZE

#endif
