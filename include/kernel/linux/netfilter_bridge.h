/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_NETFILTER_BRIDGE_H
#define KERNEL_LINUX_NETFILTER_BRIDGE_H

#include <linux/dev_printk.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/ioport.h>
#include <linux/netfilter.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/skbuff.h>
#include <linux/uuid.h>
#include_next <linux/netfilter_bridge.h>

#endif
