/* SPDX-License-Identifier: MIT */
/* The one namespace of networks. */
#ifndef __NET_NET_NAMESPACE_H
#define __NET_NET_NAMESPACE_H

#include <linux/list.h>
#include <linux/ns_common.h>
#include <linux/types.h>

struct proc_dir_entry;
struct user_namespace;

struct net {
	struct list_head list;
	unsigned int proc_inum;
	struct proc_dir_entry *proc_net;	/* NULL: its files are in /proc */
	struct ns_common ns;
	struct user_namespace *user_ns;
};

struct pernet_operations {
	struct list_head list;
	int (*init)(struct net *net);
	void (*exit)(struct net *net);
	unsigned int *id;
	size_t size;
};

extern struct net init_net __asm__("usermm_init_net") __attribute__((visibility("default")));

static inline int register_pernet_subsys(struct pernet_operations *operations)
{
	return operations->init ? operations->init(&init_net) : 0;
}

static inline void unregister_pernet_subsys(struct pernet_operations *operations)
{
	if (operations->exit)
		(operations->exit)(&init_net);
}

#define register_pernet_device(operations) register_pernet_subsys(operations)
#define unregister_pernet_device(operations) unregister_pernet_subsys(operations)
#define sock_net(sk) ((void)(sk), &init_net)
#define dev_net(dev) ((void)(dev), &init_net)
#define net_eq(a, b) ((a) == (b))
#define get_net(net) (net)
#define put_net(net) ((void)(net))
#define for_each_net(net) for (net = &init_net; net; net = NULL)

#endif
