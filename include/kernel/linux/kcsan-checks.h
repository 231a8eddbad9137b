/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KCSAN_CHECKS_H
#define KERNEL_LINUX_KCSAN_CHECKS_H

#define kcsan_check_access(ptr, size, type) ((void)(ptr))
#define ASSERT_EXCLUSIVE_WRITER(var) ((void)(var))
#define ASSERT_EXCLUSIVE_ACCESS(var) ((void)(var))

#endif
