/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_CONTAINER_OF_H
#define KERNEL_LINUX_CONTAINER_OF_H

#include <linux/build_bug.h>
#include <linux/stddef.h>

#define typeof_member(type, member) __typeof__(((type *)0)->member)

/* The structure of this type whose member ptr points to. */
#define container_of(ptr, type, member)						\
	({									\
		void *container_of_ = (void *)(ptr);				\
										\
		_Static_assert(__same_type(*(ptr), ((type *)0)->member) ||	\
			       __same_type(*(ptr), void),			\
			       "the pointer is not one to this member");	\
		(type *)((char *)container_of_ - offsetof(type, member));	\
	})
#define container_of_const(ptr, type, member)					\
	_Generic(ptr,								\
		 const __typeof__(*(ptr)) *:					\
			(const type *)container_of(ptr, type, member),		\
		 default: (type *)container_of(ptr, type, member))

#endif
