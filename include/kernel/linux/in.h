/* SPDX-License-Identifier: MIT */
/* Addresses and protocols: libc's, since in a kernel source the system's header clashes with it. */
#ifndef KERNEL_LINUX_IN_H
#define KERNEL_LINUX_IN_H

#include <linux/byteorder.h>
#include <linux/socket.h>	/* before libc's: see there */
#include <linux/types.h>
#include <netinet/in.h>

static inline bool ipv4_is_loopback(__be32 address)
{
	return be32_to_cpu(address) >> 24 == 127;
}

static inline bool ipv4_is_multicast(__be32 address)
{
	return be32_to_cpu(address) >> 28 == 14;
}

static inline bool ipv4_is_local_multicast(__be32 address)
{
	return be32_to_cpu(address) >> 8 == 0xe00000;
}

static inline bool ipv4_is_lbcast(__be32 address)
{
	return address == (__be32)~0U;
}

static inline bool ipv4_is_zeronet(__be32 address)
{
	return !(be32_to_cpu(address) >> 24);
}

static inline bool ipv4_is_private_10(__be32 address)
{
	return be32_to_cpu(address) >> 24 == 10;
}

static inline bool ipv4_is_private_172(__be32 address)
{
	return be32_to_cpu(address) >> 20 == 0xac1;
}

static inline bool ipv4_is_private_192(__be32 address)
{
	return be32_to_cpu(address) >> 16 == 0xc0a8;
}

static inline bool ipv4_is_linklocal_169(__be32 address)
{
	return be32_to_cpu(address) >> 16 == 0xa9fe;
}

#endif
