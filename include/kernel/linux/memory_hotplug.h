/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_MEMORY_HOTPLUG_H
#define _LINUX_MEMORY_HOTPLUG_H

#include <linux/list_nulls.h>
#include <linux/local_lock.h>
#include <linux/mm.h>

#define pfn_to_online_page(pfn) (pfn_valid(pfn) ? pfn_to_page(pfn) : NULL)
#define get_online_mems() do { } while (0)
#define put_online_mems() do { } while (0)

#endif
