/* SPDX-License-Identifier: MIT */
/*
 * A mapping in one word, so that it is exchanged by one atomic operation: its first page's number
 * above, how many pages there are below. 0 is none.
 */
#ifndef MALLOC_MAPPED_MAPPING_WORD_H
#define MALLOC_MAPPED_MAPPING_WORD_H

#include "os/os.h"

#define MAPPING_WORD_BITS 15
#define MAPPING_WORD_MASK ((1UL << MAPPING_WORD_BITS) - 1)
/* No longer one has a word, whatever the system's pages are. */
#define MAPPING_WORD_BYTES_MAX (MAPPING_WORD_MASK * 4096)

/* bytes is a multiple of the system's pages. */
static inline unsigned long mapping_word(const void *start, size_t bytes)
{
	return (unsigned long)start / os_page_bytes() << MAPPING_WORD_BITS |
	       bytes / os_page_bytes();
}

static inline void *mapping_word_start(unsigned long word)
{
	return (void *)((word >> MAPPING_WORD_BITS) * os_page_bytes());
}

static inline size_t mapping_word_bytes(unsigned long word)
{
	return (word & MAPPING_WORD_MASK) * os_page_bytes();
}

#endif
