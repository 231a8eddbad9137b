/* SPDX-License-Identifier: MIT */
/* Work for malloc, and threads that do it all the time. */
#ifndef MALLOC_HAMMER_H
#define MALLOC_HAMMER_H

#include <pthread.h>

#include "harness.h"
#include "support/prng.h"

#define NR_HAMMERS 8

static pthread_t hammers[NR_HAMMERS];
static bool hammers_stopped;	/* Sync: atomic relaxed */

/* Mostly small, up to 6 MiB. */
static inline size_t mixed_size(struct prng *prng)
{
	return prng_one_in(prng, 200) ? prng_below(prng, 6 * MIB) :
	       prng_below(prng, 64 * KIB) >> prng_below(prng, 13);
}

/* Each word at a block's start holds its size. */
static inline void mixed_work(struct prng *prng, unsigned int steps)
{
	size_t *blocks[32] = { NULL };

	for (unsigned int step = 0; step < steps; step++) {
		size_t **block = &blocks[prng_below(prng, ARRAY_SIZE(blocks))];
		size_t size = sizeof(size_t) + mixed_size(prng), old = *block ? **block : 0;

		if (*block && prng_one_in(prng, 2)) {
			*block = realloc(*block, size);
			REQUIRE(*block && **block == old);
		} else {
			free(*block);
			*block = prng_one_in(prng, 3) ? calloc(1, size) : malloc(size);
			REQUIRE(*block);
		}
		**block = size;
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
}

static inline void *hammer(void *seed)
{
	struct prng prng = { (unsigned long)seed };

	while (!__atomic_load_n(&hammers_stopped, __ATOMIC_RELAXED)) {
		mixed_work(&prng, 200);
		sleep_us(400);	/* or the children would hardly run */
	}
	return NULL;
}

static inline void start_hammers(void)
{
	__atomic_store_n(&hammers_stopped, false, __ATOMIC_RELAXED);
	for (unsigned long i = 0; i < NR_HAMMERS; i++)
		REQUIRE(!pthread_create(&hammers[i], NULL, hammer, (void *)(i + 1)));
}

static inline void stop_hammers(void)
{
	__atomic_store_n(&hammers_stopped, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < NR_HAMMERS; i++)
		pthread_join(hammers[i], NULL);
}

#endif
