/* SPDX-License-Identifier: MIT */
/*
 * Kernel sources ask for the order of bytes by `#ifdef __BIG_ENDIAN` and `#ifdef __LITTLE_ENDIAN`:
 * one of the two is defined, also when a header of libc was or will be included
 * (bits/endian.h).
 */
#ifndef KERNEL_LINUX_BYTEORDER_H
#define KERNEL_LINUX_BYTEORDER_H

#include <asm/byteorder.h>
#include <linux/types.h>
#include <linux/swab.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define USERMM_LE(bits, x) (x)
#define USERMM_BE(bits, x) __builtin_bswap##bits(x)
#undef __BIG_ENDIAN
#else
#define USERMM_LE(bits, x) __builtin_bswap##bits(x)
#define USERMM_BE(bits, x) (x)
#undef __LITTLE_ENDIAN
#endif
#define cpu_to_le16(x) ((__le16)USERMM_LE(16, (__u16)(x)))
#define cpu_to_le32(x) ((__le32)USERMM_LE(32, (__u32)(x)))
#define cpu_to_le64(x) ((__le64)USERMM_LE(64, (__u64)(x)))
#define le16_to_cpu(x) ((__u16)USERMM_LE(16, (__u16)(__le16)(x)))
#define le32_to_cpu(x) ((__u32)USERMM_LE(32, (__u32)(__le32)(x)))
#define le64_to_cpu(x) ((__u64)USERMM_LE(64, (__u64)(__le64)(x)))
#define cpu_to_be16(x) ((__be16)USERMM_BE(16, (__u16)(x)))
#define cpu_to_be32(x) ((__be32)USERMM_BE(32, (__u32)(x)))
#define cpu_to_be64(x) ((__be64)USERMM_BE(64, (__u64)(x)))
#define be16_to_cpu(x) ((__u16)USERMM_BE(16, (__u16)(__be16)(x)))
#define be32_to_cpu(x) ((__u32)USERMM_BE(32, (__u32)(__be32)(x)))
#define be64_to_cpu(x) ((__u64)USERMM_BE(64, (__u64)(__be64)(x)))
#undef htons
#undef htonl
#undef ntohs
#undef ntohl
#define htons(x) cpu_to_be16(x)
#define htonl(x) cpu_to_be32(x)
#define ntohs(x) be16_to_cpu(x)
#define ntohl(x) be32_to_cpu(x)

/* Functions, not macros, since callers may pass a void pointer. */
#define USERMM_ORDERED_LOAD(order, bits)				\
	static inline __u##bits order##bits##_to_cpup(const __##order##bits *p) \
	{								\
		return order##bits##_to_cpu(*p);			\
	}
USERMM_ORDERED_LOAD(le, 16)
USERMM_ORDERED_LOAD(le, 32)
USERMM_ORDERED_LOAD(le, 64)
USERMM_ORDERED_LOAD(be, 16)
USERMM_ORDERED_LOAD(be, 32)
USERMM_ORDERED_LOAD(be, 64)
#undef USERMM_ORDERED_LOAD

#define USERMM_ORDERED_SUM(order, bits)					\
	static inline void order##bits##_add_cpu(__##order##bits *p, __u##bits n) \
	{								\
		*p = cpu_to_##order##bits((__u##bits)(order##bits##_to_cpu(*p) + n)); \
	}
USERMM_ORDERED_SUM(le, 16)
USERMM_ORDERED_SUM(le, 32)
USERMM_ORDERED_SUM(le, 64)
USERMM_ORDERED_SUM(be, 16)
USERMM_ORDERED_SUM(be, 32)
USERMM_ORDERED_SUM(be, 64)
#undef USERMM_ORDERED_SUM

USERMM_WORDS_CONVERTED(le32_to_cpu_array, u32, le32_to_cpu)
USERMM_WORDS_CONVERTED(cpu_to_le32_array, u32, cpu_to_le32)
USERMM_WORDS_CONVERTED(le64_to_cpu_array, u64, le64_to_cpu)
USERMM_WORDS_CONVERTED(cpu_to_le64_array, u64, cpu_to_le64)
USERMM_WORDS_CONVERTED(be32_to_cpu_array, u32, be32_to_cpu)
USERMM_WORDS_CONVERTED(cpu_to_be32_array, u32, cpu_to_be32)
USERMM_WORDS_CONVERTED(be64_to_cpu_array, u64, be64_to_cpu)
USERMM_WORDS_CONVERTED(cpu_to_be64_array, u64, cpu_to_be64)

/* In place; p is evaluated once. It may point to a member of a packed structure. */
#define USERMM_IN_PLACE(convert, p)					\
	((void)({							\
		struct {						\
			__typeof__(*(p)) x;				\
		} __attribute__((__packed__, __may_alias__)) *in_place_ = (void *)(p); \
									\
		in_place_->x = convert(in_place_->x);			\
	}))
#define le16_to_cpus(p) USERMM_IN_PLACE(le16_to_cpu, p)
#define cpu_to_le16s(p) USERMM_IN_PLACE(cpu_to_le16, p)
#define le32_to_cpus(p) USERMM_IN_PLACE(le32_to_cpu, p)
#define cpu_to_le32s(p) USERMM_IN_PLACE(cpu_to_le32, p)
#define le64_to_cpus(p) USERMM_IN_PLACE(le64_to_cpu, p)
#define cpu_to_le64s(p) USERMM_IN_PLACE(cpu_to_le64, p)
#define be16_to_cpus(p) USERMM_IN_PLACE(be16_to_cpu, p)
#define cpu_to_be16s(p) USERMM_IN_PLACE(cpu_to_be16, p)
#define be32_to_cpus(p) USERMM_IN_PLACE(be32_to_cpu, p)
#define cpu_to_be32s(p) USERMM_IN_PLACE(cpu_to_be32, p)
#define be64_to_cpus(p) USERMM_IN_PLACE(be64_to_cpu, p)
#define cpu_to_be64s(p) USERMM_IN_PLACE(cpu_to_be64, p)

#endif
