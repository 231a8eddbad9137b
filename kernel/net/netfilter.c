// SPDX-License-Identifier: MIT
/* Hooks for packets: see linux/netfilter.h; cf. Linux net/netfilter/core.c. */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/netfilter.h>
#include <linux/rculist.h>
#include <linux/slab.h>

struct hook {
	struct list_head node;
	const struct nf_hook_ops *ops;	/* the module's */
	struct rcu_head rcu;
};

/* All places together, by priority: a run has few hooks. */
static LIST_HEAD(hooks);		/* Sync: lock, RCU */
static DEFINE_MUTEX(lock);

static bool is_place(const struct nf_hook_ops *ops)
{
	if (ops->pf == NFPROTO_NETDEV)
		return ops->dev;
	return ops->pf < NFPROTO_NUMPROTO && ops->hooknum < NF_INET_NUMHOOKS;
}

int nf_register_net_hook(struct net *net, const struct nf_hook_ops *operations)
{
	struct hook *hook, *at;

	(void)net;
	if (!operations->hook || !is_place(operations))
		return -EINVAL;
	hook = kzalloc(sizeof(*hook), GFP_KERNEL);
	if (!hook)
		return -ENOMEM;
	hook->ops = operations;
	mutex_lock(&lock);
	list_for_each_entry(at, &hooks, node)
		if (at->ops->priority > operations->priority)
			break;
	list_add_tail_rcu(&hook->node, &at->node);
	mutex_unlock(&lock);
	return 0;
}

void nf_unregister_net_hook(struct net *net, const struct nf_hook_ops *operations)
{
	struct hook *hook, *found = NULL;

	(void)net;
	mutex_lock(&lock);
	list_for_each_entry(hook, &hooks, node)
		if (hook->ops == operations) {
			found = hook;
			break;
		}
	if (found)
		list_del_rcu(&found->node);
	mutex_unlock(&lock);
	if (WARN(!found, "hook not found, pf %d num %d", operations->pf, operations->hooknum))
		return;
	synchronize_rcu();
	kfree(found);
}

int nf_register_net_hooks(struct net *net, const struct nf_hook_ops *operations, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		int error = nf_register_net_hook(net, operations + i);

		if (error) {
			nf_unregister_net_hooks(net, operations, i);
			return error;
		}
	}
	return 0;
}

static bool is_for(const struct nf_hook_ops *ops, const struct nf_hook_state *state)
{
	if (ops->hooknum != state->hook)
		return false;
	return ops->pf == state->pf || (ops->pf == NFPROTO_INET &&
		(state->pf == NFPROTO_IPV4 || state->pf == NFPROTO_IPV6));
}

/* What becomes of a packet with this verdict, which is not NF_ACCEPT; see usermm_nf_hook(). */
static int end_with(unsigned int verdict, struct sk_buff *skb)
{
	int error = (int)(verdict >> NF_VERDICT_QBITS);

	switch (verdict & NF_VERDICT_MASK) {
	case NF_STOLEN:
		return 0;
	case NF_QUEUE:			/* no program listens */
		if (verdict & NF_VERDICT_FLAG_QUEUE_BYPASS)
			return 1;
		kfree_skb(skb);
		return 0;
	case NF_DROP:
		kfree_skb(skb);
		return error ? -error : -EPERM;
	}
	WARN_ON_ONCE(1);
	return 0;
}

int usermm_nf_hook(struct nf_hook_state *state, struct sk_buff *skb)
{
	struct hook *hook;
	int result = 1;

	rcu_read_lock();
	list_for_each_entry_rcu(hook, &hooks, node) {
		unsigned int verdict;

		if (!is_for(hook->ops, state))
			continue;
		do {
			verdict = hook->ops->hook(hook->ops->priv, skb, state);
		} while ((verdict & NF_VERDICT_MASK) == NF_REPEAT);
		if ((verdict & NF_VERDICT_MASK) != NF_ACCEPT)
			result = end_with(verdict, skb);
		if (result != 1)
			break;
	}
	rcu_read_unlock();
	return result;
}
