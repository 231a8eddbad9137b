/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that are the same in every run (splitmix64). To repeat a failing case, run it
 * again.
 */
#ifndef SUPPORT_PRNG_H
#define SUPPORT_PRNG_H

struct prng {
	unsigned long long state;
};

static inline unsigned long long prng_u64(struct prng *prng)
{
	unsigned long long z = prng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* A number from 0 to bound - 1. bound is 1 to 2^32. */
static inline unsigned int prng_below(struct prng *prng, unsigned long bound)
{
	return (unsigned int)(((prng_u64(prng) >> 32) * bound) >> 32);
}

/* low .. high. */
static inline unsigned int prng_range(struct prng *prng, unsigned int low, unsigned int high)
{
	return low + prng_below(prng, (unsigned long)high - low + 1);
}

/* True once in n times. */
static inline int prng_one_in(struct prng *prng, unsigned int n)
{
	return prng_below(prng, n) == 0;
}

#endif
