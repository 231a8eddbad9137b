/* SPDX-License-Identifier: MIT */
/* The system's file, without the netlink.h that it asks for: that one needs struct sock. */
#ifndef KERNEL_LINUX_IF_LINK_H
#define KERNEL_LINUX_IF_LINK_H

#include <linux/types.h>
#pragma push_macro("KERNEL_LINUX_NETLINK_H")
#undef KERNEL_LINUX_NETLINK_H
#define KERNEL_LINUX_NETLINK_H
#include_next <linux/if_link.h>
#pragma pop_macro("KERNEL_LINUX_NETLINK_H")

#endif
