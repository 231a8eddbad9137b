// SPDX-License-Identifier: MIT
/* Lists whose walkers hold references (cf. Linux lib/klist.c). */
#include <linux/kernel.h>
#include <linux/klist.h>
#include <linux/wait.h>

/* Who waits in klist_remove() for a node to leave. The node may be freed before it looks again. */
struct waiter {
	struct list_head entry;		/* Sync: waiters_lock */
	struct klist_node *node;
	bool done;			/* Sync: atomic */
};

static LIST_HEAD(waiters);
static DEFINE_SPINLOCK(waiters_lock);
static DECLARE_WAIT_QUEUE_HEAD(gone);

void klist_init(struct klist *list, void (*get)(struct klist_node *),
		void (*put)(struct klist_node *))
{
	spin_lock_init(&list->k_lock);
	INIT_LIST_HEAD(&list->k_list);
	list->get = get;
	list->put = put;
}

/* Puts the node before or behind at. */
static void add(struct klist_node *node, struct klist *list, struct list_head *at, bool before)
{
	unsigned long flags;

	kref_init(&node->n_ref);
	node->usermm_dead = false;
	WRITE_ONCE(node->n_klist, list);
	if (list->get)
		list->get(node);
	spin_lock_irqsave(&list->k_lock, flags);
	if (before)
		list_add_tail(&node->n_node, at);
	else
		list_add(&node->n_node, at);
	spin_unlock_irqrestore(&list->k_lock, flags);
}

void klist_add_head(struct klist_node *node, struct klist *list)
{
	add(node, list, &list->k_list, false);
}

void klist_add_tail(struct klist_node *node, struct klist *list)
{
	add(node, list, &list->k_list, true);
}

void klist_add_behind(struct klist_node *node, struct klist_node *at)
{
	add(node, at->n_klist, &at->n_node, false);
}

void klist_add_before(struct klist_node *node, struct klist_node *at)
{
	add(node, at->n_klist, &at->n_node, true);
}

static void leave(struct kref *ref)
{
	struct klist_node *node = container_of(ref, struct klist_node, n_ref);
	struct waiter *waiter, *next;

	list_del(&node->n_node);
	WRITE_ONCE(node->n_klist, NULL);
	spin_lock(&waiters_lock);
	list_for_each_entry_safe(waiter, next, &waiters, entry) {
		if (waiter->node != node)
			continue;
		list_del(&waiter->entry);
		smp_store_release(&waiter->done, true);
	}
	spin_unlock(&waiters_lock);
}

/* Gives up a reference; if kill, marks the node first. */
static void drop(struct klist_node *node, bool kill)
{
	struct klist *list = node->n_klist;
	void (*put)(struct klist_node *) = list->put;
	unsigned long flags;
	bool left;

	spin_lock_irqsave(&list->k_lock, flags);
	if (kill) {
		WARN_ON(node->usermm_dead);
		WRITE_ONCE(node->usermm_dead, true);
	}
	left = kref_put(&node->n_ref, leave);
	spin_unlock_irqrestore(&list->k_lock, flags);
	if (!left)
		return;
	wake_up_all(&gone);
	if (put)
		put(node);
}

void klist_del(struct klist_node *node)
{
	drop(node, true);
}

void klist_remove(struct klist_node *node)
{
	struct waiter waiter = { .node = node };
	unsigned long flags;

	spin_lock_irqsave(&waiters_lock, flags);
	list_add(&waiter.entry, &waiters);
	spin_unlock_irqrestore(&waiters_lock, flags);
	klist_del(node);
	wait_event(gone, smp_load_acquire(&waiter.done));
}

int klist_node_attached(struct klist_node *node)
{
	return READ_ONCE(node->n_klist) != NULL;
}

void klist_iter_init_node(struct klist *list, struct klist_iter *iter, struct klist_node *node)
{
	iter->i_klist = list;
	iter->i_cur = node && kref_get_unless_zero(&node->n_ref) ? node : NULL;
}

void klist_iter_init(struct klist *list, struct klist_iter *iter)
{
	klist_iter_init_node(list, iter, NULL);
}

void klist_iter_exit(struct klist_iter *iter)
{
	if (iter->i_cur)
		drop(iter->i_cur, false);
	iter->i_cur = NULL;
}

/* Goes on to the next node that nobody deleted, takes a reference to it, and gives up the last. */
static struct klist_node *walk(struct klist_iter *iter, bool back)
{
	struct klist *list = iter->i_klist;
	struct klist_node *last = iter->i_cur, *found = NULL;
	struct list_head *at;
	unsigned long flags;

	spin_lock_irqsave(&list->k_lock, flags);
	at = last ? &last->n_node : &list->k_list;
	for (at = back ? at->prev : at->next; at != &list->k_list;
	     at = back ? at->prev : at->next) {
		struct klist_node *node = container_of(at, struct klist_node, n_node);

		if (node->usermm_dead)
			continue;
		kref_get(&node->n_ref);
		found = node;
		break;
	}
	spin_unlock_irqrestore(&list->k_lock, flags);
	iter->i_cur = found;
	if (last)
		drop(last, false);
	return found;
}

struct klist_node *klist_next(struct klist_iter *iter)
{
	return walk(iter, false);
}

struct klist_node *klist_prev(struct klist_iter *iter)
{
	return walk(iter, true);
}
