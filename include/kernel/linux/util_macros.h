/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_UTIL_MACROS_H
#define KERNEL_LINUX_UTIL_MACROS_H

#include <asm/div64.h>
#include <linux/math.h>
#include <linux/minmax.h>

/* The index of the entry of a sorted array that is nearest to x; of two, the smaller one. */
#define USERMM_FIND_CLOSEST(x, array, n, is_beyond)			\
	({								\
		long closest_x_ = (x);					\
		int closest_n_ = (int)(n), closest_i_ = 0;		\
									\
		/* beyond the middle of two entries the next one is nearer */ \
		while (closest_i_ < closest_n_ - 1 &&			\
		       2 * closest_x_ is_beyond (long)(array)[closest_i_] + \
						(long)(array)[closest_i_ + 1]) \
			closest_i_++;					\
		closest_i_;						\
	})
#define find_closest(x, array, n) USERMM_FIND_CLOSEST(x, array, n, >)
#define find_closest_descending(x, array, n) USERMM_FIND_CLOSEST(x, array, n, <=)
#define PTR_IF(condition, ptr) ((condition) ? (ptr) : NULL)
#define u64_to_user_ptr(x) ((void __user *)(uintptr_t)(u64)(x))
#define is_insidevar(ptr, var)						\
	((uintptr_t)(ptr) >= (uintptr_t)(var) && (uintptr_t)(ptr) < (uintptr_t)(var) + sizeof(var))

#endif
