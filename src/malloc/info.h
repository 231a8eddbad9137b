/* SPDX-License-Identifier: MIT */
/* mallinfo(3), malloc_stats(3), malloc_info(3), mallopt(3): repeated for libcs without. */
#ifndef MALLOC_INFO_H
#define MALLOC_INFO_H

#include <stdio.h>

/* The names and the order of <malloc.h>. */
#define MALLINFO_FIELDS(type)							\
	type arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost

struct mallinfo {
	MALLINFO_FIELDS(int);
};

struct mallinfo2 {
	MALLINFO_FIELDS(size_t);
};

struct mallinfo (mallinfo)(void);
struct mallinfo2 (mallinfo2)(void);
void (malloc_stats)(void);
int (malloc_info)(int options_wanted, FILE *stream);
int (mallopt)(int parameter, int value);

#endif
