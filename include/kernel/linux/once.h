/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_ONCE_H
#define KERNEL_LINUX_ONCE_H

#include <linux/jump_label.h>
#include <linux/stringify.h>
#include <linux/types.h>

/* The first caller calls the function. Other callers do not wait for it. */
#define DO_ONCE(function, ...)						\
	({								\
		static bool once_done_;					\
		bool once_mine_ = !__atomic_exchange_n(&once_done_, true, __ATOMIC_ACQ_REL); \
									\
		if (once_mine_)						\
			function(__VA_ARGS__);				\
		once_mine_;						\
	})
#define DO_ONCE_SLEEPABLE(function, ...) DO_ONCE(function, ##__VA_ARGS__)
#define get_random_once(buffer, n) DO_ONCE(get_random_bytes, buffer, n)

#endif
