/* SPDX-License-Identifier: MIT */
/* Families of generic netlink. They are registered, and no program talks to them. */
#ifndef __NET_GENETLINK_H
#define __NET_GENETLINK_H

#include <linux/genetlink.h>
#include <linux/module.h>
#include <net/net_namespace.h>
#include <net/netlink.h>

struct genl_family;
struct netlink_callback;
struct genl_info;

struct genl_multicast_group {
	char name[GENL_NAMSIZ];
	u8 flags;
};

struct genl_ops {
	int (*doit)(struct sk_buff *skb, struct genl_info *info);
	int (*start)(struct netlink_callback *callback);
	int (*dumpit)(struct sk_buff *skb, struct netlink_callback *callback);
	int (*done)(struct netlink_callback *callback);
	const struct nla_policy *policy;
	unsigned int maxattr;
	u8 cmd, internal_flags, flags, validate;
};
#define genl_small_ops genl_ops
#define GENL_DONT_VALIDATE_STRICT 1
#define GENL_DONT_VALIDATE_DUMP 2

struct genl_family {
	unsigned int hdrsize;
	char name[GENL_NAMSIZ];
	unsigned int version, maxattr;
	bool netnsok, parallel_ops;
	u8 n_ops, n_small_ops, n_mcgrps, resv_start_op;
	const struct nla_policy *policy;
	const struct genl_ops *ops, *small_ops;
	const struct genl_multicast_group *mcgrps;
	struct module *module;
	int id;
};

struct genl_info {
	u32 snd_seq, snd_portid;
	const struct genl_family *family;
	const struct nlmsghdr *nlhdr;
	struct genlmsghdr *genlhdr;
	void *userhdr;
	struct nlattr **attrs;
	struct netlink_ext_ack *extack;
	struct net *usermm_net;		/* NULL: &init_net */
};

static inline struct net *genl_info_net(const struct genl_info *info)
{
	return info->usermm_net ? info->usermm_net : &init_net;
}

static inline void genl_info_net_set(struct genl_info *info, struct net *net)
{
	info->usermm_net = net;
}

static inline void *genl_info_userhdr(const struct genl_info *info)
{
	return (u8 *)info->genlhdr + GENL_HDRLEN;
}

#define GENL_SET_ERR_MSG(info, text) NL_SET_ERR_MSG((info)->extack, text)

static inline int genl_register_family(struct genl_family *family)
{
	family->id = GENL_MIN_ID;
	return family->name[0] ? 0 : -EINVAL;
}

static inline int genl_unregister_family(const struct genl_family *family)
{
	(void)family;
	return 0;
}

static inline struct sk_buff *genlmsg_new(size_t payload, gfp_t gfp)
{
	return nlmsg_new(payload + GENL_HDRLEN, gfp);
}

static inline void *genlmsg_put(struct sk_buff *skb, u32 portid, u32 seq,
				const struct genl_family *family, int flags, u8 command)
{
	struct nlmsghdr *header = nlmsg_put(skb, portid, seq, family->id,
					    GENL_HDRLEN + (int)family->hdrsize, flags);
	struct genlmsghdr *general;

	if (!header)
		return NULL;
	general = nlmsg_data(header);
	general->cmd = command;
	general->version = (__u8)family->version;
	return (char *)general + GENL_HDRLEN;
}

static inline void *genlmsg_put_reply(struct sk_buff *skb, struct genl_info *info,
				      const struct genl_family *family, int flags, u8 command)
{
	return genlmsg_put(skb, info->snd_portid, info->snd_seq, family, flags, command);
}

static inline void genlmsg_end(struct sk_buff *skb, void *header)
{
	nlmsg_end(skb, (struct nlmsghdr *)((char *)header - GENL_HDRLEN - NLMSG_HDRLEN));
}

static inline void genlmsg_cancel(struct sk_buff *skb, void *header)
{
	if (header)
		skb_trim(skb, (unsigned int)((unsigned char *)header - GENL_HDRLEN - NLMSG_HDRLEN -
					     skb->data));
}

#define genlmsg_free(skb) nlmsg_free(skb)
#define genlmsg_data(header) ((void *)((char *)(header) + GENL_HDRLEN))
#define genlmsg_unicast(net, skb, portid) ((void)(net), netlink_unicast(NULL, skb, portid, 0))
#define genlmsg_reply(skb, info) netlink_unicast(NULL, skb, (info)->snd_portid, 0)
#define genlmsg_multicast(family, skb, portid, group, gfp) \
	((void)(family), netlink_broadcast(NULL, skb, portid, group, gfp))
#define genlmsg_multicast_netns(family, net, skb, portid, group, gfp) \
	((void)(net), genlmsg_multicast(family, skb, portid, group, gfp))

#endif
