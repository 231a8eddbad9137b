/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SYSCTL_H
#define KERNEL_LINUX_SYSCTL_H

#include <asm/irqflags.h>
#include <linux/array_size.h>
#include <linux/bottom_half.h>
#include <linux/limits.h>
#include <linux/rbtree.h>
#include <linux/rbtree_types.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/version.h>
#include <linux/wait.h>
#include <usermm/compiler.h>

struct ctl_table;
/* Handlers do not change their table; up to 6.10 their type does not say so. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define USERMM_TABLE const struct ctl_table
#else
#define USERMM_TABLE struct ctl_table
#endif
typedef int proc_handler(USERMM_TABLE *table, int write, void *buffer, size_t *n, loff_t *pos);

struct ctl_table {
	const char *procname;
	void *data;
	int maxlen;
	umode_t mode;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	const struct ctl_table *usermm_child;
#else
	union {
		struct ctl_table *child;
		const struct ctl_table *usermm_child;
	};
#endif
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
 * Read and write variables as text, several with tabs between them. -EINVAL for what is no number
 * or does not fit, and for one beyond *extra1 and *extra2; of unsigned ones -ERANGE.
 */
#define USERMM_SYSCTL_HANDLER(name)						\
	int name(USERMM_TABLE *table, int write, void *buffer, size_t *n, loff_t *pos) \
		USERMM_API(name)
USERMM_SYSCTL_HANDLER(proc_dointvec);
USERMM_SYSCTL_HANDLER(proc_dointvec_minmax);
USERMM_SYSCTL_HANDLER(proc_douintvec);
USERMM_SYSCTL_HANDLER(proc_douintvec_minmax);
USERMM_SYSCTL_HANDLER(proc_dou8vec_minmax);
USERMM_SYSCTL_HANDLER(proc_dobool);
USERMM_SYSCTL_HANDLER(proc_doulongvec_minmax);	/* unsigned long */
USERMM_SYSCTL_HANDLER(proc_dointvec_jiffies);	/* the text has seconds */
USERMM_SYSCTL_HANDLER(proc_dointvec_ms_jiffies);
USERMM_SYSCTL_HANDLER(proc_dostring);

/*
 * Files of /proc/sys/PATH, until unregister_sysctl_table(). A table of n entries may end earlier,
 * with one without a name. NULL for a name that is taken, and without memory.
 */
struct ctl_table_header *register_sysctl_sz(const char *path, const struct ctl_table *table,
					    size_t n) USERMM_API(register_sysctl_sz);
struct ctl_table_header *usermm_register_sysctl_tree(const struct ctl_table *table)
	__attribute__((visibility("default")));
void unregister_sysctl_table(struct ctl_table_header *header)
	USERMM_API(unregister_sysctl_table);

USERMM_END_DECLS

#define proc_dointvec_userhz_jiffies proc_dointvec_jiffies

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define register_sysctl(path, table) register_sysctl_sz(path, table, ARRAY_SIZE(table))
#else
#define register_sysctl(path, table) register_sysctl_sz(path, table, SIZE_MAX)
#define register_sysctl_table(table) usermm_register_sysctl_tree(table)
#endif
#define register_net_sysctl(net, path, table) ((void)(net), register_sysctl(path, table))
#define register_net_sysctl_sz(net, path, table, n) \
	((void)(net), register_sysctl_sz(path, table, n))
#define unregister_net_sysctl_table(header) unregister_sysctl_table(header)
#define register_sysctl_init(path, table) ((void)register_sysctl(path, table))

#endif
