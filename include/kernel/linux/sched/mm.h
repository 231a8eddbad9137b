/* SPDX-License-Identifier: MIT */
/*
 * Scopes in which a task's allocations may do less, or more, than their flags say:
 * usermm/reclaim.h. They are in current->flags as well, and heeded there.
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

/* Says so where a request that may wait comes from code that may not. */
static inline void might_alloc(gfp_t gfp)
{
	might_sleep_if(gfp & __GFP_DIRECT_RECLAIM);
}

#endif
