/* SPDX-License-Identifier: MIT */
/* Matches and targets of iptables. They can be registered; no rule is there to use one. */
#ifndef KERNEL_LINUX_NETFILTER_X_TABLES_H
#define KERNEL_LINUX_NETFILTER_X_TABLES_H

#include <linux/compat.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include_next <linux/netfilter/x_tables.h>

struct module;

struct xt_match;
struct xt_target;

struct xt_action_param {
	union {
		const struct xt_match *match;
		const struct xt_target *target;
	};
	union {
		const void *matchinfo, *targinfo;
	};
	const struct nf_hook_state *state;
	unsigned int thoff;
	u16 fragoff;
	bool hotdrop;
};

static inline struct net *xt_net(const struct xt_action_param *par)
{
	return par->state->net;
}

static inline struct net_device *xt_in(const struct xt_action_param *par)
{
	return par->state->in;
}

static inline struct net_device *xt_out(const struct xt_action_param *par)
{
	return par->state->out;
}

static inline unsigned int xt_hooknum(const struct xt_action_param *par)
{
	return par->state->hook;
}

static inline u8 xt_family(const struct xt_action_param *par)
{
	return par->state->pf;
}

struct xt_mtchk_param {
	struct net *net;
	const char *table;
	const void *entryinfo;
	const struct xt_match *match;
	void *matchinfo;
	unsigned int hook_mask;
	u8 family;
	bool nft_compat;
};

struct xt_mtdtor_param {
	struct net *net;
	const struct xt_match *match;
	void *matchinfo;
	u8 family;
};

struct xt_tgchk_param {
	struct net *net;
	const char *table;
	const void *entryinfo;
	const struct xt_target *target;
	void *targinfo;
	unsigned int hook_mask;
	u8 family;
	bool nft_compat;
};

struct xt_tgdtor_param {
	struct net *net;
	const struct xt_target *target;
	void *targinfo;
	u8 family;
};

struct xt_match {
	struct list_head list;
	const char name[XT_EXTENSION_MAXNAMELEN];
	u8 revision;
	bool (*match)(const struct sk_buff *skb, struct xt_action_param *par);
	int (*checkentry)(const struct xt_mtchk_param *par);
	void (*destroy)(const struct xt_mtdtor_param *par);
	struct module *me;
	const char *table;
	unsigned int matchsize, usersize, hooks;
	unsigned short proto, family;
};

struct xt_target {
	struct list_head list;
	const char name[XT_EXTENSION_MAXNAMELEN];
	u8 revision;
	unsigned int (*target)(struct sk_buff *skb, const struct xt_action_param *par);
	int (*checkentry)(const struct xt_tgchk_param *par);
	void (*destroy)(const struct xt_tgdtor_param *par);
	struct module *me;
	const char *table;
	unsigned int targetsize, usersize, hooks;
	unsigned short proto, family;
};

#define xt_register_match(match) ((void)(match), 0)
#define xt_unregister_match(match) ((void)(match))
#define xt_register_matches(matches, n) ((void)(matches), (void)(n), 0)
#define xt_unregister_matches(matches, n) ((void)(matches), (void)(n))
#define xt_register_target(target) ((void)(target), 0)
#define xt_unregister_target(target) ((void)(target))
#define xt_register_targets(targets, n) ((void)(targets), (void)(n), 0)
#define xt_unregister_targets(targets, n) ((void)(targets), (void)(n))

/* No other extension is there to be asked. */
#define xt_request_find_match(family, name, revision) \
	((void)(family), (void)(name), (void)(revision), (struct xt_match *)ERR_PTR(-ENOENT))
#define xt_request_find_target(family, name, revision) \
	((void)(family), (void)(name), (void)(revision), (struct xt_target *)ERR_PTR(-ENOENT))

/* Is this, which came from a program, the name of a file? 0, -EINVAL or -ENAMETOOLONG. */
static inline int xt_check_proc_name(const char *name, unsigned int size)
{
	if (!*name)
		return -EINVAL;
	if (strnlen(name, size) == size)
		return -ENAMETOOLONG;
	return !strcmp(name, ".") || !strcmp(name, "..") || strchr(name, '/') ? -EINVAL : 0;
}

#endif
