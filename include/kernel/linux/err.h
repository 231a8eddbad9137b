/* SPDX-License-Identifier: MIT */
/* Error pointers: the last 4095 addresses stand for -1 to -4095. */
#ifndef KERNEL_LINUX_ERR_H
#define KERNEL_LINUX_ERR_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>

#define MAX_ERRNO 4095
#define IS_ERR_VALUE(x) unlikely((unsigned long)(void *)(x) >= (unsigned long)-MAX_ERRNO)
#define IOMEM_ERR_PTR(error) (__force void __iomem *)ERR_PTR(error)

static inline void *__must_check ERR_PTR(long error)
{
	return (void *)error;
}

static inline long __must_check PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool __must_check IS_ERR(const void *ptr)
{
	return IS_ERR_VALUE((unsigned long)ptr);
}

static inline bool __must_check IS_ERR_OR_NULL(const void *ptr)
{
	return !ptr || IS_ERR(ptr);
}

static inline void *__must_check ERR_CAST(const void *ptr)
{
	return (void *)ptr;
}

static inline int __must_check PTR_ERR_OR_ZERO(const void *ptr)
{
	return IS_ERR(ptr) ? (int)PTR_ERR(ptr) : 0;
}

#define ERR_PTR_PCPU(error) ((void __percpu *)ERR_PTR(error))
#define PTR_ERR_PCPU(pointer) PTR_ERR((const void *)(__force const unsigned long)(pointer))
#define IS_ERR_PCPU(pointer) IS_ERR((const void *)(__force const unsigned long)(pointer))

#endif
