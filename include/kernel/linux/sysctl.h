/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SYSCTL_H
#define KERNEL_LINUX_SYSCTL_H

#include <asm/irqflags.h>
#include <linux/bottom_half.h>
#include <linux/rbtree.h>
#include <linux/rbtree_types.h>
#include <linux/types.h>
#include <linux/wait.h>

struct ctl_table;
typedef int proc_handler(const struct ctl_table *table, int write, void *buffer, size_t *n,
			 loff_t *pos);

struct ctl_table {
	const char *procname;
	void *data;
	int maxlen;
	umode_t mode;
	proc_handler *proc_handler;
	void *extra1, *extra2;
};

struct ctl_table_header;
/* There is no /proc/sys: registering returns NULL, as without memory. */
#define register_sysctl(path, table) ((void)(path), (void)(table), (struct ctl_table_header *)NULL)
#define unregister_sysctl_table(header) ((void)(header))

#endif
