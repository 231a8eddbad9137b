/* SPDX-License-Identifier: MIT */
/* As without CONFIG_DEBUG_KMEMLEAK: no effect. The module runner reports leaks by itself. */
#ifndef _LINUX_KMEMLEAK_H
#define _LINUX_KMEMLEAK_H

#include <asm/msr.h>
#include <linux/hash.h>
#include <linux/list_nulls.h>
#include <linux/nodemask.h>
#include <linux/percpu-refcount.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>

#define kmemleak_alloc(ptr, size, min_count, gfp) ((void)(ptr))
#define kmemleak_free(ptr) ((void)(ptr))
#define kmemleak_not_leak(ptr) ((void)(ptr))
#define kmemleak_ignore(ptr) ((void)(ptr))
#define kmemleak_no_scan(ptr) ((void)(ptr))
#define kmemleak_update_trace(ptr) ((void)(ptr))
#define kmemleak_scan_area(ptr, size, gfp) ((void)(ptr))

#endif
