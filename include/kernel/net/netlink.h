/* SPDX-License-Identifier: MIT */
/* Messages of netlink and their attributes. */
#ifndef __NET_NETLINK_H
#define __NET_NETLINK_H

#include <linux/netlink.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/types.h>

enum {
	NLA_UNSPEC, NLA_U8, NLA_U16, NLA_U32, NLA_U64, NLA_STRING, NLA_FLAG, NLA_MSECS,
	NLA_NESTED, NLA_NESTED_ARRAY, NLA_NUL_STRING, NLA_BINARY, NLA_S8, NLA_S16, NLA_S32,
	NLA_S64, NLA_BITFIELD32, NLA_REJECT,
};

struct netlink_ext_ack;

struct nla_policy {
	u8 type, validation_type;
	u16 len;
	union {
		u16 strict_start_type;
		u32 bitfield32_valid, mask;
		const char *reject_message;
		const struct nla_policy *nested_policy;
		const struct netlink_range_validation *range;
		const struct netlink_range_validation_signed *range_signed;
		struct {
			s16 min, max;
		};
		int (*validate)(const struct nlattr *attr, struct netlink_ext_ack *ack);
	};
};

struct netlink_range_validation {
	u64 min, max;
};

struct netlink_range_validation_signed {
	s64 min, max;
};

enum nla_policy_validation {
	NLA_VALIDATE_NONE, NLA_VALIDATE_RANGE, NLA_VALIDATE_RANGE_WARN_TOO_LONG, NLA_VALIDATE_MIN,
	NLA_VALIDATE_MAX, NLA_VALIDATE_MASK, NLA_VALIDATE_RANGE_PTR, NLA_VALIDATE_FUNCTION,
};

#define NLA_POLICY_RANGE(kind, least, most) \
	{ .type = (kind), .validation_type = NLA_VALIDATE_RANGE, .min = (least), .max = (most) }
#define NLA_POLICY_MIN(kind, least) \
	{ .type = (kind), .validation_type = NLA_VALIDATE_MIN, .min = (least) }
#define NLA_POLICY_MAX(kind, most) \
	{ .type = (kind), .validation_type = NLA_VALIDATE_MAX, .max = (most) }
#define NLA_POLICY_MASK(kind, bits) \
	{ .type = (kind), .validation_type = NLA_VALIDATE_MASK, .mask = (bits) }
#define NLA_POLICY_FULL_RANGE(kind, limits) \
	{ .type = (kind), .validation_type = NLA_VALIDATE_RANGE_PTR, .range = (limits) }
#define NLA_POLICY_VALIDATE_FN(kind, function, ...) \
	{ .type = (kind), .validation_type = NLA_VALIDATE_FUNCTION, .validate = (function), \
	  .len = (__VA_ARGS__ + 0) }
#define NLA_POLICY_NESTED(policy) \
	{ .type = NLA_NESTED, .nested_policy = (policy), .len = ARRAY_SIZE(policy) - 1 }
#define NLA_POLICY_NESTED_ARRAY(policy) \
	{ .type = NLA_NESTED_ARRAY, .nested_policy = (policy), .len = ARRAY_SIZE(policy) - 1 }
#define NLA_POLICY_EXACT_LEN(n) \
	{ .type = NLA_BINARY, .validation_type = NLA_VALIDATE_RANGE, .min = (n), .max = (n) }
#define NLA_POLICY_MIN_LEN(n) NLA_POLICY_MIN(NLA_BINARY, n)
#define NLA_POLICY_MAX_LEN(n) NLA_POLICY_MAX(NLA_BINARY, n)
#define NLA_POLICY_BITFIELD32(bits) { .type = NLA_BITFIELD32, .bitfield32_valid = (bits) }

static inline int nla_attr_size(int payload)
{
	return NLA_HDRLEN + payload;
}

static inline int nla_total_size(int payload)
{
	return NLA_ALIGN(nla_attr_size(payload));
}

static inline int nlmsg_msg_size(int payload)
{
	return NLMSG_HDRLEN + payload;
}

static inline int nlmsg_total_size(int payload)
{
	return NLMSG_ALIGN(nlmsg_msg_size(payload));
}

static inline void *nla_data(const struct nlattr *attr)
{
	return (char *)attr + NLA_HDRLEN;
}

