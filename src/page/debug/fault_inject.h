/* SPDX-License-Identifier: MIT */
/* What fail_page_alloc.c and slab/debug/failslab.c share. */
#ifndef PAGE_DEBUG_FAULT_INJECT_H
#define PAGE_DEBUG_FAULT_INJECT_H

#include "usermm/fault.h"

/* A NAME=VALUE that only one option has, not all fault attributes. */
struct fault_setting {
	const char *name;
	bool *flag;		/* 0 or 1 */
	unsigned int *number;	/* if flag is NULL */
};

/*
 * Sets attributes from an option's text, which base/option_text.c has checked; `settings` ends with
 * a row without a name. If the values contradict each other: false, and nothing will fail.
 */
bool fault_configure(const char *text, struct usermm_fault_attr *attr,
		     const struct fault_setting *settings);

/* Sets which of the calling thread's next calls fails (0: none). Returns the value before. */
unsigned int fault_exchange_nth(unsigned int nth);

#endif
