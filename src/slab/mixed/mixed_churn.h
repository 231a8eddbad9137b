/* SPDX-License-Identifier: MIT */
/* Which sizes come and go too fast for mixed slabs. */
#ifndef SLAB_MIXED_MIXED_CHURN_H
#define SLAB_MIXED_MIXED_CHURN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Counts a request for a block of this size. True: the program frees such blocks about as fast as
 * it allocates them. Then a slab of its class serves it better, since free() of a mixed slab's
 * block has no fast path. The answer is true at most once in MIXED_CHURN_LOOK requests.
 */
#define MIXED_CHURN_LOOK 64
bool mixed_churns(size_t size);
/* A block of so many granules was freed. */
void mixed_churn_count_free(unsigned int granules);

#endif
