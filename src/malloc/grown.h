/* SPDX-License-Identifier: MIT */
/*
 * Blocks that grow: see grown.c.
 */
#ifndef MALLOC_GROWN_H
#define MALLOC_GROWN_H

#include "base/compiler.h"

/*
 * A block of size bytes for what realloc() makes larger: a mapping with room for more; NULL if
 * it should be a block like any other. errno is left alone.
 * caller is who asks, for the profile.
 */
void *grown_alloc(size_t size, const void *caller);
/* The same block, a mapping of old_bytes, with so many; NULL (and no change) if it has to move. */
void *grown_resize(void *block, size_t old_bytes, size_t size, const void *caller);

#endif
