/* SPDX-License-Identifier: MIT */
/* Sorts in place, in O(n log n). Equal elements end up in any order. swap may be NULL. */
#ifndef KERNEL_LINUX_SORT_H
#define KERNEL_LINUX_SORT_H

#include <linux/types.h>
#include <usermm/compiler.h>

USERMM_BEGIN_DECLS

void sort(void *base, size_t n, size_t size, cmp_func_t compare, swap_func_t swap_elements)
	USERMM_API(sort);
void sort_r(void *base, size_t n, size_t size, cmp_r_func_t compare,
	    swap_r_func_t swap_elements, const void *priv) USERMM_API(sort_r);

USERMM_END_DECLS

#endif
