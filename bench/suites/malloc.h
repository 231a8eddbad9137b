/* SPDX-License-Identifier: MIT */
/* Suite malloc: what its parts share. */
#ifndef BENCH_SUITES_MALLOC_H
#define BENCH_SUITES_MALLOC_H

enum malloc_call {
	MALLOC_ALLOC,		/* of many objects, and then ... */
	MALLOC_FREE,		/* ... of all of them */
	MALLOC_PAIR,		/* one object, freed at once */
	MALLOC_PAIR16,		/* sixteen objects, then their frees */
	MALLOC_REMOTE_FREE,	/* another CPU has allocated the objects */
	MALLOC_REMOTE_ALLOC,	/* ... by these calls */
	MALLOC_CALLS
};

#define MALLOC_SIZES 12

extern const char *const malloc_call_names[MALLOC_CALLS];
extern const long malloc_sizes[MALLOC_SIZES];

/* In a child: reports cycles for each call and size (malloc_calls.c). */
void malloc_measure_calls(void);

/* A program's peak is reported under its name and this. */
#define MALLOC_PEAK ".peak"

/*
 * In a child: runs the program of bench/heavy, with 1 / divisor of its work. Reports its processor
 * time in cycles, and its peak in KiB. Returns an exit code (malloc_programs.c).
 */
int malloc_run_program(const char *name, unsigned long divisor);

#endif
