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

#endif
