/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_ARRAY_SIZE_H
#define KERNEL_LINUX_ARRAY_SIZE_H

#include <linux/compiler.h>

#undef ARRAY_SIZE
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]) + __must_be_array(array))

/* The address behind the last entry. */
#define ARRAY_END(array) (&(array)[ARRAY_SIZE(array)])

#endif
