/* SPDX-License-Identifier: MIT */
/* What the checks of `usermm inspect TARGET verify` share. */
#ifndef INSPECT_VERIFY_H
#define INSPECT_VERIFY_H

#include "heap.h"
#include "target/target.h"

struct check {
	struct heap *heap;
	uint64_t nr;			/* what was looked at */
	uint64_t nr_moving;		/* of that, what changed all the time */
	char wrong[INSPECT_TEXT_BYTES];	/* "" if all is well */
};

/* Says what is wrong. False, for the check to return. */
bool violated(struct check *check, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));
/*
 * Notes that the object of the check is in the middle of a change, so that nothing can be said.
 * False, for the check to return.
 */
bool moves(struct check *check);

typedef bool check_fn(struct check *check, const void *what);

/* True if the check holds once, if nothing could be said, or if the target has ended. */
bool holds(struct check *check, check_fn *fn, const void *what);

/* Mixed slabs (show_verify_mixed.c). */
bool check_mixed(struct check *check);
bool check_is_mixed_page(struct heap *heap, uint64_t pfn);

#endif
