/* SPDX-License-Identifier: MIT */
/*
 * Blocks of no bytes with hardened=1: addresses of a range that cannot be touched, so whoever
 * reads or writes there ends by a SIGSEGV at once. A block is a bit. They are handed out in turn,
 * by rising address: one that is freed waits until its turn comes, so what is freed right after
 * its allocation waits longest. When all are in use, or where the system refuses the range, a
 * block of no bytes is an object like those of one byte.
 *
 * kfree() and its like, which take malloc()'s objects, do not take these, as they do not take
 * mappings.
 *
 * Signal handlers and fork children may call all of this: there is no lock.
 */
#ifndef MALLOC_HARDENED_ZERO_SIZE_H
#define MALLOC_HARDENED_ZERO_SIZE_H

#include "base/compiler.h"

/* Before any of the others. */
void zero_size_init(void);
/* align is a power of two up to a page. NULL: there is none left. */
void *zero_size_alloc(size_t align);
/* Does the address lie in the range, be it a block or not? */
bool zero_size_owns(const void *pointer);
/* Both for addresses of the range; what is no block ends the process with a report. */
void zero_size_check(const char *function, const void *pointer, const void *caller);
void zero_size_free(const char *function, const void *pointer, const void *caller);

#endif
