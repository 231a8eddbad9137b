/* SPDX-License-Identifier: MIT */
/* Flags and requests of network devices: libc's, to which the system's header adds the rest. */
#ifndef KERNEL_LINUX_IF_H
#define KERNEL_LINUX_IF_H

#include <linux/libc-compat.h>
#include <linux/socket.h>	/* before libc's: see there */
#include <net/if.h>

/* libc has these, whatever was known of it when the compatibility header came. */
#undef __UAPI_DEF_IF_IFCONF
#undef __UAPI_DEF_IF_IFMAP
#undef __UAPI_DEF_IF_IFNAMSIZ
#undef __UAPI_DEF_IF_IFREQ
#undef __UAPI_DEF_IF_NET_DEVICE_FLAGS
#define __UAPI_DEF_IF_IFCONF 0
#define __UAPI_DEF_IF_IFMAP 0
#define __UAPI_DEF_IF_IFNAMSIZ 0
#define __UAPI_DEF_IF_IFREQ 0
#define __UAPI_DEF_IF_NET_DEVICE_FLAGS 0
#ifdef IFF_LOWER_UP
#undef __UAPI_DEF_IF_NET_DEVICE_FLAGS_LOWER_UP_DORMANT_ECHO
#define __UAPI_DEF_IF_NET_DEVICE_FLAGS_LOWER_UP_DORMANT_ECHO 0
#endif
#include_next <linux/if.h>

#endif
