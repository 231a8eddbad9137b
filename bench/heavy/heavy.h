/* SPDX-License-Identifier: MIT */
/*
 * Programs that do little but allocate. Each does the same work in each run, calls malloc() and its
 * kin alone, and writes to what it gets. main.c runs one for bench_heavy.py; `usermm bench malloc`
 * runs them too. A program runs once in a process.
 */
#ifndef BENCH_HEAVY_HEAVY_H
#define BENCH_HEAVY_HEAVY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MEBIBYTE (1UL << 20)
#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct heavy_program {
	const char *name;
	/* Returns a sum of what it computed, which is the same under every allocator. */
	uint64_t (*run)(void);
};

/* Program i; NULL past the end. */
const struct heavy_program *heavy_program(unsigned int i);
const struct heavy_program *heavy_find_program(const char *name);
/*
 * Call it before a program runs: the program does 1 / divisor of its work. At least 1, the default.
 */
extern unsigned long heavy_divisor;

uint64_t heavy_replace_small(void);
uint64_t heavy_replace_many(void);
uint64_t heavy_rounds(void);
uint64_t heavy_bignum(void);
uint64_t heavy_cubes(void);
uint64_t heavy_trees(void);
uint64_t heavy_words(void);
uint64_t heavy_json(void);
uint64_t heavy_lisp(void);
uint64_t heavy_strings(void);
uint64_t heavy_stages(void);
uint64_t heavy_large(void);
uint64_t heavy_server(void);
uint64_t heavy_exchange(void);

/* A part of a program: replaces blocks of low to high bytes in a table, at random. */
uint64_t heavy_replace_rounds(uint64_t seed, unsigned char **table, uint32_t slots, uint32_t low,
			uint32_t high, unsigned long rounds);

/* A number of rounds, for the divisor. */
static inline unsigned long scaled(unsigned long number)
{
	return number / heavy_divisor ? number / heavy_divisor : 1;
}

static inline uint32_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state * 2685821657736338717U >> 32);
}

static inline uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((uint64_t)next_random(state) * n >> 32);
}

static inline void *must(void *memory)
{
	if (!memory) {
		fputs("no memory\n", stderr);
		exit(1);
	}
	return memory;
}

static inline void *allocate(size_t size)
{
	return must(malloc(size));
}

#endif
