/* SPDX-License-Identifier: MIT */
/* mallinfo(3), malloc_stats(3), malloc_info(3), mallopt(3): repeated for libcs without. */
#ifndef MALLOC_INTERPOSE_MALLINFO_H
#define MALLOC_INTERPOSE_MALLINFO_H

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

/* Behind struct NAME parentheses are no help (malloc.h). */
#undef mallinfo
#undef mallinfo2
struct mallinfo mallinfo(void);
struct mallinfo2 mallinfo2(void);
void (malloc_stats)(void);
int (malloc_info)(int options_wanted, FILE *stream);
int (mallopt)(int parameter, int value);

#endif
