/* SPDX-License-Identifier: MIT */
/*
 * The machine's header, and the names that only kernel sources have; but not swab(), which is a
 * function of libc's <unistd.h>.
 */
#ifndef KERNEL_LINUX_SWAB_H
#define KERNEL_LINUX_SWAB_H

#include_next <linux/swab.h>

#define swab16 __swab16
#define swab32 __swab32
#define swab64 __swab64
#define swahw32 __swahw32
#define swahb32 __swahb32
#define swab16p __swab16p
#define swab32p __swab32p
#define swab64p __swab64p
#define swahw32p __swahw32p
#define swahb32p __swahb32p
#define swab16s __swab16s
#define swab32s __swab32s
#define swab64s __swab64s
#define swahw32s __swahw32s
#define swahb32s __swahb32s

/* Defines a function that converts n words in place. byteorder.h has more of them. */
#define USERMM_WORDS_CONVERTED(name, type, convert)			\
	static inline void name(type *words, unsigned int n)		\
	{								\
		for (unsigned int i = 0; i < n; i++)			\
			words[i] = convert(words[i]);			\
	}
USERMM_WORDS_CONVERTED(swab16_array, __u16, __swab16)
USERMM_WORDS_CONVERTED(swab32_array, __u32, __swab32)
USERMM_WORDS_CONVERTED(swab64_array, __u64, __swab64)

#endif
