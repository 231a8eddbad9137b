/* SPDX-License-Identifier: MIT */
/* Only the log macros; there is no network. */
#ifndef _LINUX_NET_H
#define _LINUX_NET_H

#include <asm/msr.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/list_nulls.h>
#include <linux/migrate_mode.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/time64.h>
#include <linux/uio.h>
#include <linux/workqueue_types.h>

#define net_err_ratelimited(fmt, ...) pr_err_ratelimited(fmt, ##__VA_ARGS__)
#define net_warn_ratelimited(fmt, ...) pr_warn_ratelimited(fmt, ##__VA_ARGS__)
#define net_info_ratelimited(fmt, ...) pr_info_ratelimited(fmt, ##__VA_ARGS__)
#define net_dbg_ratelimited(fmt, ...) pr_debug_ratelimited(fmt, ##__VA_ARGS__)

#endif
