/* SPDX-License-Identifier: MIT */
/* A stable sort: equal entries keep their order. */
#ifndef KERNEL_LINUX_LIST_SORT_H
#define KERNEL_LINUX_LIST_SORT_H

#include <linux/list.h>
#include <usermm/compiler.h>

typedef int (*list_cmp_func_t)(void *priv, const struct list_head *a, const struct list_head *b);

/* compare() > 0 means that a belongs behind b. */
void list_sort(void *priv, struct list_head *head, list_cmp_func_t compare)
	USERMM_API(list_sort);

#endif
