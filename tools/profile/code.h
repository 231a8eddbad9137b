/* SPDX-License-Identifier: MIT */
/*
 * Which function an address of code belongs to: from the mappings that a profile lists, and the
 * files that were mapped, if they are still there. elfutils reads the files. A function that the
 * compiler inlined is a frame of its own.
 */
#ifndef PROFILE_CODE_H
#define PROFILE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct mapping {
	uint64_t start, limit, offset;	/* addresses; where in the file it begins */
	char *path;			/* "" if it is of no file */
	char build_id[64];		/* "" if it is unknown */
	bool was_looked_up, has_functions, has_lines;
};

struct code_frame {
	char *function;			/* demangled; "file+0x123" if no name is known */
	bool has_name;
	char *file;			/* NULL: unknown */
	int line;
};

struct location {
	uint64_t address;
	struct mapping *mapping;	/* NULL: none has the address */
	struct code_frame *frames;	/* at least one; functions inlined into the others first */
	unsigned int nr_frames;
};

struct code;

/* maps: lines of /proc/PID/maps. NULL: out of memory */
struct code *code_open(const char *maps, size_t bytes);
void code_close(struct code *code);

/* The location of a return address; valid until code_close(). */
const struct location *code_locate(struct code *code, uint64_t address);

/* Mapping i, in the order of their addresses; NULL past the last. */
const struct mapping *code_mapping(const struct code *code, size_t i);

/*
 * Tells, in one line each, on stderr, which files of functions are gone, and which were changed
 * after the profile was written.
 */
struct command;
void code_warn(const struct code *code, const struct command *command,
	       const struct timespec *written);

#endif
