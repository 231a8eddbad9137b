/* SPDX-License-Identifier: MIT */
/* Probes of functions' entries and exits can be registered, and are never hit. */
#ifndef _LINUX_FPROBE_H
#define _LINUX_FPROBE_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>

struct fprobe;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
typedef int (*fprobe_entry_cb)(struct fprobe *probe, unsigned long ip, unsigned long ret_ip,
			       struct ftrace_regs *regs, void *data);
typedef void (*fprobe_exit_cb)(struct fprobe *probe, unsigned long ip, unsigned long ret_ip,
			       struct ftrace_regs *regs, void *data);
#else
typedef int (*fprobe_entry_cb)(struct fprobe *probe, unsigned long ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *data);
typedef void (*fprobe_exit_cb)(struct fprobe *probe, unsigned long ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *data);
#endif

struct fprobe {
	unsigned long nmissed;
	unsigned int flags;
	size_t entry_data_size;
	fprobe_entry_cb entry_handler;
	fprobe_exit_cb exit_handler;
};

#define register_fprobe(probe, filter, notfilter) \
	((void)(notfilter), (probe) && (filter) ? 0 : -EINVAL)
#define register_fprobe_syms(probe, names, n) ((void)(names), (probe) && (n) > 0 ? 0 : -EINVAL)
#define register_fprobe_ips(probe, ips, n) ((void)(ips), (probe) && (n) > 0 ? 0 : -EINVAL)
#define unregister_fprobe(probe) ((void)(probe), 0)
#define disable_fprobe(probe) ((void)(probe))
#define enable_fprobe(probe) ((void)(probe))

#endif
