// SPDX-License-Identifier: MIT
/*
 * Connects the allocators to kernel sources. A thread's scopes (usermm/reclaim.h) are also flags in
 * current->flags, and setting those flags has the same effect. A bad page is handled as in the
 * kernel.
 */
#include <linux/kernel.h>
#include <linux/page-flags.h>
#include <linux/sched.h>

#include "base/upward_hooks.h"
#include "page/debug/bad_page.h"
#include "page/scopes.h"

static_assert(PAGE_FLAGS_CHECK_AT_FREE ==
	      (1UL << PG_locked | 1UL << PG_writeback | 1UL << PG_lru | 1UL << PG_active |
	       1UL << PG_reserved | 1UL << PG_private | 1UL << PG_private_2 |
	       1UL << PG_unevictable));

static const struct {
	unsigned int scope, flag;
} table[] = {
	{ SCOPE_NOIO, PF_MEMALLOC_NOIO },
	{ SCOPE_NOFS, PF_MEMALLOC_NOFS },
	{ SCOPE_NORECLAIM, PF_MEMALLOC },
	{ SCOPE_PIN, PF_MEMALLOC_PIN },
	{ SCOPE_KSWAPD, PF_KSWAPD },
};

/* Must not make the thread a task if it is none, since that would allocate memory. */
static unsigned int task_scopes(unsigned int add, unsigned int take_away)
{
	struct task_struct *task = usermm_self()->registered ? usermm_self()->task : NULL;
	unsigned int before = 0;

	for (unsigned int i = 0; task && i < ARRAY_SIZE(table); i++) {
		if (task->flags & table[i].flag)
			before |= table[i].scope;
		if (add & table[i].scope)
			task->flags |= table[i].flag;
		if (take_away & table[i].scope)
			task->flags &= ~table[i].flag;
	}
	/* The task's priority exists only in the task: the system does not know it. */
	if (task && rt_or_dl_task(task))
		before |= SCOPE_REALTIME;
	return before;
}

static void __attribute__((constructor)) set_hooks(void)
{
	page_bad_as_in_kernel();
	scopes_set_keeper(task_scopes);
}
