/* SPDX-License-Identifier: MIT */
/*
 * The library's numbers in another process, read from outside: the process executes nothing for
 * it. A child of this process reads them (tools/inspect), for it needs more than libc.
 */
#ifndef TOOLS_LIBRARY_H
#define TOOLS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "stats/caches.h"
#include "usermm/stats.h"

struct library;

/* NULL: why[] says why there are no numbers. */
struct library *library_open(pid_t pid, char *why, size_t bytes);
void library_close(struct library *library);

/* Reads them anew. False: they cannot be read now. */
bool library_read(struct library *library);

/* What was read last. */
const struct usermm_stats *library_stats(const struct library *library);
/* Cache i that has slabs; NULL past the last. */
const struct cache_line *library_cache(const struct library *library, unsigned int i);

#endif
