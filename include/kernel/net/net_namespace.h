/* SPDX-License-Identifier: MIT */
/* The one namespace of networks. */
#ifndef __NET_NET_NAMESPACE_H
#define __NET_NET_NAMESPACE_H

#include <linux/idr.h>
#include <linux/list.h>
#include <linux/netfilter.h>
#include <linux/ns_common.h>
#include <linux/nsproxy.h>
#include <linux/rhashtable-types.h>
#include <linux/skbuff.h>
#include <linux/stackdepot.h>
#include <linux/types.h>
#include <linux/u64_stats_sync.h>
#include <usermm/compiler.h>

struct proc_dir_entry;
struct user_namespace;

struct net {
	struct list_head list;
	unsigned int proc_inum;
	struct proc_dir_entry *proc_net;	/* NULL: its files are in /proc */
	struct ns_common ns;
	struct user_namespace *user_ns;
	struct net_device *loopback_dev;	/* lo, if anything of the program uses devices */
};

#define __net_init
#define __net_exit
#define __net_initdata

struct pernet_operations {
	struct list_head list;
	int (*init)(struct net *net);
	void (*exit)(struct net *net);
	unsigned int *id;
	size_t size;
};

extern struct net init_net __asm__("usermm_init_net") __attribute__((visibility("default")));

USERMM_BEGIN_DECLS

/*
 * Gives *id a number and size bytes of zeros (net_generic()) if both are set, then calls init: its
 * error, -ENOMEM, or 0. Sleeps.
 */
int register_pernet_subsys(struct pernet_operations *operations)
	USERMM_API(register_pernet_subsys);

/* Calls exit, then frees the bytes. */
void unregister_pernet_subsys(struct pernet_operations *operations)
	USERMM_API(unregister_pernet_subsys);

USERMM_END_DECLS

#define register_pernet_device(operations) register_pernet_subsys(operations)
#define unregister_pernet_device(operations) unregister_pernet_subsys(operations)
#define sock_net(sk) ((void)(sk), &init_net)
#define dev_net(dev) ((void)(dev), &init_net)
#define net_eq(a, b) ((a) == (b))
#define get_net(net) (net)
#define put_net(net) ((void)(net))
#define for_each_net(net) for (net = &init_net; net; net = NULL)

/* The kernel's header brings this by way of others. */
#include <linux/seq_file_net.h>

#endif
