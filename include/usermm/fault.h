/* SPDX-License-Identifier: MIT */
/*
 * Making allocations fail on purpose, so that a program's answer to it can be tested.
 *
 * Semantics: Linux 6.12 lib/fault-inject.c, mm/fail_page_alloc.c, mm/failslab.c. The options
 * fail_page_alloc= and failslab= arm it at start:
 *
 *	<interval>,<probability>,<space>,<times>[,NAME=VALUE...]
 *
 * with the names of Linux's files in /sys/kernel/debug: verbose, task-filter,
 * stacktrace-depth, require-start, require-end, reject-start, reject-end, ignore-gfp-wait,
 * and min-order, ignore-gfp-highmem (fail_page_alloc), cache-filter (failslab). While it is
 * armed no request is served from a CPU's list.
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
	unsigned long probability;	/* in percent; 0: never, but for usermm_fail_nth() */
	unsigned long interval;		/* only every so many-th call may fail */
	int times;			/* failures still to come; -1 is no end */
	int space;			/* size that passes before the first failure */
	unsigned long verbose;		/* 0: silent; 1: told; 2: with the stack */
	bool task_filter;		/* only threads that usermm_make_it_fail() chose */
	/*
	 * Of so many callers one has to lie in [require_start, require_end), and none in
	 * [reject_start, reject_end).
	 */
	unsigned long stacktrace_depth;
	unsigned long require_start, require_end;
	unsigned long reject_start, reject_end;
	unsigned long count;		/* calls so far, with an interval */
	char dname[USERMM_FAULT_NAME_BYTES];
};

#define USERMM_FAULT_STACK_MAX 32
#define USERMM_FAULT_ATTR_INITIALIZER						\
	.interval = 1, .times = 1, .verbose = 2,				\
	.stacktrace_depth = USERMM_FAULT_STACK_MAX, .require_end = ~0UL

#define USERMM_FAULT_NOWARN 1

/*
 * Reads "interval,probability,space,times" at the start of a text: what is behind it, or
 * NULL and nothing changed if it does not start like that.
 */
const char *usermm_fault_attr_parse(struct usermm_fault_attr *attr, const char *text)
	__attribute__((visibility("default")));
/*
 * Does this call fail? size is what it takes from attr->space. Nothing is said: it is for the
 * caller to tell, and then to count it.
 */
bool usermm_fault_is_due(struct usermm_fault_attr *attr, long size)
	__attribute__((visibility("default")));
/* One failure less to come, unless attr->times is -1: there is no end of them. */
void usermm_fault_count(struct usermm_fault_attr *attr) __attribute__((visibility("default")));
/*
 * All three: it is told as attr->verbose says, but with USERMM_FAULT_NOWARN, and with the
 * number of failures that were still to come before this one, as in Linux.
 */
bool usermm_fault_should_fail(struct usermm_fault_attr *attr, long size, int flags)
	__attribute__((visibility("default")));

/* Which requests fail. Change them, then call usermm_arm_faults(). */
struct usermm_fail_page_alloc {
	struct usermm_fault_attr attr;
	bool ignore_gfp_highmem;	/* not those with __GFP_HIGHMEM; default */
	bool ignore_gfp_reclaim;	/* not those with __GFP_DIRECT_RECLAIM; default */
	unsigned int min_order;		/* none of a smaller order; default 1 */
};
extern struct usermm_fail_page_alloc usermm_fail_page_alloc
	__attribute__((visibility("default")));

struct usermm_failslab {
	struct usermm_fault_attr attr;
	bool ignore_gfp_reclaim;	/* not those with __GFP_DIRECT_RECLAIM; default */
	bool cache_filter;		/* only caches with SLAB_FAILSLAB; not the default */
};
extern struct usermm_failslab usermm_failslab __attribute__((visibility("default")));

/*
 * From now on pages and slab caches ask; so does malloc for its blocks of pages (more than 32 KiB;
 * one whose pages fail is a mapping instead), but for objects only if it was armed by an option.
 */
void usermm_arm_faults(void) __attribute__((visibility("default")));

/*
 * The nth call of the calling thread that could fail does, whatever the probability; 0:
 * none. Returns what was left of the number before: 0 if that call has failed. cf. Linux
 * /proc/self/fail-nth
 */
unsigned int usermm_fail_nth(unsigned int nth) __attribute__((visibility("default")));
/* Is the calling thread one that attributes with task_filter mean? cf. make-it-fail */
void usermm_make_it_fail(bool may_fail) __attribute__((visibility("default")));

/* Would this request fail? Asked once for each one, before anything else is done. */
bool should_fail_alloc_page(gfp_t gfp, unsigned int order) USERMM_API(should_fail_alloc_page);
/* The same of an object of a cache: -ENOMEM or 0. */
int should_failslab(struct kmem_cache *cache, gfp_t gfp) USERMM_API(should_failslab);

USERMM_END_DECLS

#endif
