/* SPDX-License-Identifier: MIT */
/* Shrinkers: usermm/shrinker.h, and the names of older versions. */
#ifndef _LINUX_SHRINKER_H
#define _LINUX_SHRINKER_H

#include <asm/spinlock.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/rwlock.h>
#include <linux/types.h>
#include <linux/version.h>
#include <usermm/shrinker.h>

/* Up to Linux 6.6 the caller registered its own structure; since 6.0 with a name. */
#define register_shrinker(shrinker, ...) usermm_register_shrinker(shrinker)

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#undef register_shrinker
USERMM_REMOVED(register_shrinker, "6.7", "shrinker_alloc() and shrinker_register()")
#define unregister_shrinker usermm_removed_unregister_shrinker
USERMM_REMOVED(unregister_shrinker, "6.7", "shrinker_free()")
#endif

#endif
