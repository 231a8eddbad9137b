/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_ONCE_LITE_H
#define KERNEL_LINUX_ONCE_LITE_H

#include <linux/types.h>

#define DO_ONCE_LITE_IF(condition, function, ...)			\
	({								\
		static bool once_done_;					\
		bool once_condition_ = !!(condition);			\
									\
		if (once_condition_ && !once_done_) {			\
			once_done_ = true;				\
			function(__VA_ARGS__);				\
		}							\
		once_condition_;					\
	})
#define DO_ONCE_LITE(function, ...) DO_ONCE_LITE_IF(true, function, ##__VA_ARGS__)

#endif
