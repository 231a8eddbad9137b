/* SPDX-License-Identifier: MIT */
/* Macros about the arguments of macros: up to fifteen are counted. */
#ifndef KERNEL_LINUX_ARGS_H
#define KERNEL_LINUX_ARGS_H

#define USERMM_COUNT_ARGS(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, \
			  n, ...) n
#define COUNT_ARGS(args...) \
	USERMM_COUNT_ARGS(, ##args, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define USERMM_CONCATENATE(a, b) a##b
#define CONCATENATE(a, b) USERMM_CONCATENATE(a, b)

#endif
