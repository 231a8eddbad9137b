/* SPDX-License-Identifier: MIT */
/* Lets a case choose the watermarks of the zones, and restores them afterwards. */
#ifndef CONFORMANCE_MARKS_H
#define CONFORMANCE_MARKS_H

#include "conformance.h"

extern int min_free_kbytes;
void setup_per_zone_wmarks(void);

/* Farther below the mark than anything that reclaim could find in this machine. */
#define FAR 65536

static int kbytes_before;

static inline void set_min_kbytes(int kbytes)
{
	*LINUX_SYMBOL(min_free_kbytes) = kbytes;
	LINUX_SYMBOL(setup_per_zone_wmarks)();
}

static inline void set_min_pages(unsigned long pages)
{
	set_min_kbytes((int)(pages << (PAGE_SHIFT - 10)));
}

/* Of each case. */
static int marks_init(struct kunit *test)
{
	kbytes_before = *LINUX_SYMBOL(min_free_kbytes);
	return 0;
}

static void marks_exit(struct kunit *test)
{
	set_min_kbytes(kbytes_before);
}

#endif
