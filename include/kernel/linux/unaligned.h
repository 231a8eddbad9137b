/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_UNALIGNED_H
#define KERNEL_LINUX_UNALIGNED_H

#include <linux/types.h>
#include <linux/byteorder.h>

/* The bytes may have any type, because kernel code is compiled with -fno-strict-aliasing. */
#define get_unaligned(ptr)						\
	({								\
		const struct {						\
			__typeof__(*(ptr)) x;				\
		} __attribute__((__packed__, __may_alias__)) *unaligned_ = (const void *)(ptr); \
									\
		unaligned_->x;						\
	})
#define put_unaligned(value, ptr)					\
	do {								\
		struct {						\
			__typeof__(*(ptr)) x;				\
		} __attribute__((__packed__, __may_alias__)) *unaligned_ = (void *)(ptr); \
									\
		unaligned_->x = (value);				\
	} while (0)

/* Functions, not macros, since callers may write "return put_unaligned_...()". */
#define USERMM_UNALIGNED(order, bits)					\
	static inline u##bits get_unaligned_##order##bits(const void *p) \
	{								\
		return order##bits##_to_cpu(get_unaligned((const __##order##bits *)p)); \
	}								\
	static inline void put_unaligned_##order##bits(u##bits value, void *p) \
	{								\
		put_unaligned(cpu_to_##order##bits(value), (__##order##bits *)p); \
	}
USERMM_UNALIGNED(le, 16)
USERMM_UNALIGNED(le, 32)
USERMM_UNALIGNED(le, 64)
USERMM_UNALIGNED(be, 16)
USERMM_UNALIGNED(be, 32)
USERMM_UNALIGNED(be, 64)
#undef USERMM_UNALIGNED

#endif
