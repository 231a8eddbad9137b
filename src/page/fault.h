/* SPDX-License-Identifier: MIT */
/* What the two that make allocations fail share. */
#ifndef PAGE_FAULT_H
#define PAGE_FAULT_H

#include "usermm/fault.h"

/* A NAME=VALUE of an option that is no attribute of all faults. */
struct fault_setting {
	const char *name;
	bool *flag;		/* 0 or 1 */
	unsigned int *number;	/* if flag is NULL */
};

/*
 * Sets attributes from an option's text; settings end with a row without name. False, and
 * a warning, if it is not what the option takes: then nothing will fail.
 */
bool fault_configure(const char *option, const char *text, struct usermm_fault_attr *attr,
		     const struct fault_setting *settings);

/* The calling thread's. */
unsigned int fault_exchange_nth(unsigned int nth);

#endif
