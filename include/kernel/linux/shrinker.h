/* SPDX-License-Identifier: MIT */
/* Caches that can give memory back: usermm/shrinker.h, and what older versions call it. */
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

/* To 6.6 the caller's own structure was registered; a name came in 6.0. */
#define register_shrinker(shrinker, ...) usermm_register_shrinker(shrinker)

#endif
