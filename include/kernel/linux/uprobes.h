/* SPDX-License-Identifier: MIT */
/* As without CONFIG_UPROBES: no program can be probed. */
#ifndef _LINUX_UPROBES_H
#define _LINUX_UPROBES_H

#include <linux/errno.h>
#include <linux/notifier.h>
#include <linux/rbtree.h>
#include <linux/types.h>
#include <linux/wait.h>

struct inode;
struct pt_regs;
struct uprobe;

struct uprobe_consumer {
	int (*handler)(struct uprobe_consumer *self, struct pt_regs *regs, __u64 *data);
	int (*ret_handler)(struct uprobe_consumer *self, unsigned long function,
			   struct pt_regs *regs, __u64 *data);
	bool (*filter)(struct uprobe_consumer *self, struct mm_struct *mm);
};

#define uprobe_register(inode, offset, ref, consumer) \
	((void)(inode), (void)(offset), (void)(consumer), (struct uprobe *)ERR_PTR(-ENOSYS))
#define uprobe_unregister_nosync(probe, consumer) ((void)(probe), (void)(consumer))
#define uprobe_unregister_sync() ((void)0)

#endif
