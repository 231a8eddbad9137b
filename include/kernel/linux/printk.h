/* SPDX-License-Identifier: MIT */
/*
 * The kernel log. A line goes to stderr in dmesg's format, "[    0.000123] text", unless a runner
 * has set a sink. kernel/lib/vsprintf.c lists the kernel's letters after %p.
 */
#ifndef KERNEL_LINUX_PRINTK_H
#define KERNEL_LINUX_PRINTK_H

#include <linux/linkage.h>
#include <linux/once_lite.h>
#include <linux/stdarg.h>
#include <stdarg.h>

#include <linux/init.h>
#include <linux/compiler.h>
#include <linux/kern_levels.h>
#include <linux/types.h>
#include <usermm/compiler.h>

USERMM_BEGIN_DECLS

int printk(const char *format, ...) USERMM_API(printk) __printf(1, 2);
int vprintk(const char *format, va_list args) USERMM_API(vprintk) __printf(1, 0);
#define _printk printk
#define printk_deferred printk
#define _printk_deferred printk

/*
 * The sink gets each line: the text without its newline, the level from 0 (emergency) to 7 (debug),
 * and the time since the first use of the log. NULL means stderr. A sink must not print to the log.
 */
typedef void (*usermm_printk_sink_t)(int level, u64 nanoseconds, const char *text,
				     size_t length);
void usermm_printk_set_sink(usermm_printk_sink_t sink)
	__attribute__((visibility("default")));
/* Only lines with a level below this are shown; 8 shows all. */
extern int console_loglevel USERMM_API(console_loglevel);
/* Writes out an incomplete line. */
void usermm_printk_flush(void) __attribute__((visibility("default")));

void dump_stack(void) USERMM_API(dump_stack) __cold;
void dump_stack_lvl(const char *level) USERMM_API(dump_stack_lvl) __cold;

struct va_format {
	const char *fmt;
	va_list *va;
};

#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif

#define pr_emerg(fmt, ...) printk(KERN_EMERG pr_fmt(fmt), ## __VA_ARGS__)
#define pr_alert(fmt, ...) printk(KERN_ALERT pr_fmt(fmt), ## __VA_ARGS__)
#define pr_crit(fmt, ...) printk(KERN_CRIT pr_fmt(fmt), ## __VA_ARGS__)
#define pr_err(fmt, ...) printk(KERN_ERR pr_fmt(fmt), ## __VA_ARGS__)
#define pr_warn(fmt, ...) printk(KERN_WARNING pr_fmt(fmt), ## __VA_ARGS__)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 5, 0)
#define pr_warning(fmt, ...) pr_warn(fmt, ## __VA_ARGS__)
#else
USERMM_REMOVED(pr_warning, "5.5", "pr_warn()")
#endif
#define pr_notice(fmt, ...) printk(KERN_NOTICE pr_fmt(fmt), ## __VA_ARGS__)
#define pr_info(fmt, ...) printk(KERN_INFO pr_fmt(fmt), ## __VA_ARGS__)
#define pr_cont(fmt, ...) printk(KERN_CONT fmt, ## __VA_ARGS__)

