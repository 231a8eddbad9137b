/* SPDX-License-Identifier: MIT */
/* The kernel's system calls, of which modules have none; and how one would be written. */
#ifndef _LINUX_SYSCALLS_H
#define _LINUX_SYSCALLS_H

#include <linux/bug.h>
#include <linux/fs.h>
#include <linux/linkage.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/sem.h>
#include <linux/signal.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/unistd.h>

#define SYSCALL_DEFINE0(name) long sys_##name(void)

#endif
