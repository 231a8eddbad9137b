/* SPDX-License-Identifier: MIT */
/* Wraps libc's header: if <linux/byteorder.h> came first, these names are macros. */
#ifdef KERNEL_LINUX_BYTEORDER_H
#pragma push_macro("htons")
#pragma push_macro("htonl")
#pragma push_macro("ntohs")
#pragma push_macro("ntohl")
#undef htons
#undef htonl
#undef ntohs
#undef ntohl
#endif
#include_next <arpa/inet.h>
#ifdef KERNEL_LINUX_BYTEORDER_H
#pragma pop_macro("htons")
#pragma pop_macro("htonl")
#pragma pop_macro("ntohs")
#pragma pop_macro("ntohl")
#endif
