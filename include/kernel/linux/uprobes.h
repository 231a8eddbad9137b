/* SPDX-License-Identifier: MIT */
/* As without CONFIG_UPROBES: no program can be probed. */
#ifndef _LINUX_UPROBES_H
#define _LINUX_UPROBES_H

#include <linux/err.h>
#include <linux/errno.h>
#include <linux/notifier.h>
#include <linux/rbtree.h>
#include <linux/types.h>
#include <linux/version.h>
#include <linux/wait.h>

struct inode;
struct mm_struct;
struct pt_regs;
struct uprobe;

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
enum uprobe_filter_ctx {
	UPROBE_FILTER_REGISTER, UPROBE_FILTER_UNREGISTER, UPROBE_FILTER_MMAP,
};
#endif

struct uprobe_consumer {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	int (*handler)(struct uprobe_consumer *self, struct pt_regs *regs, __u64 *data);
	int (*ret_handler)(struct uprobe_consumer *self, unsigned long function,
			   struct pt_regs *regs, __u64 *data);
#else
	int (*handler)(struct uprobe_consumer *self, struct pt_regs *regs);
	int (*ret_handler)(struct uprobe_consumer *self, unsigned long function,
			   struct pt_regs *regs);
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	bool (*filter)(struct uprobe_consumer *self, struct mm_struct *mm);
#else
	bool (*filter)(struct uprobe_consumer *self, enum uprobe_filter_ctx context,
		       struct mm_struct *mm);
#endif
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define uprobe_register(inode, offset, ref, consumer) \
	((void)(inode), (void)(offset), (void)(ref), (void)(consumer), \
	 (struct uprobe *)ERR_PTR(-ENOSYS))
#define uprobe_unregister_nosync(probe, consumer) ((void)(probe), (void)(consumer))
#define uprobe_unregister_sync() ((void)0)
#else
#define uprobe_register(inode, offset, consumer) \
	((void)(inode), (void)(offset), (void)(consumer), -ENOSYS)
#define uprobe_register_refctr(inode, offset, ref, consumer) \
	((void)(ref), uprobe_register(inode, offset, consumer))
#define uprobe_unregister(inode, offset, consumer) \
	((void)(inode), (void)(offset), (void)(consumer))
#endif

#endif
