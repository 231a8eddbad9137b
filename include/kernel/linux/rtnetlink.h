/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_RTNETLINK_H
#define KERNEL_LINUX_RTNETLINK_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/wait.h>
#include_next <linux/rtnetlink.h>

#define rtnl_trylock() 1
#define ASSERT_RTNL() ((void)0)

#endif
