/* SPDX-License-Identifier: MIT */
/*
 * Scopes that limit or extend what a task's allocations may do: usermm/reclaim.h. They are also
 * flags in current->flags, and setting those flags has the same effect.
 */
#ifndef KERNEL_LINUX_SCHED_MM_H
#define KERNEL_LINUX_SCHED_MM_H

#include <linux/page-flags-layout.h>
#include <linux/sched.h>
#include <usermm/reclaim.h>

#define memalloc_flags_save(set) ({ unsigned int saved_ = ~current->flags & (set); \
				    current->flags |= (set); saved_; })
#define memalloc_flags_restore(set) ((void)(current->flags &= ~(set)))

#define fs_reclaim_acquire(gfp) ((void)(gfp))
#define fs_reclaim_release(gfp) ((void)(gfp))

/* Reports a request that may wait in code that must not. */
static inline void might_alloc(gfp_t gfp)
{
	might_sleep_if(gfp & __GFP_DIRECT_RECLAIM);
}

#endif
