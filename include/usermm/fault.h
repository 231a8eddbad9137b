/* SPDX-License-Identifier: MIT */
/*
 * Fault injection: make allocations fail on purpose, to test how a program handles it.
 *
 * Semantics: Linux 6.12 lib/fault-inject.c, mm/fail_page_alloc.c, mm/failslab.c. The options
 * fail_page_alloc= and failslab= arm it at start. Their value is
 *
 *	<interval>,<probability>,<space>,<times>[,NAME=VALUE...]
 *
 * NAME is one of Linux's files in /sys/kernel/debug: verbose, task-filter, stacktrace-depth,
 * require-start, require-end, reject-start, reject-end, ignore-gfp-wait; for fail_page_alloc also
 * min-order and ignore-gfp-highmem; for failslab also cache-filter. While fault injection is armed,
 * no request takes the fast path through a per-CPU list.
 */
#ifndef USERMM_FAULT_H
#define USERMM_FAULT_H

#include <stdbool.h>

#include "compiler.h"
#include "gfp.h"

USERMM_BEGIN_DECLS

struct kmem_cache;

#define USERMM_FAULT_NAME_BYTES 64

struct usermm_fault_attr {
	unsigned long probability;	/* in percent; 0: only usermm_fail_nth() fails calls */
	unsigned long interval;		/* N: only every N-th call may fail */
	int times;			/* failures still to come; -1: without end */
	int space;			/* bytes or pages to pass before the first failure */
	unsigned long verbose;		/* 0: silent; 1: one report; 2: with the stack */
	bool task_filter;		/* only threads that usermm_make_it_fail() chose */
	/*
	 * The innermost stacktrace_depth return addresses decide: one must lie in [require_start,
	 * require_end), and none in [reject_start, reject_end).
	 */
	unsigned long stacktrace_depth;
	unsigned long require_start, require_end;
	unsigned long reject_start, reject_end;
	unsigned long count;		/* calls so far; counted only if interval > 1 */
	char dname[USERMM_FAULT_NAME_BYTES];
};

#define USERMM_FAULT_STACK_MAX 32
#define USERMM_FAULT_ATTR_INITIALIZER						\
	.interval = 1, .times = 1, .verbose = 2,				\
	.stacktrace_depth = USERMM_FAULT_STACK_MAX, .require_end = ~0UL

#define USERMM_FAULT_NOWARN 1

/*
 * Reads "interval,probability,space,times" from the start of a text into *attr. Returns the text
 * behind it; NULL, and *attr is unchanged, if the text does not start like that.
 */
const char *usermm_fault_attr_parse(struct usermm_fault_attr *attr, const char *text)
	__attribute__((visibility("default")));
/*
 * Should this call fail? While attr->space is larger than size, size is subtracted from it and the
 * call passes. The function neither reports nor counts: if it returns true, the caller reports the
 * failure and calls usermm_fault_count().
 */
bool usermm_fault_is_due(struct usermm_fault_attr *attr, long size)
	__attribute__((visibility("default")));
/* Decrements attr->times, unless it is -1 or 0. */
void usermm_fault_count(struct usermm_fault_attr *attr) __attribute__((visibility("default")));
/*
 * usermm_fault_is_due(), a report and usermm_fault_count() in one. attr->verbose says what is
 * reported; with USERMM_FAULT_NOWARN nothing is. The report shows attr->times before this failure,
 * as in Linux.
 */
bool usermm_fault_should_fail(struct usermm_fault_attr *attr, long size, int flags)
	__attribute__((visibility("default")));

/* Which requests fail. Change them, then call usermm_arm_faults(). */
struct usermm_fail_page_alloc {
	struct usermm_fault_attr attr;
	bool ignore_gfp_highmem;	/* spare requests with __GFP_HIGHMEM; default true */
	bool ignore_gfp_reclaim;	/* spare those with __GFP_DIRECT_RECLAIM; default true */
	unsigned int min_order;		/* spare smaller orders; default 1 */
};
extern struct usermm_fail_page_alloc usermm_fail_page_alloc
	__attribute__((visibility("default")));

struct usermm_failslab {
	struct usermm_fault_attr attr;
	bool ignore_gfp_reclaim;	/* spare those with __GFP_DIRECT_RECLAIM; default true */
	bool cache_filter;		/* only caches with SLAB_FAILSLAB; default false */
};
extern struct usermm_failslab usermm_failslab __attribute__((visibility("default")));

/*
 * Arms fault injection: from now on page requests and slab caches ask whether to fail. malloc()
 * asks for its page blocks (more than 32 KiB; if the pages fail, the block is a mapping instead).
 * For smaller blocks malloc() asks only if an option armed fault injection at start.
 */
void usermm_arm_faults(void) __attribute__((visibility("default")));

/*
 * Makes the nth call from now that could fail in this thread fail, whatever the probability. 0
 * cancels that. Returns what was left of the previous n; 0 means that the previous failure has
 * happened. cf. Linux /proc/self/fail-nth
 */
unsigned int usermm_fail_nth(unsigned int nth) __attribute__((visibility("default")));
/* Says whether attributes with task_filter apply to the calling thread. cf. make-it-fail */
void usermm_make_it_fail(bool may_fail) __attribute__((visibility("default")));

/* Should this page request fail? Each request asks once, before it does anything else. */
bool should_fail_alloc_page(gfp_t gfp, unsigned int order) USERMM_API(should_fail_alloc_page);
/* Should this allocation of an object fail? -ENOMEM or 0. */
int should_failslab(struct kmem_cache *cache, gfp_t gfp) USERMM_API(should_failslab);

USERMM_END_DECLS

#endif