/* The compiler checks the arguments, but makes no code. */
#define no_printk(fmt, ...)						\
	({								\
		if (0)							\
			printk(fmt, ## __VA_ARGS__);			\
		0;							\
	})

#ifdef DEBUG
#define pr_devel(fmt, ...) printk(KERN_DEBUG pr_fmt(fmt), ## __VA_ARGS__)
#define pr_debug(fmt, ...) printk(KERN_DEBUG pr_fmt(fmt), ## __VA_ARGS__)
#else
#define pr_devel(fmt, ...) no_printk(KERN_DEBUG pr_fmt(fmt), ## __VA_ARGS__)
#define pr_debug(fmt, ...) no_printk(KERN_DEBUG pr_fmt(fmt), ## __VA_ARGS__)
#endif

#define DO_ONCE_LITE_IF_TRUE_(statement)				\
	({								\
		static bool done_;					\
		bool first_ = !__atomic_exchange_n(&done_, true, __ATOMIC_RELAXED); \
									\
		if (first_)						\
			statement;					\
		first_;							\
	})
#define printk_once(fmt, ...) DO_ONCE_LITE_IF_TRUE_(printk(fmt, ## __VA_ARGS__))
#define pr_emerg_once(fmt, ...) printk_once(KERN_EMERG pr_fmt(fmt), ## __VA_ARGS__)
#define pr_alert_once(fmt, ...) printk_once(KERN_ALERT pr_fmt(fmt), ## __VA_ARGS__)
#define pr_crit_once(fmt, ...) printk_once(KERN_CRIT pr_fmt(fmt), ## __VA_ARGS__)
#define pr_err_once(fmt, ...) printk_once(KERN_ERR pr_fmt(fmt), ## __VA_ARGS__)
#define pr_warn_once(fmt, ...) printk_once(KERN_WARNING pr_fmt(fmt), ## __VA_ARGS__)
#define pr_notice_once(fmt, ...) printk_once(KERN_NOTICE pr_fmt(fmt), ## __VA_ARGS__)
#define pr_info_once(fmt, ...) printk_once(KERN_INFO pr_fmt(fmt), ## __VA_ARGS__)

#include <linux/ratelimit_types.h>

/* At most ten lines in five seconds from each place in the source. */
#define printk_ratelimited(fmt, ...)					\
	({								\
		static DEFINE_RATELIMIT_STATE(limit_, DEFAULT_RATELIMIT_INTERVAL, \
					      DEFAULT_RATELIMIT_BURST);	\
									\
		if (__ratelimit(&limit_))				\
			printk(fmt, ## __VA_ARGS__);			\
	})
#define pr_emerg_ratelimited(fmt, ...) printk_ratelimited(KERN_EMERG pr_fmt(fmt), ## __VA_ARGS__)
#define pr_alert_ratelimited(fmt, ...) printk_ratelimited(KERN_ALERT pr_fmt(fmt), ## __VA_ARGS__)
#define pr_crit_ratelimited(fmt, ...) printk_ratelimited(KERN_CRIT pr_fmt(fmt), ## __VA_ARGS__)
#define pr_err_ratelimited(fmt, ...) printk_ratelimited(KERN_ERR pr_fmt(fmt), ## __VA_ARGS__)
#define pr_warn_ratelimited(fmt, ...) printk_ratelimited(KERN_WARNING pr_fmt(fmt), ## __VA_ARGS__)
#define pr_notice_ratelimited(fmt, ...) printk_ratelimited(KERN_NOTICE pr_fmt(fmt), ## __VA_ARGS__)
#define pr_info_ratelimited(fmt, ...) printk_ratelimited(KERN_INFO pr_fmt(fmt), ## __VA_ARGS__)
#ifdef DEBUG
#define pr_debug_ratelimited(fmt, ...) printk_ratelimited(KERN_DEBUG pr_fmt(fmt), ## __VA_ARGS__)
#else
#define pr_debug_ratelimited(fmt, ...) no_printk(KERN_DEBUG pr_fmt(fmt), ## __VA_ARGS__)
#endif
#define printk_ratelimit() __ratelimit(&printk_ratelimit_state)
extern struct ratelimit_state printk_ratelimit_state USERMM_API(printk_ratelimit_state);

enum { DUMP_PREFIX_NONE, DUMP_PREFIX_ADDRESS, DUMP_PREFIX_OFFSET };

/* Prints lines of rowsize (16 or 32) bytes, in groups of groupsize (1, 2, 4 or 8) bytes. */
void print_hex_dump(const char *level, const char *prefix, int prefix_type, int rowsize,
		    int groupsize, const void *buffer, size_t length, bool ascii)
	USERMM_API(print_hex_dump);
int hex_dump_to_buffer(const void *buffer, size_t length, int rowsize, int groupsize,
		       char *line, size_t line_size, bool ascii)
	USERMM_API(hex_dump_to_buffer);
#define print_hex_dump_bytes(prefix, prefix_type, buffer, length) \
	print_hex_dump_debug(prefix, prefix_type, 16, 1, buffer, length, true)
#ifdef DEBUG
#define print_hex_dump_debug(prefix, type, rowsize, groupsize, buffer, length, ascii) \
	print_hex_dump(KERN_DEBUG, prefix, type, rowsize, groupsize, buffer, length, ascii)
#else
#define print_hex_dump_debug(prefix, type, rowsize, groupsize, buffer, length, ascii) \
	((void)(prefix), (void)(buffer), (void)(length))
#endif

USERMM_END_DECLS

#endif
