/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SYSCTL_H
#define KERNEL_LINUX_SYSCTL_H

#include <asm/irqflags.h>
#include <linux/bottom_half.h>
#include <linux/limits.h>
#include <linux/rbtree.h>
#include <linux/rbtree_types.h>
#include <linux/types.h>
#include <linux/version.h>
#include <linux/wait.h>
#include <usermm/compiler.h>

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

struct ctl_table_header {
	const struct ctl_table *ctl_table;
};

/* Limits for extra1 and extra2. */
static const int sysctl_vals[] = { 0, 1, 2, 3, 4, 100, 200, 1000, 3000, INT_MAX, 65535, -1 };
#define SYSCTL_ZERO ((void *)&sysctl_vals[0])
#define SYSCTL_ONE ((void *)&sysctl_vals[1])
#define SYSCTL_TWO ((void *)&sysctl_vals[2])
#define SYSCTL_THREE ((void *)&sysctl_vals[3])
#define SYSCTL_FOUR ((void *)&sysctl_vals[4])
#define SYSCTL_ONE_HUNDRED ((void *)&sysctl_vals[5])
#define SYSCTL_TWO_HUNDRED ((void *)&sysctl_vals[6])
#define SYSCTL_ONE_THOUSAND ((void *)&sysctl_vals[7])
#define SYSCTL_THREE_THOUSAND ((void *)&sysctl_vals[8])
#define SYSCTL_INT_MAX ((void *)&sysctl_vals[9])
#define SYSCTL_MAXOLDUID ((void *)&sysctl_vals[10])
#define SYSCTL_NEG_ONE ((void *)&sysctl_vals[11])

USERMM_BEGIN_DECLS

/*
 * Read and write a variable as text, with Linux's errors. Nobody calls them but the module: there
 * is no /proc/sys.
 */
int proc_dointvec(const struct ctl_table *table, int write, void *buffer, size_t *n, loff_t *pos)
	USERMM_API(proc_dointvec);
int proc_dointvec_minmax(const struct ctl_table *table, int write, void *buffer, size_t *n,
			 loff_t *pos) USERMM_API(proc_dointvec_minmax);
int proc_dostring(const struct ctl_table *table, int write, void *buffer, size_t *n, loff_t *pos)
	USERMM_API(proc_dostring);

USERMM_END_DECLS

#define proc_douintvec proc_dointvec
#define proc_doulongvec_minmax proc_dointvec
#define proc_dobool proc_dointvec

/* A name in the memory of the module alone. NULL without memory. */
static inline struct ctl_table_header *usermm_register_sysctl(const struct ctl_table *table)
{
	static struct ctl_table_header header;

	header.ctl_table = table;
	return &header;
}

#define register_sysctl(path, table) ((void)(path), usermm_register_sysctl(table))
#define register_sysctl_sz(path, table, n) ((void)(n), register_sysctl(path, table))
#define register_net_sysctl(net, path, table) ((void)(net), register_sysctl(path, table))
#define unregister_sysctl_table(header) ((void)(header))
#define unregister_net_sysctl_table(header) ((void)(header))
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define register_sysctl_table(table) usermm_register_sysctl(table)
#endif

#endif
