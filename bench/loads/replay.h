/* SPDX-License-Identifier: MIT */
/*
 * Does to page tables what a trace says (trace.h), as Linux's mm would.
 *
 * There is no memory behind the translations: every page that is touched gets the next frame
 * number. Rights are those that matter to fork: a page is writable when it is touched
 * first; without PROT_WRITE it is not, and with it again it is so at its next touch, as
 * when the first write faults.
 *
 * Differences from Linux: a table is freed when it is empty, not by the borders of mappings;
 * fork copies the translations of files as well, which Linux leaves to later faults.
 */
#ifndef BENCH_LOADS_REPLAY_H
#define BENCH_LOADS_REPLAY_H

#include <stdbool.h>

#include "loads/trace.h"
#include "usermm/usermm.h"
#include "usermm/pgtable.h"

struct replay {
	const struct pgtable_pages *pages;	/* where tables come from */
	bool trim;				/* they have quicklists, trimmed behind flushes */
	void (*used)(void);			/* a page was mapped or copied; or NULL */
	uint64_t next_frame;
	struct pgtable spaces[TRACE_MAX_SPACES];	/* pgd NULL: not live */
};

/* 0, or what went wrong, negative. */
int replay_event(struct replay *replay, const struct trace_event *event);

/* Ends all address spaces that are live. */
void replay_end(struct replay *replay);

#endif
