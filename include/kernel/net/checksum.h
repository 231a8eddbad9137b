/* SPDX-License-Identifier: MIT */
#ifndef _CHECKSUM_H
#define _CHECKSUM_H

#include <asm/checksum.h>
#include <linux/byteorder.h>
#include <linux/errno.h>
#include <linux/types.h>
#include <linux/uaccess.h>

struct sk_buff;

#define CSUM_MANGLED_0 ((__sum16)0xffff)

static inline __wsum csum_add(__wsum sum, __wsum addend)
{
	u32 result = (u32)sum + (u32)addend;

	return (__wsum)(result + (result < (u32)addend));
}

static inline __wsum csum_sub(__wsum sum, __wsum subtrahend)
{
	return csum_add(sum, ~subtrahend);
}

static inline __sum16 csum16_add(__sum16 sum, __be16 addend)
{
	u16 result = (u16)((u16)sum + (u16)addend);

	return (__sum16)(result + (result < (u16)addend));
}

static inline __wsum csum_unfold(__sum16 sum)
{
	return (__wsum)sum;
}

/* The sum of a packet in which these words change. */
static inline void csum_replace4(__sum16 *sum, __be32 from, __be32 to)
{
	__wsum without = csum_sub(~csum_unfold(*sum), (__wsum)from);

	*sum = csum_fold(csum_add(without, (__wsum)to));
}

USERMM_BEGIN_DECLS

/* The sum in a TCP or UDP header, as a word changes that its pseudo header has too, or not. */
void inet_proto_csum_replace4(__sum16 *sum, struct sk_buff *skb, __be32 from, __be32 to,
			      bool pseudohdr)
	USERMM_API(inet_proto_csum_replace4);

USERMM_END_DECLS

#define inet_proto_csum_replace2(sum, skb, from, to, pseudohdr) \
	inet_proto_csum_replace4(sum, skb, (__be32)(from), (__be32)(to), pseudohdr)

static inline void csum_replace2(__sum16 *sum, __be16 from, __be16 to)
{
	*sum = (__sum16)~csum16_add(csum16_add((__sum16)~*sum, (__be16)~from), to);
}

#endif
