/* SPDX-License-Identifier: MIT */
/* Only the log macros; there is no network. */
#ifndef _LINUX_NET_H
#define _LINUX_NET_H

#include <linux/printk.h>

#define net_err_ratelimited(fmt, ...) pr_err_ratelimited(fmt, ##__VA_ARGS__)
#define net_warn_ratelimited(fmt, ...) pr_warn_ratelimited(fmt, ##__VA_ARGS__)
#define net_info_ratelimited(fmt, ...) pr_info_ratelimited(fmt, ##__VA_ARGS__)
#define net_dbg_ratelimited(fmt, ...) pr_debug_ratelimited(fmt, ##__VA_ARGS__)

#endif
