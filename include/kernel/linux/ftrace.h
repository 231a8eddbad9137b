/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_FTRACE_H
#define KERNEL_LINUX_FTRACE_H

#include <asm/msr.h>
#include <asm/ptrace.h>
#include <asm/sections.h>
#include <linux/compat.h>
#include <linux/compiler.h>
#include <linux/error-injection.h>
#include <linux/hash.h>
#include <linux/interrupt.h>
#include <linux/kallsyms.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/list_nulls.h>
#include <linux/migrate_mode.h>
#include <linux/moduleparam.h>
#include <linux/nodemask.h>
#include <linux/pid_namespace.h>
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/time64.h>
#include <linux/workqueue_types.h>

struct ftrace_ops;
struct ftrace_regs;
struct pt_regs;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			      struct ftrace_regs *regs);
#else
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			      struct pt_regs *regs);
#endif

struct ftrace_ops {
	ftrace_func_t func;
	unsigned long flags;
	void *private;
};

#define FTRACE_OPS_FL_ENABLED BIT(0)
#define FTRACE_OPS_FL_DYNAMIC BIT(1)
#define FTRACE_OPS_FL_SAVE_REGS BIT(2)
#define FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED BIT(3)
#define FTRACE_OPS_FL_RECURSION BIT(4)
#define FTRACE_OPS_FL_RECURSION_SAFE FTRACE_OPS_FL_RECURSION
#define FTRACE_OPS_FL_STUB BIT(6)
#define FTRACE_OPS_FL_INITIALIZED BIT(7)
#define FTRACE_OPS_FL_DELETED BIT(8)
#define FTRACE_OPS_FL_IPMODIFY BIT(13)
#define FTRACE_OPS_FL_PID BIT(14)
#define FTRACE_OPS_FL_RCU BIT(15)
#define FTRACE_OPS_FL_PERMANENT BIT(17)
#define FTRACE_OPS_FL_DIRECT BIT(18)

/* Functions are not traced: these succeed, and the operations' function is never called. */
#define register_ftrace_function(operations) ((void)(operations), 0)
#define unregister_ftrace_function(operations) ((void)(operations), 0)
#define ftrace_set_filter(operations, name, n, reset) \
	((void)(operations), (void)(name), (void)(n), (void)(reset), 0)
#define ftrace_set_filter_ip(operations, ip, remove, reset) \
	((void)(operations), (void)(ip), (void)(remove), (void)(reset), 0)
#define ftrace_set_notrace(operations, name, n, reset) \
	ftrace_set_filter(operations, name, n, reset)
#define ftrace_free_filter(operations) ((void)(operations))
#define ftrace_regs_get_argument(regs, n) ((void)(regs), (void)(n), 0UL)
#define ftrace_regs_get_instruction_pointer(regs) ((void)(regs), 0UL)
#define ftrace_regs_get_stack_pointer(regs) ((void)(regs), 0UL)
#define ftrace_regs_get_return_value(regs) ((void)(regs), 0UL)
#define ftrace_regs_set_return_value(regs, value) ((void)(regs), (void)(value))
#define ftrace_override_function_with_return(regs) ((void)(regs))
#define ftrace_get_regs(regs) ((void)(regs), (struct pt_regs *)NULL)
#define ftrace_test_recursion_trylock(ip, parent) ((void)(ip), (void)(parent), 0)
#define ftrace_test_recursion_unlock(bit) ((void)(bit))

#endif
