/* SPDX-License-Identifier: MIT */
/*
 * Blocks for callers that come before the dynamic linker has relocated this library: the resolvers
 * of IFUNC functions in libraries that it relocates first. Until then the library can neither call
 * another object's functions, nor use thread-local variables, so nothing can come up.
 *
 * Such a block is a part of a mapping. It stays where it is for good: free() does nothing, and
 * realloc() copies.
 */
#ifndef MALLOC_EARLY_BLOCKS_H
#define MALLOC_EARLY_BLOCKS_H

#include "base/compiler.h"

/* Is the library not relocated yet? */
bool early_is_now(void);
/* A zeroed block. NULL without memory, or when there are too many blocks. */
void *early_alloc(size_t size, size_t align);
/* The block's size; 0 if the pointer is no such block. From any context. */
size_t early_bytes(const void *pointer);
/* realloc() of such a block. caller: who called the entry point. */
void *early_realloc(void *pointer, size_t size, const void *caller);

#endif
