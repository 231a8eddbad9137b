/* SPDX-License-Identifier: MIT */
/* Calls around a suspend and at the end of the system, which never come. */
#ifndef _LINUX_SYSCORE_OPS_H
#define _LINUX_SYSCORE_OPS_H

#include <linux/list.h>
#include <linux/version.h>

struct syscore_ops {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
	struct list_head usermm_node;	/* keeps the layout */
	int (*suspend)(void *data);
	void (*resume)(void *data);
	void (*shutdown)(void *data);
#else
	struct list_head node;
	int (*suspend)(void);
	void (*resume)(void);
	void (*shutdown)(void);
#endif
};

struct syscore {
	struct list_head node;
	const struct syscore_ops *ops;
	void *data;
};

#define register_syscore_ops(operations) ((void)(operations))
#define unregister_syscore_ops(operations) ((void)(operations))
#define register_syscore(syscore) ((void)(syscore))
#define unregister_syscore(syscore) ((void)(syscore))

#endif
