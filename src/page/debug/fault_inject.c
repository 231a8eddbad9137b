/* SPDX-License-Identifier: MIT */
/*
 * Decides whether a call fails, for fail_page_alloc.c, slab/debug/failslab.c and kernel sources.
 * cf. Linux lib/fault-inject.c
 */
#include "page/debug/fault_inject.h"

#include <limits.h>
#include <string.h>

#include "base/atomic.h"
#include "base/check.h"
#include "base/option_text.h"
#include "os/os.h"
#include "page/debug/page_report.h"

/* Frames of this file. */
#define SKIPPED_FRAMES 1

static __thread uint16_t fail_nth __attribute__((__tls_model__("initial-exec")));
static __thread bool make_it_fail __attribute__((__tls_model__("initial-exec")));

/* --- As text ---------------------------------------------------------------------- */

static bool fits_int(long number)
{
	return number >= INT_MIN && number <= INT_MAX;
}

const char *usermm_fault_attr_parse(struct usermm_fault_attr *attr, const char *text)
{
	long numbers[4];

	for (unsigned int i = 0; i < 4; i++) {
		text = option_read_number(text, &numbers[i]);
		if (!text || (i < 3 && *text++ != ','))
			return NULL;
	}
	if (numbers[0] < 0 || numbers[1] < 0 || !fits_int(numbers[2]) || !fits_int(numbers[3]))
		return NULL;
	attr->interval = (unsigned long)numbers[0];
	attr->probability = (unsigned long)numbers[1];
	attr->space = (int)numbers[2];
	attr->times = (int)numbers[3];
	return text;
}

static bool set_flag(bool *flag, long value)
{
	if (value != 0 && value != 1)
		return false;
	*flag = value;
	return true;
}

/* Sets an attribute that every struct usermm_fault_attr has. */
static bool set_attribute(struct usermm_fault_attr *attr, const char *name, size_t length,
			  long value)
{
	const struct {
		const char *name;
		unsigned long *number;
	} rows[] = {
		{ "verbose", &attr->verbose }, { "stacktrace-depth", &attr->stacktrace_depth },
		{ "require-start", &attr->require_start }, { "require-end", &attr->require_end },
		{ "reject-start", &attr->reject_start }, { "reject-end", &attr->reject_end },
	};

	if (length == strlen("task-filter") && !memcmp(name, "task-filter", length))
		return set_flag(&attr->task_filter, value);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		if (strlen(rows[i].name) == length && !memcmp(name, rows[i].name, length)) {
			*rows[i].number = (unsigned long)value;
			attr->stacktrace_depth = min(attr->stacktrace_depth,
						     (unsigned long)USERMM_FAULT_STACK_MAX);
			return true;
		}
	return false;
}

static bool set_setting(const struct fault_setting *settings, const char *name, size_t length,
			long value)
{
	for (; settings->name; settings++) {
		if (strlen(settings->name) != length || memcmp(name, settings->name, length))
			continue;
		if (settings->flag)
			return set_flag(settings->flag, value);
		if (value < 0 || value > UINT_MAX)
			return false;
		*settings->number = (unsigned int)value;
		return true;
	}
	return false;
}

/* Reads any number of ",NAME=VALUE". */
static bool read_settings(const char *text, struct usermm_fault_attr *attr,
			  const struct fault_setting *settings)
{
	while (*text == ',') {
		const char *name = text + 1;
		size_t length = strcspn(name, "=,");
		long value;

		if (name[length] != '=')
			return false;
		text = option_read_number(name + length + 1, &value);
		if (!text || !(set_setting(settings, name, length, value) ||
			       set_attribute(attr, name, length, value)))
			return false;
	}
	return !*text;
}

bool fault_configure(const char *text, struct usermm_fault_attr *attr,
		     const struct fault_setting *settings)
{
	const char *rest = usermm_fault_attr_parse(attr, text);

	if (rest && read_settings(rest, attr, settings))
		return true;
	attr->probability = 0;
	return false;
}

/* --- The decision ----------------------------------------------------------------- */

static bool is_asked_for_stack(const struct usermm_fault_attr *attr)
{
	return attr->require_start || attr->require_end != ULONG_MAX || attr->reject_start ||
	       attr->reject_end;
}

/* Do the callers match: one of them in the required range, none in the rejected one? */
static bool stack_matches(const struct usermm_fault_attr *attr)
{
	bool found = !attr->require_start && attr->require_end == ULONG_MAX;
	unsigned int depth = (unsigned int)min(attr->stacktrace_depth,
					       (unsigned long)USERMM_FAULT_STACK_MAX);
	const void *frames[USERMM_FAULT_STACK_MAX];
	unsigned int nr;

	if (!depth || !is_asked_for_stack(attr))
		return found;
	nr = os_stack_save(frames, depth, SKIPPED_FRAMES);
	for (unsigned int i = 0; i < nr; i++) {
		unsigned long at = (unsigned long)frames[i];

		if (attr->reject_start <= at && at < attr->reject_end)
			return false;
		found |= attr->require_start <= at && at < attr->require_end;
	}
	return found;
}

static bool chance_says_so(struct usermm_fault_attr *attr, long size)
{
	if (!attr->probability || (attr->task_filter && !make_it_fail) ||
	    !atomic_load_relaxed(&attr->times) || !stack_matches(attr))
		return false;
	if (atomic_load_relaxed(&attr->space) > size) {
		atomic_add_relaxed(&attr->space, (int)-size);
		return false;
	}
	if (attr->interval > 1 &&
	    (atomic_add_relaxed(&attr->count, 1UL) + 1) % attr->interval)
		return false;
	return os_random() % 100 < attr->probability;
}

noinline bool usermm_fault_is_due(struct usermm_fault_attr *attr, long size)
{
	if (fail_nth)
		return stack_matches(attr) && !--fail_nth;
	return chance_says_so(attr, size);
}

void usermm_fault_count(struct usermm_fault_attr *attr)
{
	int times = atomic_load_relaxed(&attr->times);

	while (times != -1 && times && !atomic_cas_relaxed(&attr->times, &times, times - 1))
		;
}

static noinline void tell(const struct usermm_fault_attr *attr)
{
	if (!attr->verbose)
		return;
	report_line("FAULT_INJECTION: forcing a failure.");
	report_line("name %s, interval %lu, probability %lu, space %d, times %d", attr->dname,
		    attr->interval, attr->probability, atomic_load_relaxed(&attr->space),
		    atomic_load_relaxed(&attr->times));
	if (attr->verbose > 1)
		report_stack();
}

bool usermm_fault_should_fail(struct usermm_fault_attr *attr, long size, int flags)
{
	if (!usermm_fault_is_due(attr, size))
		return false;
	if (!(flags & USERMM_FAULT_NOWARN))
		tell(attr);
	usermm_fault_count(attr);
	return true;
}

unsigned int fault_exchange_nth(unsigned int nth)
{
	unsigned int left = fail_nth;

	fail_nth = (uint16_t)min(nth, (unsigned int)UINT16_MAX);
	return left;
}

void usermm_make_it_fail(bool may_fail)
{
	make_it_fail = may_fail;
}
