// SPDX-License-Identifier: MIT
/* Waiting until a file has one of the events. cf. Linux fs/select.c: do_poll(). */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "files.h"

/* One queue that the file named. */
struct poll_entry {
	struct poll_entry *next;
	struct wait_queue_head *queue;
	struct wait_queue_entry wait;
};

struct poll_wait {
	poll_table table;
	struct task_struct *task;
	struct poll_entry *entries;
	bool triggered;		/* Sync: atomic */
	bool failed;		/* there was no memory for an entry */
};

static int wake(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	struct poll_wait *wait = entry->private;

	(void)mode;
	(void)flags;
	if (key && !(key_to_poll(key) & wait->table._key))
		return 0;
	WRITE_ONCE(wait->triggered, true);
	/* Store it before the task looks at it; pairs with set_current_state(). */
	return wake_up_state(wait->task, TASK_NORMAL);
}

static void add(struct file *file, wait_queue_head_t *queue, struct poll_table_struct *table)
{
	struct poll_wait *wait = container_of(table, struct poll_wait, table);
	struct poll_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	(void)file;
	if (!entry) {
		wait->failed = true;
		return;
	}
	entry->queue = queue;
	entry->wait.private = wait;
	entry->wait.func = wake;
	INIT_LIST_HEAD(&entry->wait.entry);
	entry->next = wait->entries;
	wait->entries = entry;
	add_wait_queue(queue, &entry->wait);
}

__poll_t file_wait(struct file *file, __poll_t wanted, bool waits)
{
	struct poll_wait wait = { .task = current };
	struct poll_entry *entry;
	__poll_t mask;

	wanted |= EPOLLERR | EPOLLHUP;
	if (waits)
		wait.table._qproc = add;
	wait.table._key = wanted;
	for (;;) {
		mask = file_poll(file, &wait.table) & wanted;
		wait.table._qproc = NULL;	/* the queues are the same each time */
		if (mask || !waits || wait.failed || signal_pending(current))
			break;
		set_current_state(TASK_INTERRUPTIBLE);
		if (!READ_ONCE(wait.triggered))
			schedule();
		__set_current_state(TASK_RUNNING);
		WRITE_ONCE(wait.triggered, false);
		smp_mb();	/* before the file is asked again */
	}
	while ((entry = wait.entries)) {
		wait.entries = entry->next;
		remove_wait_queue(entry->queue, &entry->wait);
		kfree(entry);
	}
	return mask;
}
