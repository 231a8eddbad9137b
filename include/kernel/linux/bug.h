/* SPDX-License-Identifier: MIT */
/*
 * BUG() prints a line with the place, prints the stack, and calls abort(). WARN() prints the same
 * and goes on; its value is the condition's. A warning that a test suppresses is not printed, and
 * does not use up a WARN_ONCE().
 */
#ifndef KERNEL_LINUX_BUG_H
#define KERNEL_LINUX_BUG_H

#include <kunit/test-bug.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/types.h>
#include <usermm/compiler.h>

enum bug_trap_type { BUG_TRAP_TYPE_NONE, BUG_TRAP_TYPE_WARN, BUG_TRAP_TYPE_BUG };

void usermm_bug(const char *file, int line, const char *function)
	__attribute__((__noreturn__, __cold__, __visibility__("default")));
/* format may be NULL. */
void usermm_warn(const char *file, int line, const char *function, const char *format, ...)
	__attribute__((__cold__, __visibility__("default"))) __printf(4, 5);

#define BUG() usermm_bug(__FILE__, __LINE__, __func__)
#define BUG_ON(condition)						\
	do {								\
		if (unlikely(condition))				\
			BUG();						\
	} while (0)

#define WARN(condition, format...)					\
	({								\
		int warn_ = !!(condition);				\
									\
		if (unlikely(warn_))					\
			usermm_warn(__FILE__, __LINE__, __func__, format); \
		unlikely(warn_);					\
	})
#define WARN_ON(condition)						\
	({								\
		int warn_ = !!(condition);				\
									\
		if (unlikely(warn_))					\
			usermm_warn(__FILE__, __LINE__, __func__, NULL); \
		unlikely(warn_);					\
	})
#define WARN_ONCE(condition, format...)					\
	({								\
		static bool warned_;					\
		int warn_once_ = !!(condition);				\
									\
		if (unlikely(warn_once_) && !kunit_is_suppressed_warning(true) && \
		    !__atomic_exchange_n(&warned_, true, __ATOMIC_RELAXED)) \
			usermm_warn(__FILE__, __LINE__, __func__, format); \
		unlikely(warn_once_);					\
	})
#define WARN_ON_ONCE(condition)						\
	({								\
		static bool warned_;					\
		int warn_once_ = !!(condition);				\
									\
		if (unlikely(warn_once_) && !kunit_is_suppressed_warning(true) && \
		    !__atomic_exchange_n(&warned_, true, __ATOMIC_RELAXED)) \
			usermm_warn(__FILE__, __LINE__, __func__, NULL); \
		unlikely(warn_once_);					\
	})
#define WARN_TAINT(condition, taint, format...) WARN(condition, format)
#define WARN_TAINT_ONCE(condition, taint, format...) WARN_ONCE(condition, format)
#define WARN_ON_SMP(condition) WARN_ON(condition)
#define CHECK_DATA_CORRUPTION(condition, format...) WARN(condition, format)

#endif
