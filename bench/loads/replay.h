/* SPDX-License-Identifier: MIT */
/*
 * Replays a trace (trace.h) on page tables, as Linux's mm would change them.
 *
 * There is no memory behind the translations: every page that is touched gets the next frame
 * number. Only rights that matter to fork are kept. A page becomes writable at its first touch.
 * mprotect() without PROT_WRITE takes that away; after PROT_WRITE is back, the next touch makes the
 * page writable, as the first write fault would.
 *
 * Differences from Linux: a table is freed when it is empty, not by the limits of mappings; and
 * fork also copies the translations of files, which Linux leaves to later faults.
 */
#ifndef BENCH_LOADS_REPLAY_H
#define BENCH_LOADS_REPLAY_H

#include <stdbool.h>

#include "loads/trace.h"
#include "usermm/usermm.h"
#include "usermm/pgtable.h"

struct replay {
	const struct pgtable_pages *pages;	/* where tables come from */
	bool trim;				/* trim quicklists after flushes */
	void (*used)(void);			/* called for each page mapped or copied; or NULL */
	uint64_t next_frame;
	struct pgtable spaces[TRACE_MAX_SPACES];	/* pgd is NULL: not live */
};

/* Replays one event. 0 or a negative errno. */
int replay_event(struct replay *replay, const struct trace_event *event);

/* Ends all address spaces that are live. */
void replay_end(struct replay *replay);

#endif
