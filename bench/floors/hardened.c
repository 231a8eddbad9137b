// SPDX-License-Identifier: MIT
/*
 * What hardened=1 costs before there is an allocator: blocks are looked at to be zero, as when
 * they are handed out, and cleared, as when they are freed, in turns. They are as many as wait
 * in a quarantine and in what has left it: 192 (halves have 128 since), but no more than 96 KiB.
 *
 * Behind that a pair of calls that does so for the blocks of an array: one pops a block, looks at
 * it and seals it; the other looks for its owner, at its seal, clears it and pushes it on a
 * second array. There is no library's data, no choice by size, no fence of more than a word, and
 * the quarantine costs nothing: when the one array is empty and the other full both counts are
 * set back, so the same blocks come again in the same order.
 *
 * Cycles of the time-stamp counter for one block, the best of many runs.
 * For x86-64 and glibc 2.35 and later.
 *
 * usage: cc -O2 [-mavx2] -o hardened hardened.c && ./hardened
 */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>

#include "objects.h"

#define BEST_OF 100
#define TURNS 200
#define BLOCKS_MAX 192
#define BLOCKS_BYTES (96 << 10)

/* Beyond that libc's memset() clears. */
#define SHORT_MAX 576

#ifdef __AVX2__
#define WIDE 32
#else
#define WIDE 16
#endif
/* Blocks are multiples of 16 bytes: the last access may overlap the one before. */
typedef long long wide __attribute__((__vector_size__(WIDE), __may_alias__, __aligned__(16)));

static inline bool is_clear(wide any)
{
#ifdef __AVX2__
	return __builtin_ia32_ptestz256(any, any);
#else
	return !(any[0] | any[1]);
#endif
}

static inline __attribute__((always_inline)) void look(const char *block, size_t bytes)
{
	const char *last = block + bytes - WIDE;
	wide any;

	if (bytes < WIDE) {
		const unsigned long *words = (const void *)block;

		if (words[0] | words[1])
			abort();
		return;
	}
	any = *(const wide *)last;

	for (const char *at = block; at < last; at += WIDE)
		any |= *(const wide *)at;
	if (!is_clear(any))
		abort();
}

static inline __attribute__((always_inline)) void clear(char *block, size_t bytes)
{
	char *last = block + bytes - WIDE;

	if (bytes < WIDE) {
		memset(block, 0, bytes);
		return;
	}

	if (bytes > SHORT_MAX) {
		memset(block, 0, bytes);
		return;
	}
	for (char *at = block; at < last; at += WIDE) {
		*(wide *)at = (wide){ 0 };
		__asm__ volatile("" : : : "memory");	/* or it becomes a string operation */
	}
	*(wide *)last = (wide){ 0 };
}

/* --- Looking and clearing alone ------------------------------------------------- */

static char blocks[BLOCKS_BYTES] __attribute__((__aligned__(4096)));

static inline __attribute__((always_inline)) unsigned long turns_alone(size_t nr, size_t bytes)
{
	unsigned long start = __rdtsc();

	for (unsigned int turn = 0; turn < TURNS; turn++)
		for (char *block = blocks; block < blocks + nr * bytes; block += bytes) {
			look(block, bytes);
			__asm__ volatile("" : : : "memory");
			clear(block, bytes);
			__asm__ volatile("" : : : "memory");
		}
	return __rdtsc() - start;
}

/* --- In a pair of calls ------------------------------------------------------------ */

#define QUARANTINE_OFFSET (2 * ARRAY_OFFSET)
#define FENCE 0x5b5b5b5b5b5b5b5bUL
#define SEAL 0x0001000079b1a717UL

struct array {
	uint32_t count, limit;
	void *blocks[];
};

static struct array *array_at(unsigned long offset)
{
	return (void *)(percpu.slots + ((unsigned long)sched_getcpu() << 20) + offset);
}

/* The last 16 bytes are the fence and the seal. */
static inline unsigned long *end_of(char *block, size_t bytes)
{
	return (unsigned long *)(block + bytes - 16);
}

