/* SPDX-License-Identifier: MIT */
/* A pointer to a program's memory or to the kernel's. */
#ifndef _LINUX_SOCKPTR_H
#define _LINUX_SOCKPTR_H

#include <linux/slab.h>
#include <linux/types.h>
#include <linux/uaccess.h>

typedef struct {
	union {
		void *kernel;
		void __user *user;
	};
	bool is_kernel : 1;
} sockptr_t;

static inline sockptr_t KERNEL_SOCKPTR(void *pointer)
{
	return (sockptr_t){ .kernel = pointer, .is_kernel = true };
}

static inline sockptr_t USER_SOCKPTR(void __user *pointer)
{
	return (sockptr_t){ .user = pointer };
}

static inline bool sockptr_is_null(sockptr_t pointer)
{
	return !pointer.user;
}

static inline int copy_from_sockptr(void *to, sockptr_t from, size_t n)
{
	if (!from.is_kernel)
		return copy_from_user(to, from.user, n) ? -EFAULT : 0;
	memcpy(to, from.kernel, n);
	return 0;
}

static inline int copy_to_sockptr(sockptr_t to, const void *from, size_t n)
{
	if (!to.is_kernel)
		return copy_to_user(to.user, from, n) ? -EFAULT : 0;
	memcpy(to.kernel, from, n);
	return 0;
}

#endif
