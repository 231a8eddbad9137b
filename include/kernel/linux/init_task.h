/* SPDX-License-Identifier: MIT */
#ifndef _LINUX__INIT_TASK_H
#define _LINUX__INIT_TASK_H

#include <linux/cred.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/hashtable.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/ioport.h>
#include <linux/kobject.h>
#include <linux/livepatch.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rhashtable-types.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/sysfs.h>
#include <linux/user_namespace.h>
#include <linux/utsname.h>
#include <linux/uuid.h>

struct files_struct;
struct fs_struct;

extern struct files_struct init_files __asm__("usermm_init_files")
	__attribute__((visibility("default")));
extern struct fs_struct init_fs __asm__("usermm_init_fs")
	__attribute__((visibility("default")));

#endif
