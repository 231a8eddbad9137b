/* SPDX-License-Identifier: MIT */
/* Checks at compile time. */
#ifndef KERNEL_LINUX_BUILD_BUG_H
#define KERNEL_LINUX_BUILD_BUG_H

#include <linux/compiler.h>

#define BUILD_BUG_ON_ZERO(e, ...) ((int)(sizeof(struct { int : (-!!(e)); })))
#define BUILD_BUG_ON_INVALID(e) ((void)sizeof((long)(e)))
#define BUILD_BUG_ON_MSG(condition, text) compiletime_assert(!(condition), text)
#define BUILD_BUG_ON(condition) BUILD_BUG_ON_MSG(condition, "BUILD_BUG_ON failed: " #condition)
#define BUILD_BUG_ON_NOT_POWER_OF_2(n) BUILD_BUG_ON((n) == 0 || (((n) & ((n) - 1)) != 0))
#define BUILD_BUG() BUILD_BUG_ON_MSG(1, "BUILD_BUG failed")

/* As in the kernel, the text may be left out. */
#define KERNEL_STATIC_ASSERT(condition, text, ...) _Static_assert(condition, text)
#undef static_assert
#define static_assert(condition, ...) KERNEL_STATIC_ASSERT(condition, ## __VA_ARGS__, #condition)

#endif
