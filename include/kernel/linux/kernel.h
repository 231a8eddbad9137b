/* SPDX-License-Identifier: MIT */
/* Common macros that every source expects, and the headers that this one must include. */
#ifdef KERNEL_FOR_SYSINFO
#include_next <linux/kernel.h>
#elif !defined(KERNEL_LINUX_KERNEL_H)
#define KERNEL_LINUX_KERNEL_H

#include <stdarg.h>

#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/byteorder.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hex.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/sprintf.h>
#include <linux/stddef.h>
#include <linux/stringify.h>
#include <linux/typecheck.h>
#include <linux/types.h>
#include <linux/util_macros.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define STACK_MAGIC 0xdeadbeef
#else
USERMM_REMOVED(STACK_MAGIC, "7.0", "a constant of your own")
#endif
#define PTR_ALIGN(ptr, to) ((__typeof__(ptr))ALIGN((unsigned long)(ptr), (to)))
#define PTR_ALIGN_DOWN(ptr, to) ((__typeof__(ptr))ALIGN_DOWN((unsigned long)(ptr), (to)))
#define REPEAT_BYTE(x) (~0UL / 0xff * (x))
#define upper_32_bits(n) ((u32)(((n) >> 16) >> 16))
#define lower_32_bits(n) ((u32)((n) & 0xffffffff))
#define upper_16_bits(n) ((u16)((n) >> 16))
#define lower_16_bits(n) ((u16)((n) & 0xffff))
#define _RET_IP_ ((unsigned long)__builtin_return_address(0))
#define READ 0
#define WRITE 1
#define _THIS_IP_ ({ __label__ here_; here_: (unsigned long)&&here_; })
#define trace_printk(fmt, ...) printk(KERN_DEBUG fmt, ## __VA_ARGS__)
#define TAINT_WARN 9
#define TAINT_OOT_MODULE 12
#define TAINT_USER 6
#define LOCKDEP_STILL_OK 1
#define LOCKDEP_NOW_UNRELIABLE 0

enum system_states {
	SYSTEM_BOOTING, SYSTEM_SCHEDULING, SYSTEM_FREEING_INITMEM, SYSTEM_RUNNING,
	SYSTEM_HALT, SYSTEM_POWER_OFF, SYSTEM_RESTART,
};
#define system_state SYSTEM_RUNNING

static inline void add_taint(unsigned int flag, int lockdep)
{
	(void)flag;
	(void)lockdep;
}

/*
 * Reads the number at *text, and moves *text behind it and a comma. Returns 0: no number; 1: it is
 * the last one; 2: a comma follows; 3: a range follows, and this is its first number.
 */
int get_option(char **text, int *value) USERMM_API(get_option);
/* values[0] is how many of at most nr - 1 numbers were stored; ranges are written out. */
char *get_options(const char *text, int nr, int *values) USERMM_API(get_options);
unsigned long long memparse(const char *text, char **end);
/* Is the option one of the words of the text, which commas separate? */
bool parse_option_str(const char *text, const char *option) USERMM_API(parse_option_str);
/* Splits name=value, with quotes, off the text; what follows is returned. */
char *next_arg(char *args, char **name, char **value) USERMM_API(next_arg);

void usermm_might_sleep(const char *file, int line) __attribute__((visibility("default")));

/* Reports a caller that must not sleep: preemption or interrupts are off. */
#define might_sleep() usermm_might_sleep(__FILE__, __LINE__)
#define might_sleep_if(condition)					\
	do {								\
		if (condition)						\
			might_sleep();					\
	} while (0)
#define might_resched() ((void)0)
#define cant_sleep() ((void)0)
#define non_block_start() ((void)0)
#define non_block_end() ((void)0)
#define might_fault() ((void)0)

/* An octal mode of a file in /sys; an error if it is a wrong one, such as 644 or 0666. */
#define VERIFY_OCTAL_PERMISSIONS(mode)					\
	(BUILD_BUG_ON_ZERO((mode) < 0) + BUILD_BUG_ON_ZERO((mode) > 0777) + \
	 BUILD_BUG_ON_ZERO((((mode) >> 6) & 4) < (((mode) >> 3) & 4)) +	\
	 BUILD_BUG_ON_ZERO((((mode) >> 3) & 4) < ((mode) & 4)) +		\
	 BUILD_BUG_ON_ZERO((((mode) >> 6) & 2) < (((mode) >> 3) & 2)) +	\
	 BUILD_BUG_ON_ZERO((mode) & 2) + (mode))

#endif
