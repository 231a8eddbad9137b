/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_RTNETLINK_H
#define KERNEL_LINUX_RTNETLINK_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/wait.h>
#include_next <linux/rtnetlink.h>

#define ASSERT_RTNL() ((void)WARN_ON_ONCE(!rtnl_is_locked()))

#endif
