/* SPDX-License-Identifier: MIT */
/* User memory is the process's own memory, so copies cannot fail. */
#ifndef KERNEL_LINUX_UACCESS_H
#define KERNEL_LINUX_UACCESS_H

#include <asm/tlbflush.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <usermm/compiler.h>

#define access_ok(address, size) ((void)(address), (void)(size), true)

static inline unsigned long copy_from_user(void *to, const void __user *from, unsigned long n)
{
	memcpy(to, from, n);
	return 0;
}

static inline unsigned long copy_to_user(void __user *to, const void *from, unsigned long n)
{
	memcpy(to, from, n);
	return 0;
}

static inline unsigned long clear_user(void __user *to, unsigned long n)
{
	memset(to, 0, n);
	return 0;
}

#define __copy_from_user(to, from, n) copy_from_user(to, from, n)
#define __copy_to_user(to, from, n) copy_to_user(to, from, n)
#define get_user(x, ptr) ((x) = *(ptr), 0)
#define put_user(x, ptr) (*(ptr) = (x), 0)
#define __get_user(x, ptr) get_user(x, ptr)
#define __put_user(x, ptr) put_user(x, ptr)
/* 0, or -EFAULT if one of the bytes is not accessible. */
long copy_from_kernel_nofault(void *to, const void *from, size_t n)
	USERMM_API(copy_from_kernel_nofault);
long copy_to_kernel_nofault(void *to, const void *from, size_t n)
	USERMM_API(copy_to_kernel_nofault);
#define get_kernel_nofault(x, ptr) copy_from_kernel_nofault(&(x), ptr, sizeof(x))
#define pagefault_disable() ((void)0)
#define pagefault_enable() ((void)0)
/* No page fault sleeps here. */
#define pagefault_disabled() true
#define faulthandler_disabled() true

#endif
