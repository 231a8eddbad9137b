/* SPDX-License-Identifier: MIT */
/* Scopes in which a task's allocations may do less, or more, than their flags say. */
#ifndef KERNEL_LINUX_SCHED_MM_H
#define KERNEL_LINUX_SCHED_MM_H

#include <linux/sched.h>
#include <usermm/gfp.h>

#define MEMALLOC_SCOPE(name, flag)					\
	static inline unsigned int memalloc_##name##_save(void)		\
	{								\
		struct task_struct *task = current;			\
		unsigned int old = task->flags & (flag);		\
									\
		task->flags |= (flag);					\
		return old;						\
	}								\
	static inline void memalloc_##name##_restore(unsigned int old)	\
	{								\
		struct task_struct *task = current;			\
									\
		task->flags = (task->flags & ~(unsigned int)(flag)) | old; \
	}
MEMALLOC_SCOPE(noio, PF_MEMALLOC_NOIO)
MEMALLOC_SCOPE(nofs, PF_MEMALLOC_NOFS)
MEMALLOC_SCOPE(noreclaim, PF_MEMALLOC)
MEMALLOC_SCOPE(pin, PF_MEMALLOC_PIN)
#undef MEMALLOC_SCOPE

#define memalloc_flags_save(set) ({ unsigned int saved_ = ~current->flags & (set); \
				    current->flags |= (set); saved_; })
#define memalloc_flags_restore(set) ((void)(current->flags &= ~(set)))

/* What a request with these flags may do in the task's scopes. */
static inline gfp_t current_gfp_context(gfp_t gfp)
{
	unsigned int flags = current->flags;

	if (flags & PF_MEMALLOC_NOIO)
		gfp &= ~(__GFP_IO | __GFP_FS);
	else if (flags & PF_MEMALLOC_NOFS)
		gfp &= ~__GFP_FS;
	if (flags & PF_MEMALLOC_PIN)
		gfp &= ~__GFP_MOVABLE;
	return gfp;
}

#define fs_reclaim_acquire(gfp) ((void)(gfp))
#define fs_reclaim_release(gfp) ((void)(gfp))

/* Says so where a request that may wait comes from code that may not. */
static inline void might_alloc(gfp_t gfp)
{
	might_sleep_if(gfp & __GFP_DIRECT_RECLAIM);
}

#endif
