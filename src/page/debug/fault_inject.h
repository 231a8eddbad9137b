/* SPDX-License-Identifier: MIT */
/* What the two that make allocations fail share. */
#ifndef PAGE_DEBUG_FAULT_INJECT_H
#define PAGE_DEBUG_FAULT_INJECT_H

#include "usermm/fault.h"

/* A NAME=VALUE of an option that is no attribute of all faults. */
struct fault_setting {
	const char *name;
	bool *flag;		/* 0 or 1 */
	unsigned int *number;	/* if flag is NULL */
};

/*
 * Sets attributes from an option's text, which base/option_text.c has found good; settings end
 * with a row without name. False if they do not agree: then nothing will fail.
 */
bool fault_configure(const char *text, struct usermm_fault_attr *attr,
		     const struct fault_setting *settings);

/* The calling thread's. */
unsigned int fault_exchange_nth(unsigned int nth);

#endif
