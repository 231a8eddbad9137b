/* SPDX-License-Identifier: MIT */
/*
 * The dynamic linker that a program asks for (PT_INTERP). musl's cannot load a library that was
 * linked with glibc, nor the other way round: it ends the program that the library is preloaded
 * to.
 */
#ifndef TOOLS_DYNAMIC_LINKER_H
#define TOOLS_DYNAMIC_LINKER_H

#include <limits.h>
#include <stdbool.h>

/*
 * Finds a program as execvp(3) does and copies its dynamic linker's path. False if the file cannot
 * be read, or has none: a script, a static program, a program for another processor.
 */
bool linker_of_program(const char *program, char linker[PATH_MAX]);

/* This process's dynamic linker, or NULL if it is static. */
const char *linker_of_this(void);

/* Does one belong to musl and the other does not? */
bool linkers_differ(const char *one, const char *other);

#endif
