/* SPDX-License-Identifier: MIT */
/*
 * A profile as people look at it: functions, and the tree of calls. With an older profile, both
 * are in one tree, and functions are the same if their names are. (Addresses may differ, since the
 * profiles may be of two runs.)
 */
#ifndef PROFILE_TREE_H
#define PROFILE_TREE_H

#include "profile/code.h"
#include "profile/samples.h"

enum when { NOW, BEFORE, NR_TIMES };

/* Estimates; [BEFORE] is 0 without an older profile. */
typedef double figures_t[NR_TIMES][NR_FIGURES];

struct function {
	const char *name;
	const char *file;		/* of a line in it; NULL: unknown */
	int line;
	figures_t self;			/* of blocks that the function itself asked for */
	figures_t total;		/* and those that it called */
	const void *counted;		/* the last sample that is in total */
};

struct node {
	unsigned int function;		/* its number */
	figures_t self;
	struct node *callees, *next;
};

struct profile {
	struct samples samples[NR_TIMES];
	struct code *code[NR_TIMES];	/* [BEFORE] is NULL without an older profile */
	struct function *functions;	/* in any order; function 0 stands for all */
	unsigned int nr_functions;
	struct node *root;		/* of function 0 */
	double sums[NR_TIMES][NR_FIGURES];

	void *names;			/* tree of search.h */
};

static inline bool profile_has_before(const struct profile *profile)
{
	return profile->code[BEFORE];
}

struct command;

/* path_before: NULL, or an older profile. 0, or the exit status after a message. */
int profile_read(const struct command *command, const char *path, const char *path_before,
		 struct profile *profile);
void profile_free(struct profile *profile);

/*
 * The functions that have or had anything of a figure, those that people look at first in front:
 * by what they have themselves, or with an older profile by how much more that is now. The caller
 * frees the array.
 */
unsigned int *profile_ranking(const struct profile *profile, enum figure figure, unsigned int *nr);

/* "48.1 MiB" or "-3.0 KiB"; plus: "+" in front of what is more than 0. */
#define SIZE_TEXT_BYTES 32
const char *size_text(double bytes, bool plus, char text[SIZE_TEXT_BYTES]);

#endif