static inline __attribute__((always_inline)) void *take(size_t bytes)
{
	unsigned long *end;
	char *block;

	do	/* if it was interrupted */
		block = pop((void *)ARRAY_OFFSET);
	while (!block);
	look(block, bytes);
	end = end_of(block, bytes);
	end[0] = FENCE;
	end[1] = (unsigned long)block ^ window.key ^ SEAL;
	return block;
}

static inline __attribute__((always_inline)) void give(char *block, size_t bytes)
{
	struct cache *cache = owner_of(block);
	unsigned long *end = end_of(block, bytes);

	if (end[1] != ((unsigned long)block ^ window.key ^ SEAL) || end[0] != FENCE)
		abort();
	clear(block, bytes);
	while (!try_push(cache->array, block))
		;	/* it was interrupted */
}

static void start_over(unsigned int nr)
{
	struct array *sheaf = array_at(ARRAY_OFFSET), *quarantine = array_at(QUARANTINE_OFFSET);

	sheaf->count = nr;
	sheaf->limit = quarantine->limit = LIMIT;
	quarantine->count = 0;
}

static void set_up_pairs(unsigned int nr, size_t bytes)
{
	struct array *sheaf = array_at(ARRAY_OFFSET);

	the_only.cache.array = (void *)QUARANTINE_OFFSET;
	for (unsigned int i = 0; i < nr; i++) {
		char *block = (char *)window.base + i * bytes;

		memset(block, 0, bytes);
		sheaf->blocks[i] = block;
	}
}

static inline __attribute__((always_inline)) unsigned long
turns_of_pairs(unsigned int nr, void *(*take_block)(void), void (*give_block)(char *))
{
	unsigned long start = __rdtsc();

	for (unsigned int turn = 0; turn < TURNS; turn++) {
		start_over(nr);
		for (unsigned int i = 0; i < nr; i++)
			give_block(take_block());
	}
	return __rdtsc() - start;
}

/* The sizes of the objects that 8, 32, 64, 96, 128, 256, 512, 1024 and 4096 bytes are asked of. */
#define SIZES(X) X(16) X(48) X(80) X(112) X(144) X(288) X(576) X(1152) X(4608)

#define DEFINE(bytes)								\
	static __attribute__((noinline)) void *take_##bytes(void)		\
	{									\
		return take(bytes);						\
	}									\
										\
	static __attribute__((noinline)) void give_##bytes(char *block)		\
	{									\
		give(block, bytes);						\
	}									\
										\
	static unsigned long alone_##bytes(unsigned int nr)			\
	{									\
		return turns_alone(nr, bytes);					\
	}									\
										\
	static unsigned long pairs_##bytes(unsigned int nr)			\
	{									\
		void *(*volatile take_block)(void) = take_##bytes;		\
		void (*volatile give_block)(char *) = give_##bytes;		\
										\
		return turns_of_pairs(nr, take_block, give_block);		\
	}
SIZES(DEFINE)

#define ROW(bytes) { bytes, alone_##bytes, pairs_##bytes },
static const struct {
	size_t bytes;
	unsigned long (*alone)(unsigned int nr);
	unsigned long (*pairs)(unsigned int nr);
} rows[] = { SIZES(ROW) };

static double best_of(unsigned long (*turns)(unsigned int nr), unsigned int nr)
{
	unsigned long best = ~0UL;

	for (unsigned int run = 0; run < BEST_OF; run++) {
		unsigned long ticks = turns(nr);

		best = ticks < best ? ticks : best;
	}
	return (double)best / TURNS / nr;
}

static void stay_here(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

int main(void)
{
	stay_here();
	if (sequences_set_up() || window_set_up(BLOCKS_BYTES, 64))
		return 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t bytes = rows[i].bytes;
		unsigned int nr = (unsigned int)(BLOCKS_BYTES / bytes);
		double alone, pairs;

		nr = nr < BLOCKS_MAX ? nr : BLOCKS_MAX;
		memset(blocks, 0, sizeof(blocks));
		set_up_pairs(nr, bytes);
		alone = best_of(rows[i].alone, nr);
		pairs = best_of(rows[i].pairs, nr);
		printf("%5zu bytes: %.1f, in a pair of calls %.1f\n", bytes, alone, pairs);
	}
	return EXIT_SUCCESS;
}
