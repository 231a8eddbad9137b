// SPDX-License-Identifier: MIT
/*
 * The kernel log. Text is collected until a line is complete. The line then goes to the sink, or to
 * stderr in dmesg's format. An incomplete line waits for its continuation; the next message or the
 * end of the process completes it.
 */
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "kunit/kunit_run.h"
#include "module/module_run.h"

#define LINE_SIZE 1024

int console_loglevel = 8;

/* Protects the line below. A mutex of libc, since any thread may print, whatever it holds. */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static usermm_printk_sink_t log_sink;
static char line[LINE_SIZE];		/* not complete yet */
static size_t line_length;
static int line_level;
static u64 line_time;

DEFINE_RATELIMIT_STATE(printk_ratelimit_state, DEFAULT_RATELIMIT_INTERVAL,
		       DEFAULT_RATELIMIT_BURST);

static u64 log_time(void)
{
	static ktime_t start;

	if (!start)
		start = ktime_get();
	return (u64)(ktime_get() - start);
}

static void write_all(const char *text, size_t length)
{
	while (length) {
		ssize_t n = write(STDERR_FILENO, text, length);

		if (n <= 0)
			return;
		text += n;
		length -= (size_t)n;
	}
}

static void end_line(void)
{
	char text[LINE_SIZE + 40];
	u64 us = line_time / 1000;

	if (line_level >= console_loglevel) {
		/* not shown */
	} else if (log_sink) {
		line[line_length] = '\0';
		log_sink(line_level, line_time, line, line_length);
	} else {
		write_all(text, (size_t)scnprintf(text, sizeof(text), "[%5llu.%06llu] %.*s\n",
						  us / 1000000, us % 1000000, (int)line_length,
						  line));
	}
	line_length = 0;
}

static void add_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\n') {
			end_line();
			continue;
		}
		if (line_length == LINE_SIZE - 1)
			end_line();
		line[line_length++] = *text;
	}
}

/* Reads the level in front of the text (-1: none, 'c': a continuation). Returns the text behind. */
static const char *read_level(const char *text, int *level)
{
	*level = -1;
	while (text[0] == KERN_SOH_ASCII && text[1]) {
		*level = text[1] == 'c' ? 'c' : text[1] - '0';
		text += 2;
	}
	return text;
}

static void log_text(const char *text)
{
	size_t length;
	int level;

	text = read_level(text, &level);
	pthread_mutex_lock(&log_lock);
	if (level != 'c' && line_length)
		end_line();
	if (!line_length) {
		line_time = log_time();
		line_level = level < 0 || level > 7 ? 4 : level;
	}
	add_text(text);
	pthread_mutex_unlock(&log_lock);
	length = strlen(text);
	trace_console_text(text, length && text[length - 1] == '\n' ? length - 1 : length);
}

int vprintk(const char *format, va_list args)
{
	char text[LINE_SIZE];
	int length = vscnprintf(text, sizeof(text), format, args);

	log_text(text);
	return length;
}

int printk(const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vprintk(format, args);
	va_end(args);
	return length;
}

__attribute__((destructor)) void usermm_printk_flush(void)
{
	pthread_mutex_lock(&log_lock);
	if (line_length)
		end_line();
	pthread_mutex_unlock(&log_lock);
}

void usermm_printk_flush_crashed(void)
{
	if (pthread_mutex_trylock(&log_lock))
		return;
	if (line_length)
		end_line();
	pthread_mutex_unlock(&log_lock);
}

void usermm_printk_set_sink(usermm_printk_sink_t sink)
{
	usermm_printk_flush();
	pthread_mutex_lock(&log_lock);
	log_sink = sink;
	pthread_mutex_unlock(&log_lock);
}

int ___ratelimit(struct ratelimit_state *state, const char *function)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int interval = READ_ONCE(state->interval), burst = READ_ONCE(state->burst);
	bool says_later = state->flags & RATELIMIT_MSG_ON_RELEASE;
	unsigned long now = jiffies;
	int missed = 0, go_ahead;

	/* No interval: no limit. No burst: nobody goes ahead. A new interval starts later. */
	if (interval <= 0 || burst <= 0) {
		state->flags &= ~RATELIMIT_INITIALIZED;
		go_ahead = !interval || burst > 0;
		if (!go_ahead)
			ratelimit_state_inc_miss(state);
		return go_ahead;
	}
	pthread_mutex_lock(&lock);
	if (!(state->flags & RATELIMIT_INITIALIZED) ||
	    time_after(now, state->begin + (unsigned long)interval)) {
		state->flags |= RATELIMIT_INITIALIZED;
		state->begin = now;
		state->printed = 0;
		missed = says_later ? 0 : ratelimit_state_reset_miss(state);
	}
	go_ahead = state->printed < burst;
	state->printed += go_ahead;
	if (!go_ahead)
		ratelimit_state_inc_miss(state);
	pthread_mutex_unlock(&lock);
	if (missed)
		printk(KERN_WARNING "%s: %d callbacks suppressed\n", function, missed);
	return go_ahead;
}

