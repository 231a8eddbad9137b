/* SPDX-License-Identifier: MIT */
/* RCU whose readers may sleep. Here readers of ordinary RCU may sleep, too, so it is the same. */
#ifndef KERNEL_LINUX_SRCU_H
#define KERNEL_LINUX_SRCU_H

#include <linux/cleanup.h>
#include <linux/completion.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

struct srcu_struct {
	char unused;
};

#define DEFINE_SRCU(name) struct srcu_struct name
#define DEFINE_STATIC_SRCU(name) static struct srcu_struct name
#define init_srcu_struct(srcu) ((void)(srcu), 0)
#define cleanup_srcu_struct(srcu) ((void)(srcu), rcu_barrier())
#define srcu_read_lock(srcu) ((void)(srcu), rcu_read_lock(), 0)
#define srcu_read_unlock(srcu, index) ((void)(srcu), (void)(index), rcu_read_unlock())
#define srcu_read_lock_held(srcu) ((void)(srcu), rcu_read_lock_held())
#define srcu_dereference(p, srcu) rcu_dereference(p)
#define srcu_dereference_check(p, srcu, condition) rcu_dereference(p)
#define synchronize_srcu(srcu) ((void)(srcu), synchronize_rcu())
#define synchronize_srcu_expedited(srcu) synchronize_srcu(srcu)
#define call_srcu(srcu, head, function) ((void)(srcu), call_rcu(head, function))
DEFINE_LOCK_GUARD_1(srcu, struct srcu_struct, _T->idx = srcu_read_lock(_T->lock),
		    srcu_read_unlock(_T->lock, _T->idx), int idx)

#define srcu_barrier(srcu) ((void)(srcu), rcu_barrier())

#endif
