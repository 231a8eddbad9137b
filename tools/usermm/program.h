/* SPDX-License-Identifier: MIT */
/*
 * How a program is linked. A static one ignores LD_PRELOAD. musl's dynamic linker cannot load a
 * library that was linked with glibc, nor the other way round: it ends the program that the library
 * is preloaded to.
 */
#ifndef TOOLS_PROGRAM_H
#define TOOLS_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

enum linking {
	LINKING_UNKNOWN,	/* not a program for this processor, or it cannot be read */
	LINKING_STATIC,
	LINKING_DYNAMIC,
};

struct program {
	enum linking linking;
	char path[PATH_MAX];	/* of a script: its interpreter's; empty: there is none */
	char linker[PATH_MAX];	/* the dynamic linker's path (PT_INTERP), if it is dynamic */
};

/*
 * Finds a program as execvp(3) does and reads it. A dynamic linker is unknown itself, since it
 * preloads like the program that it is given. Nothing but a regular file is opened.
 */
void program_read(const char *name, struct program *program);

/* This process's dynamic linker, or NULL if it is static. */
const char *linker_of_this(void);

/* Does one belong to musl and the other does not? */
bool linkers_differ(const char *one, const char *other);

#endif
