/* SPDX-License-Identifier: MIT */
/* Indices that a processor must not use beyond an array, even when it guesses a branch wrong. */
#ifndef _LINUX_NOSPEC_H
#define _LINUX_NOSPEC_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* All bits if index < size, else none, by arithmetic: no branch that could be guessed. */
static inline unsigned long array_index_mask_nospec(unsigned long index, unsigned long size)
{
	OPTIMIZER_HIDE_VAR(index);
	return (unsigned long)(~(long)(index | (size - 1UL - index)) >> (sizeof(long) * 8 - 1));
}

/* index if it is below size, else 0. In any context. */
#define array_index_nospec(index, size)						\
	({									\
		typeof(index) usermm_index = (index);				\
		typeof(size) usermm_size = (size);				\
										\
		(typeof(usermm_index))(usermm_index &				\
			array_index_mask_nospec(usermm_index, usermm_size));	\
	})

#endif
