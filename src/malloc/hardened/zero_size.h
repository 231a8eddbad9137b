/* SPDX-License-Identifier: MIT */
/*
 * Blocks of 0 bytes with hardened=1: addresses in an inaccessible range, so a read or write there
 * is a SIGSEGV at once. Each block has a bit that says whether it is in use. Blocks are handed out
 * by rising address, round and round. So a freed block waits until its turn comes again, and a
 * block that is freed right after its allocation waits longest. When all blocks are in use, or the
 * system refused the range, a block of 0 bytes is an object like one of 1 byte.
 *
 * kfree() and its relatives take malloc()'s objects, but neither these blocks nor mappings.
 *
 * Signal handlers and fork children may call all functions: there is no lock.
 */
#ifndef MALLOC_HARDENED_ZERO_SIZE_H
#define MALLOC_HARDENED_ZERO_SIZE_H

#include "base/compiler.h"

/* To be called before all other functions. */
void zero_size_init(void);
/* A block; NULL if none is left. align is a power of two up to a page. */
void *zero_size_alloc(size_t align);
/* Does the address lie in the range, whether it is a block or not? */
bool zero_size_owns(const void *pointer);
/*
 * For addresses in the range. An address that is no block in use ends the process with a report.
 * zero_size_free() frees the block; zero_size_check() only checks.
 */
void zero_size_check(const char *function, const void *pointer, const void *caller);
void zero_size_free(const char *function, const void *pointer, const void *caller);

#endif
