/* SPDX-License-Identifier: MIT */
/*
 * Wraps libc's header, which defines both __BIG_ENDIAN and __LITTLE_ENDIAN. For kernel sources only
 * the machine's order is defined (linux/byteorder.h). libc's own comparisons with __BYTE_ORDER
 * stay right: an undefined name counts as 0 there.
 */
#include_next <bits/endian.h>
#ifdef KERNEL_LINUX_BYTEORDER_H
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#undef __BIG_ENDIAN
#else
#undef __LITTLE_ENDIAN
#endif
#endif
