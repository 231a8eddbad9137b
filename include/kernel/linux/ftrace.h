/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_FTRACE_H
#define KERNEL_LINUX_FTRACE_H

#include <asm/msr.h>
#include <asm/sections.h>
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
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/time64.h>
#include <linux/workqueue_types.h>

#endif
