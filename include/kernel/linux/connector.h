/* SPDX-License-Identifier: MIT */
/* Messages to programs by netlink. No program can be at the other end, so nobody gets one. */
#ifndef KERNEL_LINUX_CONNECTOR_H
#define KERNEL_LINUX_CONNECTOR_H

#include <linux/atomic.h>
#include <linux/dev_printk.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/uuid.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include_next <linux/connector.h>

#define CN_CBQ_NAMELEN 32

/* 0; -EINVAL without a name or a function. */
static inline int cn_add_callback(const struct cb_id *id, const char *name,
				  void (*callback)(struct cn_msg *message,
						   struct netlink_skb_parms *parameters))
{
	return id && name && callback ? 0 : -EINVAL;
}

static inline void cn_del_callback(const struct cb_id *id)
{
	(void)id;
}

/* -ESRCH: no program listens to the group. */
static inline int cn_netlink_send(struct cn_msg *message, u32 portid, u32 group, gfp_t gfp)
{
	(void)message;
	(void)portid;
	(void)group;
	(void)gfp;
	return -ESRCH;
}

#define cn_netlink_send_mult(message, n, portid, group, gfp, filter, data) \
	((void)(n), (void)(filter), (void)(data), cn_netlink_send(message, portid, group, gfp))

#endif
