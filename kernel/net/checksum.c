// SPDX-License-Identifier: MIT
/* Sums of the Internet protocols: see asm/checksum.h. RFC 1071. */
#include <asm/checksum.h>
#include <linux/string.h>

static u32 add(u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	return (u32)((sum & 0xffffffff) + (sum >> 32));
}

__wsum csum_partial(const void *bytes, int n, __wsum sum)
{
	const unsigned char *p = bytes;
	u64 total = (u32)sum;
	u16 word;

	for (; n > 1; n -= 2, p += 2) {
		memcpy(&word, p, sizeof(word));
		total += word;
	}
	if (n) {
		word = 0;
		memcpy(&word, p, 1);
		total += word;
	}
	return (__wsum)add(total);
}

__sum16 ip_fast_csum(const void *header, unsigned int nr_words)
{
	return csum_fold(csum_partial(header, (int)nr_words * 4, 0));
}

__sum16 ip_compute_csum(const void *bytes, int n)
{
	return csum_fold(csum_partial(bytes, n, 0));
}

__wsum csum_tcpudp_nofold(__be32 from, __be32 to, __u32 n, __u8 protocol, __wsum sum)
{
	u64 total = (u32)sum;

	total += (u32)from;
	total += (u32)to;
#ifdef __BIG_ENDIAN
	total += (u64)n + protocol;
#else
	total += (u64)(n + protocol) << 8;
#endif
	return (__wsum)add(total);
}
