/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_HUGETLB_H
#define KERNEL_LINUX_HUGETLB_H

#include <linux/mm.h>

#ifndef HPAGE_SIZE
#define HPAGE_SHIFT 21
#define HPAGE_SIZE (1UL << HPAGE_SHIFT)
#define HPAGE_MASK (~(HPAGE_SIZE - 1))
#define HUGETLB_PAGE_ORDER (HPAGE_SHIFT - PAGE_SHIFT)
#endif

#endif
