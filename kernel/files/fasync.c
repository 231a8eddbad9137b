// SPDX-License-Identifier: MIT
/* Files whose owners are sent SIGIO. cf. Linux fs/fcntl.c. */
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "files.h"

static DEFINE_SPINLOCK(lock);

int fasync_helper(int fd, struct file *file, int on, struct fasync_struct **list)
{
	struct fasync_struct **link, *entry = NULL, *new_entry = NULL;
	unsigned long flags;

	if (on) {
		new_entry = kzalloc(sizeof(*new_entry), GFP_KERNEL);
		if (!new_entry)
			return -ENOMEM;
		new_entry->fa_file = file;
		new_entry->fa_fd = fd;
	}
	spin_lock_irqsave(&lock, flags);
	for (link = list; *link && (*link)->fa_file != file; link = &(*link)->fa_next)
		;
	entry = *link;
	if (!on && entry) {
		*link = entry->fa_next;
	} else if (on && !entry) {
		new_entry->fa_next = *list;
		*list = new_entry;
		new_entry = NULL;
	}
	spin_unlock_irqrestore(&lock, flags);
	if (on) {
		kfree(new_entry);
		return !entry;
	}
	kfree(entry);
	return entry != NULL;
}

void kill_fasync(struct fasync_struct **list, int signal, int band)
{
	unsigned long flags;

	(void)band;
	spin_lock_irqsave(&lock, flags);
	for (struct fasync_struct *entry = *list; entry; entry = entry->fa_next)
		if (entry->fa_file->usermm_owner)
			usermm_kill_process(entry->fa_file->usermm_owner,
					    entry->fa_file->usermm_owner_started, signal);
	spin_unlock_irqrestore(&lock, flags);
}