static inline int nla_len(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

static inline int nla_type(const struct nlattr *attr)
{
	return attr->nla_type & NLA_TYPE_MASK;
}

#define USERMM_NLA_NUMBER(kind, type)						\
	static inline type nla_get_##kind(const struct nlattr *attr)		\
	{									\
		type value;							\
										\
		memcpy(&value, nla_data(attr), sizeof(value));			\
		return value;							\
	}									\
	static inline int nla_put_##kind(struct sk_buff *skb, int attr, type value) \
	{									\
		return nla_put(skb, attr, sizeof(value), &value);		\
	}

/* 0; -EMSGSIZE if there is no room. */
static inline int nla_put(struct sk_buff *skb, int type, int n, const void *data)
{
	struct nlattr *attr;

	if ((int)skb_tailroom(skb) < nla_total_size(n))
		return -EMSGSIZE;
	attr = skb_put_zero(skb, (unsigned int)nla_total_size(n));
	attr->nla_type = (__u16)type;
	attr->nla_len = (__u16)nla_attr_size(n);
	memcpy(nla_data(attr), data, (size_t)n);
	return 0;
}

USERMM_NLA_NUMBER(u8, u8)
USERMM_NLA_NUMBER(u16, u16)
USERMM_NLA_NUMBER(u32, u32)
USERMM_NLA_NUMBER(s32, s32)

static inline u64 nla_get_u64(const struct nlattr *attr)
{
	u64 value;

	memcpy(&value, nla_data(attr), sizeof(value));
	return value;
}

static inline int nla_put_u64_64bit(struct sk_buff *skb, int type, u64 value, int padding)
{
	(void)padding;
	return nla_put(skb, type, sizeof(value), &value);
}

static inline int nla_put_string(struct sk_buff *skb, int type, const char *text)
{
	return nla_put(skb, type, (int)strlen(text) + 1, text);
}

static inline int nla_put_flag(struct sk_buff *skb, int type)
{
	return nla_put(skb, type, 0, "");
}

/* The attributes that follow are inside of this one, up to nla_nest_end(). NULL without room. */
static inline struct nlattr *nla_nest_start_noflag(struct sk_buff *skb, int type)
{
	struct nlattr *attr = (struct nlattr *)skb_tail_pointer(skb);

	return nla_put(skb, type, 0, NULL) ? NULL : attr;
}

static inline struct nlattr *nla_nest_start(struct sk_buff *skb, int type)
{
	return nla_nest_start_noflag(skb, type | NLA_F_NESTED);
}

static inline int nla_nest_end(struct sk_buff *skb, struct nlattr *start)
{
	start->nla_len = (__u16)(skb_tail_pointer(skb) - (unsigned char *)start);
	return (int)skb->len;
}

static inline void nla_nest_cancel(struct sk_buff *skb, struct nlattr *start)
{
	if (start)
		skb_trim(skb, (unsigned int)((unsigned char *)start - skb->data));
}

static inline int nla_ok(const struct nlattr *attr, int left)
{
	return left >= (int)sizeof(*attr) && attr->nla_len >= sizeof(*attr) &&
	       attr->nla_len <= left;
}

static inline struct nlattr *nla_next(const struct nlattr *attr, int *left)
{
	int size = NLA_ALIGN(attr->nla_len);

	*left -= size;
	return (struct nlattr *)((char *)attr + size);
}

#define nla_for_each_attr(at, head, length, left) \
	for (at = head, left = length; nla_ok(at, left); at = nla_next(at, &(left)))
#define nla_for_each_nested(at, nest, left) \
	nla_for_each_attr(at, (struct nlattr *)nla_data(nest), nla_len(nest), left)

/* table[type] is the last attribute of each type up to max. Nothing is validated. */
static inline int nla_parse(struct nlattr **table, int max, const struct nlattr *head,
			    int length, const struct nla_policy *policy,
			    struct netlink_ext_ack *ack)
{
	const struct nlattr *at;
	int left;

	(void)policy;
	(void)ack;
	memset(table, 0, sizeof(*table) * ((size_t)max + 1));
	nla_for_each_attr(at, head, length, left)
		if (nla_type(at) > 0 && nla_type(at) <= max)
			table[nla_type(at)] = (struct nlattr *)at;
	return 0;
}

#define nla_parse_nested(table, max, nest, policy, ack) \
	nla_parse(table, max, (struct nlattr *)nla_data(nest), nla_len(nest), policy, ack)
#define nla_memcpy(to, attr, n) \
	((void)memcpy(to, nla_data(attr), min_t(size_t, n, (size_t)nla_len(attr))))
#define nla_strscpy(to, attr, n) usermm_strscpy(to, nla_data(attr), n)

static inline struct sk_buff *nlmsg_new(size_t payload, gfp_t gfp)
{
	return alloc_skb((unsigned int)nlmsg_total_size((int)payload), gfp);
}

static inline struct nlmsghdr *nlmsg_put(struct sk_buff *skb, u32 portid, u32 seq, int type,
					 int payload, int flags)
{
	struct nlmsghdr *header;

	if ((int)skb_tailroom(skb) < nlmsg_total_size(payload))
		return NULL;
	header = skb_put_zero(skb, (unsigned int)nlmsg_total_size(payload));
	header->nlmsg_type = (__u16)type;
	header->nlmsg_len = (__u32)nlmsg_msg_size(payload);
	header->nlmsg_flags = (__u16)flags;
	header->nlmsg_pid = portid;
	header->nlmsg_seq = seq;
	return header;
}

static inline void *nlmsg_data(const struct nlmsghdr *header)
{
	return (char *)header + NLMSG_HDRLEN;
}

static inline int nlmsg_len(const struct nlmsghdr *header)
{
	return (int)header->nlmsg_len - NLMSG_HDRLEN;
}

static inline int nlmsg_end(struct sk_buff *skb, struct nlmsghdr *header)
{
	header->nlmsg_len = (__u32)(skb_tail_pointer(skb) - (unsigned char *)header);
	return (int)skb->len;
}

#define NLMSG_DEFAULT_SIZE 3776
#define NLMSG_GOODSIZE NLMSG_DEFAULT_SIZE
#define nlmsg_free(skb) kfree_skb(skb)
#define nlmsg_unicast(sk, skb, portid) netlink_unicast(sk, skb, portid, 0)
#define nlmsg_multicast(sk, skb, portid, group, flags) \
	netlink_broadcast(sk, skb, portid, group, flags)

#endif
