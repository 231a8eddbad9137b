/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_UNALIGNED_H
#define KERNEL_LINUX_UNALIGNED_H

#include <linux/types.h>
#include <linux/byteorder.h>

#define get_unaligned(ptr)						\
	({								\
		const struct { __typeof__(*(ptr)) x; } __attribute__((__packed__)) *unaligned_ = \
			(const void *)(ptr);				\
									\
		unaligned_->x;						\
	})
#define put_unaligned(value, ptr)					\
	do {								\
		struct { __typeof__(*(ptr)) x; } __attribute__((__packed__)) *unaligned_ = \
			(void *)(ptr);					\
									\
		unaligned_->x = (value);				\
	} while (0)
#define get_unaligned_le16(p) le16_to_cpu(get_unaligned((const __le16 *)(p)))
#define get_unaligned_le32(p) le32_to_cpu(get_unaligned((const __le32 *)(p)))
#define get_unaligned_le64(p) le64_to_cpu(get_unaligned((const __le64 *)(p)))
#define get_unaligned_be16(p) be16_to_cpu(get_unaligned((const __be16 *)(p)))
#define get_unaligned_be32(p) be32_to_cpu(get_unaligned((const __be32 *)(p)))
#define get_unaligned_be64(p) be64_to_cpu(get_unaligned((const __be64 *)(p)))
#define put_unaligned_le16(v, p) put_unaligned(cpu_to_le16(v), (__le16 *)(p))
#define put_unaligned_le32(v, p) put_unaligned(cpu_to_le32(v), (__le32 *)(p))
#define put_unaligned_le64(v, p) put_unaligned(cpu_to_le64(v), (__le64 *)(p))
#define put_unaligned_be16(v, p) put_unaligned(cpu_to_be16(v), (__be16 *)(p))
#define put_unaligned_be32(v, p) put_unaligned(cpu_to_be32(v), (__be32 *)(p))
#define put_unaligned_be64(v, p) put_unaligned(cpu_to_be64(v), (__be64 *)(p))

#endif
