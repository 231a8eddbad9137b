/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_BSEARCH_H
#define KERNEL_LINUX_BSEARCH_H

#include <linux/types.h>

/* libc's function. From glibc 2.43 on it is also a macro. */
void *(bsearch)(const void *key, const void *base, size_t n, size_t size, cmp_func_t compare);

#endif
