/* SPDX-License-Identifier: MIT */
/* There is no kernel debugger: commands are registered, and nobody calls them. */
#ifndef _KDB_H
#define _KDB_H

#include <linux/errno.h>
#include <linux/list.h>
#include <linux/printk.h>

typedef int (*kdb_func_t)(int argc, const char **argv);

enum kdb_cmdflags {
	KDB_ENABLE_ALL = 1 << 0, KDB_ENABLE_MEM_READ = 1 << 1, KDB_ENABLE_MEM_WRITE = 1 << 2,
	KDB_ENABLE_REG_READ = 1 << 3, KDB_ENABLE_REG_WRITE = 1 << 4, KDB_ENABLE_INSPECT = 1 << 5,
	KDB_ENABLE_FLOW_CTRL = 1 << 6, KDB_ENABLE_SIGNAL = 1 << 7, KDB_ENABLE_REBOOT = 1 << 8,
	KDB_ENABLE_ALWAYS_SAFE = 1 << 9, KDB_REPEAT_NO_ARGS = 0x40000000,
	KDB_REPEAT_WITH_ARGS = (int)0x80000000,
};

typedef struct _kdbtab {
	char *name;
	kdb_func_t func;
	char *usage, *help;
	short minlen;
	enum kdb_cmdflags flags;
	struct list_head list_node;
} kdbtab_t;

#define KDB_NOTFOUND (-1)
#define KDB_ARGCOUNT (-2)
#define KDB_BADWIDTH (-3)
#define KDB_BADRADIX (-4)
#define KDB_NOTENV (-5)
#define KDB_NOENVVALUE (-6)
#define KDB_NOTIMP (-7)
#define KDB_ENVFULL (-8)
#define KDB_BADINT (-12)
#define KDB_INVADDRFMT (-13)
#define KDB_BADADDR (-22)
#define kdb_printf(format, ...) printk(format, ##__VA_ARGS__)
#define kdb_register(command) ((void)(command), 0)
#define kdb_unregister(command) ((void)(command))

#endif
