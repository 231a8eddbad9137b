/* SPDX-License-Identifier: MIT */
/*
 * Probes can be registered, and are never hit: the functions of this process are not patched. A
 * probe by name gets the address of a function that does nothing, and returns 0.
 */
#ifndef KERNEL_LINUX_KPROBES_H
#define KERNEL_LINUX_KPROBES_H

#include <asm/msr.h>
#include <asm/ptrace.h>
#include <asm/sections.h>
#include <linux/compiler.h>
#include <linux/error-injection.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/list_nulls.h>
#include <linux/migrate_mode.h>
#include <linux/moduleparam.h>
#include <linux/nodemask.h>
#include <linux/pid_namespace.h>
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/time64.h>
#include <linux/workqueue_types.h>
#include <usermm/compiler.h>

#define NOKPROBE_SYMBOL(function) struct usermm_needs_a_semicolon
#define __kprobes

typedef u8 kprobe_opcode_t;

struct kprobe;
struct kretprobe_instance;
typedef int (*kprobe_pre_handler_t)(struct kprobe *probe, struct pt_regs *regs);
typedef void (*kprobe_post_handler_t)(struct kprobe *probe, struct pt_regs *regs,
				      unsigned long flags);
typedef int (*kprobe_fault_handler_t)(struct kprobe *probe, struct pt_regs *regs, int trap);
typedef int (*kretprobe_handler_t)(struct kretprobe_instance *instance, struct pt_regs *regs);

#define KPROBE_FLAG_GONE 1
#define KPROBE_FLAG_DISABLED 2
struct kprobe {
	struct hlist_node hlist;
	struct list_head list;
	unsigned long nmissed;
	kprobe_opcode_t *addr;
	const char *symbol_name;
	unsigned int offset;
	kprobe_pre_handler_t pre_handler;
	kprobe_post_handler_t post_handler;
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
	kprobe_fault_handler_t fault_handler;
#else
	void *usermm_fault_handler;	/* keeps the layout */
#endif
	u32 flags;
};

struct kretprobe {
	struct kprobe kp;
	kretprobe_handler_t handler, entry_handler;
	int maxactive, nmissed;
	size_t data_size;
};

struct kretprobe_instance {
	struct kretprobe *rp;
	void *ret_addr;
	struct task_struct *task;
	char data[];
};

USERMM_BEGIN_DECLS

/* 0; -EINVAL without a function or with both a name and an address. */
int register_kprobe(struct kprobe *probe) USERMM_API(register_kprobe);
int register_kretprobe(struct kretprobe *probe) USERMM_API(register_kretprobe);

USERMM_END_DECLS

static inline void unregister_kprobe(struct kprobe *probe)
{
	(void)probe;
}

static inline void unregister_kretprobe(struct kretprobe *probe)
{
	(void)probe;
}

static inline int register_kprobes(struct kprobe **probes, int n)
{
	int error = n > 0 ? 0 : -EINVAL;

	for (int i = 0; i < n && !error; i++)
		error = register_kprobe(probes[i]);
	return error;
}

static inline int register_kretprobes(struct kretprobe **probes, int n)
{
	int error = n > 0 ? 0 : -EINVAL;

	for (int i = 0; i < n && !error; i++)
		error = register_kretprobe(probes[i]);
	return error;
}

#define unregister_kprobes(probes, n) ((void)(probes), (void)(n))
#define unregister_kretprobes(probes, n) ((void)(probes), (void)(n))
#define enable_kprobe(probe) ((void)((probe)->flags &= ~KPROBE_FLAG_DISABLED), 0)
#define disable_kprobe(probe) ((void)((probe)->flags |= KPROBE_FLAG_DISABLED), 0)
#define enable_kretprobe(probe) enable_kprobe(&(probe)->kp)
#define disable_kretprobe(probe) disable_kprobe(&(probe)->kp)
#define get_kretprobe(instance) ((instance)->rp)
#define get_kretprobe_retaddr(instance) ((unsigned long)(instance)->ret_addr)

#endif
