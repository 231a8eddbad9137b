/* SPDX-License-Identifier: MIT */
/*
 * mallinfo(3), malloc_stats(3), malloc_info(3), mallopt(3): declared here, since some libcs'
 * headers lack them.
 */
#ifndef MALLOC_INTERPOSE_MALLINFO_H
#define MALLOC_INTERPOSE_MALLINFO_H

#include <stdio.h>

#include "base/compiler.h"

/* The fields with the names and the order of <malloc.h>. */
#define MALLINFO_FIELDS(type)							\
	type arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost

struct mallinfo {
	MALLINFO_FIELDS(int);
};

struct mallinfo2 {
	MALLINFO_FIELDS(size_t);
};

/* libc may have macros of these names. */
#undef mallinfo
#undef mallinfo2
#undef malloc_stats
#undef malloc_info
#undef mallopt

EXPORT struct mallinfo mallinfo(void);
EXPORT struct mallinfo2 mallinfo2(void);
EXPORT void malloc_stats(void);
EXPORT int malloc_info(int options_wanted, FILE *stream);
EXPORT int mallopt(int parameter, int value);

#endif
