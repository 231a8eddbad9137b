/* SPDX-License-Identifier: MIT */
/*
 * Which instructions a fast path executes, for the golden table.
 *
 * A program of this kind fills `recording` and prints, for tools/check_fast_paths.py,
 *
 *	file FILE			whose instructions are meant
 *	path NAME ADDRESS...		one line a path, as the file numbers its code
 *
 * Each path is run warm, then stepped through twice, which must give the same. The
 * thread has no restartable sequences meanwhile, since stepping would abort them, and
 * works on slot 0. Only what lies between code_start and code_end is printed.
 */
#ifndef GOLDEN_RECORD_H
#define GOLDEN_RECORD_H

#include <stddef.h>

struct golden_path {
	const char *name;
	void (*before)(void);	/* not counted; may be NULL, like after */
	void (*run)(void);
	void (*after)(void);
};

struct recording {
	/* Brings the library up; why there are no sequences to look at, or NULL. */
	const char *(*start)(void);
	/* The code that counts: from start to end, or start's whole module if end is NULL. */
	const void *code_start, *code_end;
	const struct golden_path *paths;
	unsigned int nr_paths;
};

extern const struct recording recording;

/* For `start` of programs that reach the library by its public calls only. */
const char *record_why_not(void);

#endif
