/* SPDX-License-Identifier: MIT */
/* Reports about pages, in Linux's format. Nothing here allocates. */
#ifndef PAGE_DEBUG_PAGE_REPORT_H
#define PAGE_DEBUG_PAGE_REPORT_H

#include "base/compiler.h"
#include "usermm/page.h"

/* At most `burst` reports in interval_ms milliseconds. */
struct report_limit {
	unsigned long interval_ms, burst;
	const char *name;	/* what the reports are about */
	/* Sync: atomic relaxed, all of them: a lost update costs a report */
	uint64_t since;
	unsigned long shown, missed;
};

bool report_limit_pass(struct report_limit *limit);

/* Prints the callers, one a line. */
void report_stack(void);
/* Prints a stack that was saved. */
void report_frames(const void *const *frames, unsigned int nr);
/* Prints the bytes from start up to end, 16 a line, behind their addresses. */
void report_bytes(const unsigned char *start, const unsigned char *end);

/*
 * Reports a failed request: its flags and order, its callers, and the zones. At most once in ten
 * seconds, and never with __GFP_NOWARN.
 */
void page_report_failure(gfp_t gfp, unsigned int order, const unsigned long *nodes);
/*
 * Reports a request that has been waiting since since_ms (os_time_ms()), if that is at least
 * page_stall_ms: 10 seconds, which tests make shorter. One report in that time, for all requests
 * together, and never with __GFP_NOWARN.
 */
extern unsigned int page_stall_ms;
void page_report_stall(gfp_t gfp, unsigned int order, const unsigned long *nodes,
		       uint64_t since_ms);
/* Like page_report_failure(), with other words and without a limit. nodes may be NULL: all. */
void page_report_memory(gfp_t gfp, unsigned int order, const unsigned long *nodes,
			const char *what);

#endif
