/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KPROBES_H
#define KERNEL_LINUX_KPROBES_H

#include <asm/msr.h>
#include <asm/sections.h>
#include <linux/compiler.h>
#include <linux/error-injection.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/list_nulls.h>
#include <linux/migrate_mode.h>
#include <linux/moduleparam.h>
#include <linux/nodemask.h>
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/time64.h>
#include <linux/workqueue_types.h>

/* Functions are not patched, so these markers have no effect. */
#define NOKPROBE_SYMBOL(function) struct usermm_needs_a_semicolon
#define __kprobes

#endif
