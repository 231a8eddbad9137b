// SPDX-License-Identifier: MIT
/*
 * A floor for hardened=1: the cost of its unavoidable work, without an allocator. Blocks are
 * checked to be zero, as when they are allocated, and cleared, as when they are freed, in turns.
 *
 * Then a pair of calls does this for the blocks of an array. One call pops a block, checks it and
 * seals it. The other call looks up the owner, checks the seal, clears the block and pushes it on a
 * second array, the quarantine. No call looks at data of a library or chooses by size, and the
 * fence (the bytes behind what was asked for) is always one word. Three variants:
 *
 *	free		the quarantine costs nothing: when the first array is empty and the second
 *			full, both counts are reset, so the same blocks come in the same order
 *	halves		when the quarantine is full, its older half goes back to the first array
 *			in random order, by plain loads and stores
 *	disorder	as halves, and the blocks lie at random in ten times as much memory, as in
 *			a heap that was larger before
 *
 * As many blocks circulate as in the library: 64 KiB of them, at least 2 and at most 256, and a
 * power of two.
 *
 * Prints time-stamp cycles for one block, the best of many runs, without those of an empty loop.
 * For x86-64 and glibc 2.35 and later.
 *
 * usage: cc -O2 [-mavx2] -o hardened hardened.c && ./hardened
 */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>

#include "objects.h"

#define BEST_OF 100
#define TURNS 100
#define BLOCKS_MAX 256U
#define BLOCKS_BYTES (64U << 10)
#define ONE_MORE_BYTES (8U << 10)	/* at least the largest block */
#define DISORDER 10U

/* Larger blocks are cleared by libc's memset(). */
#define SHORT_MAX 576

#ifdef __AVX2__
#define WIDE 32
#else
#define WIDE 16
#endif
/* Blocks are multiples of 16 bytes, so the last access may overlap the one before. */
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
		__asm__ volatile("" : : : "memory");	/* prevents a string operation */
	}
	*(wide *)last = (wide){ 0 };
}

/* --- Checking and clearing alone ------------------------------------------------ */

static char *blocks[BLOCKS_MAX + 1];

/* How many blocks of so many bytes circulate. */
static inline __attribute__((always_inline)) unsigned int nr_of(size_t bytes)
{
	unsigned int nr = BLOCKS_MAX;

	while (nr > 2 && nr * bytes > BLOCKS_BYTES)
		nr /= 2;
	return nr;
}

