/* SPDX-License-Identifier: MIT */
/*
 * A mapping in one word, which one atomic operation can exchange. The upper bits are the number of
 * the first page, the lower MAPPING_WORD_BITS bits the number of pages. 0 stands for no mapping.
 */
#ifndef MALLOC_MAPPED_MAPPING_WORD_H
#define MALLOC_MAPPED_MAPPING_WORD_H

#include "os/os.h"

#define MAPPING_WORD_BITS 15
#define MAPPING_WORD_MASK ((1UL << MAPPING_WORD_BITS) - 1)
/* The longest mapping that fits in a word with system pages of any size. */
#define MAPPING_WORD_BYTES_MAX (MAPPING_WORD_MASK * 4096)

/* start and bytes are multiples of the system's page. */
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
