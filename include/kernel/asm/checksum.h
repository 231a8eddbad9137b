/* SPDX-License-Identifier: MIT */
/*
 * Internet checksums: sums of 16-bit words, whose carries are added. A source that is built beside
 * the kernel's lib/checksum.c has that one's functions.
 */
#ifndef KERNEL_ASM_CHECKSUM_H
#define KERNEL_ASM_CHECKSUM_H

#include <linux/byteorder.h>
#include <linux/types.h>
#include <usermm/compiler.h>

USERMM_BEGIN_DECLS

__wsum csum_partial(const void *bytes, int n, __wsum sum) USERMM_API(csum_partial);
__sum16 ip_fast_csum(const void *header, unsigned int nr_words) USERMM_API(ip_fast_csum);
__sum16 ip_compute_csum(const void *bytes, int n) USERMM_API(ip_compute_csum);
__wsum csum_tcpudp_nofold(__be32 from, __be32 to, __u32 n, __u8 protocol, __wsum sum)
	USERMM_API(csum_tcpudp_nofold);

USERMM_END_DECLS

#define csum_partial_copy_nocheck(from, to, n) csum_partial(memcpy(to, from, n), n, 0)

static inline __sum16 csum_fold(__wsum sum)
{
	u32 folded = (u32)sum;

	folded = (folded & 0xffff) + (folded >> 16);
	folded = (folded & 0xffff) + (folded >> 16);
	return (__sum16)~folded;
}

static inline __sum16 csum_tcpudp_magic(__be32 from, __be32 to, __u32 n, __u8 protocol, __wsum sum)
{
	return csum_fold(csum_tcpudp_nofold(from, to, n, protocol, sum));
}

#endif
