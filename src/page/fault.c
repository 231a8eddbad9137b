/* SPDX-License-Identifier: MIT */
#include "usermm/fault.h"

#include <limits.h>

#include "base/atomic.h"
#include "base/check.h"
#include "os/os.h"
#include "page/hooks.h"
#include "page/page_report.h"

static __thread uint16_t fail_nth __attribute__((__tls_model__("initial-exec")));

struct usermm_fail_page_alloc usermm_fail_page_alloc = {
	.attr = { .interval = 1, .times = 1, .verbose = 2, .dname = "fail_page_alloc" },
	.ignore_gfp_highmem = true,
	.ignore_gfp_reclaim = true,
	.min_order = 1,
};

/* A decimal number, perhaps with a sign; NULL if there is none. */
static const char *parse_number(const char *text, long *value)
{
	bool negative = *text == '-';
	long result = 0;

	text += negative;
	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(result, 10, &result) ||
		    __builtin_add_overflow(result, *text - '0', &result))
			return NULL;
	*value = negative ? -result : result;
	return text;
}

int usermm_fault_attr_parse(struct usermm_fault_attr *attr, const char *text)
{
	long numbers[4];

	for (unsigned int i = 0; i < 4; i++) {
		text = parse_number(text, &numbers[i]);
		if (!text || *text != (i < 3 ? ',' : '\0'))
			return 0;
		text++;
	}
	if (numbers[0] < 0 || numbers[1] < 0 || numbers[2] < INT_MIN || numbers[2] > INT_MAX ||
	    numbers[3] < INT_MIN || numbers[3] > INT_MAX)
		return 0;
	attr->interval = (unsigned long)numbers[0];
	attr->probability = (unsigned long)numbers[1];
	attr->space = (int)numbers[2];
	attr->times = (int)numbers[3];
	return 1;
}

static void tell(struct usermm_fault_attr *attr)
{
	char name[OS_NAME_BYTES];

	if (!attr->verbose)
		return;
	os_thread_name(name);
	report_line("FAULT_INJECTION: forcing a failure. name %s, interval %lu, probability %lu, "
		    "space %d, times %d, comm %s", attr->dname ? attr->dname : "(unnamed)",
		    attr->interval, attr->probability, atomic_load_relaxed(&attr->space),
		    atomic_load_relaxed(&attr->times), name);
}

/* One failure less to come, unless there is no end of them. */
static void count_failure(struct usermm_fault_attr *attr)
{
	int times = atomic_load_relaxed(&attr->times);

	while (times > 0 && !atomic_cas_relaxed(&attr->times, &times, times - 1))
		;
}

static bool is_due(struct usermm_fault_attr *attr, long size)
{
	if (!attr->probability || !atomic_load_relaxed(&attr->times))
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

bool usermm_should_fail(struct usermm_fault_attr *attr, long size, int flags)
{
	if (fail_nth) {
		if (--fail_nth)
			return false;
	} else if (!is_due(attr, size)) {
		return false;
	}
	if (!(flags & USERMM_FAULT_NOWARN))
		tell(attr);
	count_failure(attr);
	return true;
}

unsigned int usermm_fail_nth(unsigned int nth)
{
	unsigned int left = fail_nth;

	if (nth)
		usermm_arm_faults();
	fail_nth = (uint16_t)min(nth, (unsigned int)UINT16_MAX);
	return left;
}

void usermm_arm_faults(void)
{
	page_hooks_add(HOOK_FAULTS);
}

bool should_fail_alloc_page(gfp_t gfp, unsigned int order)
{
	const struct usermm_fail_page_alloc *fail = &usermm_fail_page_alloc;

	if (order < fail->min_order || gfp & __GFP_NOFAIL ||
	    (fail->ignore_gfp_highmem && gfp & __GFP_HIGHMEM) ||
	    (fail->ignore_gfp_reclaim && gfp & __GFP_DIRECT_RECLAIM))
		return false;
	return usermm_should_fail(&usermm_fail_page_alloc.attr, 1L << order,
				  gfp & __GFP_NOWARN ? USERMM_FAULT_NOWARN : 0);
}