void dump_stack_lvl(const char *level)
{
	void *frames[64];
	int nr = backtrace(frames, ARRAY_SIZE(frames));

	printk("%sCPU: %d PID: %d Comm: %s\n", level, raw_smp_processor_id(), current->pid,
	       current->comm);
	printk("%sCall Trace:\n", level);
	for (int i = 1; i < nr; i++)
		printk("%s %pS\n", level, (char *)frames[i] - 1);
}

void dump_stack(void)
{
	dump_stack_lvl(KERN_INFO);
}

void panic(const char *format, ...)
{
	char text[LINE_SIZE];
	va_list args;

	va_start(args, format);
	vscnprintf(text, sizeof(text), format, args);
	va_end(args);
	printk(KERN_EMERG "Kernel panic - not syncing: %s\n", strim(text));
	dump_stack_lvl(KERN_EMERG);
	usermm_printk_flush();
	abort();
}

void usermm_bug(const char *file, int line_number, const char *function)
{
	printk(KERN_CRIT "kernel BUG at %s:%d!\n", file, line_number);
	printk(KERN_CRIT "in %s()\n", function);
	dump_stack_lvl(KERN_CRIT);
	usermm_printk_flush();
	abort();
}

void usermm_warn(const char *file, int line_number, const char *function, const char *format, ...)
{
	char text[LINE_SIZE];
	va_list args;

	if (kunit_is_suppressed_warning(true))
		return;
	printk(KERN_WARNING "------------[ cut here ]------------\n");
	if (format) {
		va_start(args, format);
		vscnprintf(text, sizeof(text), format, args);
		va_end(args);
		printk(KERN_WARNING "%s\n", strim(text));
	}
	printk(KERN_WARNING "WARNING: CPU: %d PID: %d at %s:%d %s\n", raw_smp_processor_id(),
	       current->pid, file, line_number, function);
	dump_stack_lvl(KERN_WARNING);
	printk(KERN_WARNING "---[ end trace ]---\n");
}

/* Prints group i of the row as a number, in the machine's byte order. */
static int put_group(char *text, size_t size, const u8 *row, int groupsize, int i)
{
	u64 value = 0;
	u8 *low_bytes = (u8 *)&value;

#ifdef __BIG_ENDIAN
	low_bytes += sizeof(value) - (size_t)groupsize;
#endif
	memcpy(low_bytes, row + i * groupsize, (size_t)groupsize);
	return scnprintf(text, size, "%s%0*llx", i ? " " : "", 2 * groupsize, value);
}

/* Returns the length that the text would have with enough room, as snprintf() does. */
int hex_dump_to_buffer(const void *buffer, size_t length, int rowsize, int groupsize,
		       char *to, size_t to_size, bool ascii)
{
	char text[32 * 3 + 2 + 32 + 1];
	const size_t size = sizeof(text);
	const u8 *row = buffer;
	int n = 0, column;

	if (rowsize != 16 && rowsize != 32)
		rowsize = 16;
	length = min(length, (size_t)rowsize);
	if (!is_power_of_2((unsigned long)groupsize) || groupsize > 8 ||
	    length % (size_t)groupsize)
		groupsize = 1;
	column = rowsize * 2 + rowsize / groupsize + 1;
	text[0] = '\0';
	for (int i = 0; i < (int)length / groupsize; i++)
		n += put_group(text + n, size - (size_t)n, row, groupsize, i);
	if (ascii && length)
		n += scnprintf(text + n, size - (size_t)n, "%*s", column - n, "");
	for (size_t i = 0; ascii && i < length; i++)
		n += scnprintf(text + n, size - (size_t)n, "%c",
			       row[i] >= ' ' && row[i] <= '~' ? row[i] : '.');
	return snprintf(to, to_size, "%s", text);
}

void print_hex_dump(const char *level, const char *prefix, int prefix_type, int rowsize,
		    int groupsize, const void *buffer, size_t length, bool ascii)
{
	char text[32 * 3 + 2 + 32 + 1];

	if (rowsize != 16 && rowsize != 32)
		rowsize = 16;
	for (size_t i = 0; i < length; i += (size_t)rowsize) {
		const u8 *row = (const u8 *)buffer + i;

		hex_dump_to_buffer(row, length - i, rowsize, groupsize, text, sizeof(text), ascii);
		if (prefix_type == DUMP_PREFIX_ADDRESS)
			printk("%s%s%px: %s\n", level, prefix, row, text);
		else if (prefix_type == DUMP_PREFIX_OFFSET)
			printk("%s%s%.8x: %s\n", level, prefix, (unsigned int)i, text);
		else
			printk("%s%s%s\n", level, prefix, text);
	}
}

/* KUnit reports of kernel sources use the kernel's format letters. */
__attribute__((constructor)) static void set_kunit_format(void)
{
	kunit_format = vsnprintf;
}
