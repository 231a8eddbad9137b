/* SPDX-License-Identifier: MIT */
/*
 * Lists that may change while somebody walks along them. A walker holds a reference to the node
 * where it stands; a deleted node leaves the list when the last reference goes.
 */
#ifndef _LINUX_KLIST_H
#define _LINUX_KLIST_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <usermm/compiler.h>

struct klist_node;
struct klist {
	spinlock_t k_lock;
	struct list_head k_list;	/* Sync: k_lock */
	void (*get)(struct klist_node *node);	/* NULL: none */
	void (*put)(struct klist_node *node);
};

struct klist_node {
	struct klist *n_klist;		/* NULL: in no list */
	struct list_head n_node;
	struct kref n_ref;
	bool usermm_dead;		/* walkers skip it. Sync: k_lock */
};

struct klist_iter {
	struct klist *i_klist;
	struct klist_node *i_cur;
};

USERMM_BEGIN_DECLS

/* get and put are called when a node comes, and when it has gone, without the lock. */
void klist_init(struct klist *list, void (*get)(struct klist_node *),
		void (*put)(struct klist_node *)) USERMM_API(klist_init);
/* In any context, as long as get may be called there. */
void klist_add_head(struct klist_node *node, struct klist *list) USERMM_API(klist_add_head);
void klist_add_tail(struct klist_node *node, struct klist *list) USERMM_API(klist_add_tail);
void klist_add_behind(struct klist_node *node, struct klist_node *at)
	USERMM_API(klist_add_behind);
void klist_add_before(struct klist_node *node, struct klist_node *at)
	USERMM_API(klist_add_before);
/* Walkers skip the node from now on. */
void klist_del(struct klist_node *node) USERMM_API(klist_del);
/* The same, and waits until the node has left the list. Sleeps. */
void klist_remove(struct klist_node *node) USERMM_API(klist_remove);
int klist_node_attached(struct klist_node *node) USERMM_API(klist_node_attached);
void klist_iter_init(struct klist *list, struct klist_iter *iter) USERMM_API(klist_iter_init);
/*
 * The walk begins at node, which must be attached: klist_next() gives the node behind it. If node
 * is NULL, klist_next() gives the first one.
 */
void klist_iter_init_node(struct klist *list, struct klist_iter *iter, struct klist_node *node)
	USERMM_API(klist_iter_init_node);
/* The next node, NULL at the end. The walker keeps it until its next call. */
struct klist_node *klist_next(struct klist_iter *iter) USERMM_API(klist_next);
struct klist_node *klist_prev(struct klist_iter *iter) USERMM_API(klist_prev);
void klist_iter_exit(struct klist_iter *iter) USERMM_API(klist_iter_exit);

USERMM_END_DECLS

#define KLIST_INIT(name, get_, put_)					\
	{ .k_lock = __SPIN_LOCK_UNLOCKED((name).k_lock),		\
	  .k_list = LIST_HEAD_INIT((name).k_list), .get = (get_), .put = (put_) }
#define DEFINE_KLIST(name, get, put) struct klist name = KLIST_INIT(name, get, put)

#endif
