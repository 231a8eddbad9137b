/* SPDX-License-Identifier: MIT */
/* The kernel's system calls, of which modules have none; and how one would be written. */
#ifndef _LINUX_SYSCALLS_H
#define _LINUX_SYSCALLS_H

#include <asm/ptrace.h>
#include <linux/bug.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/ioport.h>
#include <linux/key.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/linkage.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sem.h>
#include <linux/seq_file.h>
#include <linux/signal.h>
#include <linux/socket.h>
#include <linux/sysfs.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/unistd.h>
#include <linux/uuid.h>

#define SYSCALL_DEFINE0(name) long sys_##name(void)

#endif
