/* SPDX-License-Identifier: MIT */
/* What `usermm profile` writes. Each function returns 0, or the exit status after a message. */
#ifndef PROFILE_OUTPUTS_H
#define PROFILE_OUTPUTS_H

#include "profile/tree.h"

struct command;

/*
 * Text and JSON for standard output: at most so many functions, ranked by the figure, which is of
 * bytes.
 */
int write_text(const struct profile *profile, enum figure figure, unsigned int most);
int write_json(const struct profile *profile, enum figure figure, unsigned int most);

/* One page of HTML, with a flame graph and a table of at most so many functions. */
int write_flame(const struct command *command, const struct profile *profile, enum figure figure,
		unsigned int most, const char *path);

/*
 * pprof's profile.proto; with an older profile, the differences. Packed by gzip if the path ends in
 * ".gz".
 */
int write_pprof(const struct command *command, const struct profile *profile, const char *path);

#endif