static inline __attribute__((always_inline)) unsigned long turns_alone(unsigned int nr,
								       size_t bytes)
{
	unsigned long start = __rdtsc();

	for (unsigned int turn = 0; turn < TURNS; turn++)
		for (unsigned int i = 0; i < nr; i++) {
			look(blocks[i], bytes);
			__asm__ volatile("" : : : "memory");
			clear(blocks[i], bytes);
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

/* The block's last 16 bytes: fence and seal. */
static inline unsigned long *end_of(char *block, size_t bytes)
{
	return (unsigned long *)(block + bytes - 16);
}

static inline __attribute__((always_inline)) void *take(size_t bytes)
{
	unsigned long *end;
	char *block;

	do	/* again if it was interrupted */
		block = pop((void *)ARRAY_OFFSET);
	while (!block);
	look(block, bytes);
	end = end_of(block, bytes);
	end[0] = FENCE;
	end[1] = (unsigned long)block ^ window.key ^ SEAL;
	return block;
}

static struct array *sheaf, *quarantine;	/* those of the CPU that this runs on */
static uint8_t order[BLOCKS_MAX / 2];

/* While the other half holds older blocks, the limit is one half. */
static __attribute__((noinline)) void let_older_leave(unsigned int half)
{
	bool upper = quarantine->limit == half;
	void **older = quarantine->blocks + (upper ? half : 0);
	void **places = sheaf->blocks + sheaf->count;

	for (unsigned int i = 0; i < half; i++)
		places[i] = older[order[i]];
	sheaf->count += half;
	quarantine->limit = upper ? 2 * half : half;
	if (!upper)
		quarantine->count = 0;
}

static inline __attribute__((always_inline)) void give(char *block, size_t bytes)
{
	struct cache *cache = owner_of(block);
	unsigned long *end = end_of(block, bytes);

	if (end[1] != ((unsigned long)block ^ window.key ^ SEAL) || end[0] != FENCE)
		abort();
	clear(block, bytes);
	while (!try_push(cache->array, block))
		if (quarantine->count == quarantine->limit)	/* or it was interrupted */
			let_older_leave(nr_of(bytes) / 2);
}

/* Puts every block into the sheaf, once. */
static void fill_sheaf(unsigned int nr)
{
	for (unsigned int i = 0; i <= nr; i++)
		sheaf->blocks[i] = blocks[i];
}

/* Starts with one more block, so that the first array is never empty. */
static void start_over(unsigned int nr)
{
	sheaf->count = nr + 1;
	quarantine->count = 0;
	quarantine->limit = nr;
}

/* set_back: reset both arrays whenever the quarantine is full, so nothing ever leaves it. */
static inline __attribute__((always_inline)) unsigned long
turns_of_pairs(unsigned int nr, void *(*take_block)(void), void (*give_block)(char *),
	       bool set_back)
{
	unsigned long start;

	fill_sheaf(nr);
	start_over(nr);
	start = __rdtsc();
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		if (set_back)
			start_over(nr);
		for (unsigned int i = 0; i < nr; i++)
			give_block(take_block());
	}
	return __rdtsc() - start;
}

static void shuffle(unsigned int nr)
{
	for (unsigned int i = nr; i > 1; i--) {
		unsigned int other = (unsigned int)rand() % i;
		uint8_t last = order[i - 1];

		order[i - 1] = order[other];
		order[other] = last;
	}
}

/* Places blocks in a row, or one in each `apart` places; chooses an order for half of them. */
static void set_up_blocks(unsigned int nr, size_t bytes, unsigned int apart)
{
	for (unsigned int i = 0; i <= nr; i++) {
		unsigned int place = i * apart + (unsigned int)rand() % apart;

		blocks[i] = (char *)window.base + place * bytes;
		memset(blocks[i], 0, bytes);
	}
	for (unsigned int i = 0; i < nr / 2; i++)
		order[i] = (uint8_t)i;
	shuffle(nr / 2);
}

/* --- Sizes ----------------------------------------------------------------------------- */

/* Object sizes for requests of 8, 32, 64, 96, 128, 256, 512, 1024 and 4096 bytes. */
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
	static unsigned long free_##bytes(unsigned int nr)			\
	{									\
		void *(*volatile take_block)(void) = take_##bytes;		\
		void (*volatile give_block)(char *) = give_##bytes;		\
										\
		return turns_of_pairs(nr, take_block, give_block, true);	\
	}									\
										\
	static unsigned long halves_##bytes(unsigned int nr)			\
	{									\
		void *(*volatile take_block)(void) = take_##bytes;		\
		void (*volatile give_block)(char *) = give_##bytes;		\
										\
		return turns_of_pairs(nr, take_block, give_block, false);	\
	}
SIZES(DEFINE)

#define ROW(bytes) { bytes, alone_##bytes, free_##bytes, halves_##bytes },
static const struct {
	size_t bytes;
	unsigned long (*alone)(unsigned int nr);
	unsigned long (*free)(unsigned int nr);
	unsigned long (*halves)(unsigned int nr);
} rows[] = { SIZES(ROW) };

static unsigned long empty(unsigned int nr)
{
	unsigned long start = __rdtsc();

	for (unsigned int turn = 0; turn < TURNS; turn++)
		for (unsigned int i = 0; i < nr; i++)
			__asm__ volatile("" : : : "memory");
	return __rdtsc() - start;
}

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
	double loop;

	stay_here();
	if (sequences_set_up() || window_set_up(DISORDER * (BLOCKS_BYTES + ONE_MORE_BYTES), 64))
		return 1;
	sheaf = array_at(ARRAY_OFFSET);
	quarantine = array_at(QUARANTINE_OFFSET);
	the_only.cache.array = (void *)QUARANTINE_OFFSET;
	loop = best_of(empty, BLOCKS_MAX);
	puts("bytes   alone   in a pair of calls: free  halves  disorder");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int nr = nr_of(rows[i].bytes);

		set_up_blocks(nr, rows[i].bytes, 1);
		printf("%5zu %7.1f %25.1f", rows[i].bytes, best_of(rows[i].alone, nr) - loop,
		       best_of(rows[i].free, nr) - loop);
		printf(" %7.1f", best_of(rows[i].halves, nr) - loop);
		set_up_blocks(nr, rows[i].bytes, DISORDER);
		printf(" %9.1f\n", best_of(rows[i].halves, nr) - loop);
	}
	return EXIT_SUCCESS;
}
