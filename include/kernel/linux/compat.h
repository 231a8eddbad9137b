/* SPDX-License-Identifier: MIT */
/* No program of another word size calls. */
#ifndef _LINUX_COMPAT_H
#define _LINUX_COMPAT_H

#include <asm/ptrace.h>
#include <linux/fs.h>
#include <linux/types.h>
#include <linux/uaccess.h>

typedef u32 compat_uptr_t;
typedef s32 compat_int_t;
typedef s32 compat_long_t;
typedef u32 compat_uint_t;
typedef u32 compat_ulong_t;
typedef u32 compat_size_t;

#define compat_ptr(pointer) ((void __user *)(unsigned long)(pointer))
#define ptr_to_compat(pointer) ((compat_uptr_t)(unsigned long)(pointer))
#define in_compat_syscall() false
#define is_compat_task() 0

#endif
