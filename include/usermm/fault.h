/* SPDX-License-Identifier: MIT */
/*
 * Making allocations fail on purpose, so that a program's answer to it can be tested.
 *
 * Semantics: Linux 6.12 lib/fault-inject.c, mm/fail_page_alloc.c, without filters by task
 * and stack. The option fail_page_alloc=<interval>,<probability>,<space>,<times> arms it at
 * start. While it is armed no request is served from a CPU's list.
 */
#ifndef USERMM_FAULT_H
#define USERMM_FAULT_H

#include <stdbool.h>

#include "compiler.h"
#include "gfp.h"

USERMM_BEGIN_DECLS

struct usermm_fault_attr {
	unsigned long probability;	/* in percent */
	unsigned long interval;		/* only every so many-th call may fail */
	int times;			/* failures still to come; -1 is no end */
	int space;			/* size that passes before the first failure */
	unsigned long verbose;		/* 0: silent */
	bool task_filter;
	unsigned long count;		/* calls so far, with an interval */
	const char *dname;
};

#define USERMM_FAULT_NOWARN 1

/* "interval,probability,space,times"; 1, or 0 and nothing changed if it is not that. */
int usermm_fault_attr_parse(struct usermm_fault_attr *attr, const char *text)
	__attribute__((visibility("default")));
/* Decides one call; size is what it takes from attr->space. */
bool usermm_should_fail(struct usermm_fault_attr *attr, long size, int flags)
	__attribute__((visibility("default")));

/* Which requests for pages may fail. Change it, then call usermm_arm_faults(). */
struct usermm_fail_page_alloc {
	struct usermm_fault_attr attr;
	bool ignore_gfp_highmem;	/* not those with __GFP_HIGHMEM; default */
	bool ignore_gfp_reclaim;	/* not those with __GFP_DIRECT_RECLAIM; default */
	unsigned int min_order;		/* none of a smaller order; default 1 */
};
extern struct usermm_fail_page_alloc usermm_fail_page_alloc
	__attribute__((visibility("default")));
void usermm_arm_faults(void) __attribute__((visibility("default")));

/*
 * The nth call of the calling thread that could fail does, whatever the probability; 0:
 * none. Returns what was left of the number before: 0 if that call has failed.
 */
unsigned int usermm_fail_nth(unsigned int nth) __attribute__((visibility("default")));

/* Would this request fail? Asked once for each one, before anything else is done. */
bool should_fail_alloc_page(gfp_t gfp, unsigned int order) USERMM_API(should_fail_alloc_page);

USERMM_END_DECLS

#endif
