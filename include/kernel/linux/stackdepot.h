/* SPDX-License-Identifier: MIT */
/* No stacks are stored: all handles are 0. */
#ifndef _LINUX_STACKDEPOT_H
#define _LINUX_STACKDEPOT_H

#include <linux/gfp.h>
#include <linux/memory_hotplug.h>
#include <linux/page-flags-layout.h>

typedef u32 depot_stack_handle_t;
#define stack_depot_init() 0
#define stack_depot_save(entries, nr, gfp) \
	((void)(entries), (void)(nr), (void)(gfp), (depot_stack_handle_t)0)
#define stack_depot_fetch(handle, entries) ((void)(handle), *(entries) = NULL, 0U)
#define stack_depot_print(handle) ((void)(handle))

#endif
