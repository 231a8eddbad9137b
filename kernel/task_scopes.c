// SPDX-License-Identifier: MIT
/* The scopes of allocations (usermm/reclaim.h) as flags of current, in both directions. */
#include <linux/kernel.h>
#include <linux/sched.h>

#include "page/scopes.h"

static const struct {
	unsigned int scope, flag;
} table[] = {
	{ SCOPE_NOIO, PF_MEMALLOC_NOIO },
	{ SCOPE_NOFS, PF_MEMALLOC_NOFS },
	{ SCOPE_NORECLAIM, PF_MEMALLOC },
	{ SCOPE_PIN, PF_MEMALLOC_PIN },
	{ SCOPE_KSWAPD, PF_KSWAPD },
};

/* A thread that is no task yet is none afterwards: it would take memory to be one. */
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
	return before;
}

static void __attribute__((constructor)) keep_task_scopes(void)
{
	scopes_set_keeper(task_scopes);
}
