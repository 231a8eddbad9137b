// SPDX-License-Identifier: MIT
/*
 * A floor for code fetches: the cost of a pair of calls from a program into a shared library, if
 * the functions consist of four-byte instructions without effect and a return. Each row gives the
 * bytes of code that a call executes: pieces with a jump from one to the next. Each piece begins at
 * a cache line.
 *
 * Prints time-stamp cycles for a pair, the minimum of many runs. The system chooses the addresses
 * of program and library for each process, and at some addresses a pair takes one or two cycles
 * more. So run it several times. For x86-64.
 *
 * usage: cc -O2 -o code_lines code_lines.c && ./code_lines
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <x86intrin.h>

#define PAIRS 3000
#define RUNS 1001
#define LINE_BYTES 64
#define CODE_BYTES 4096
#define PIECES_MAX 4

typedef void function(void *argument);

struct pair {
	const char *name;
	/* Bytes of each function's pieces, ended by 0. */
	unsigned int take[PIECES_MAX], give[PIECES_MAX];
};

/* Writes a piece of code: instructions without effect, then a jump to `next`, or a return. */
static void write_piece(uint8_t *code, unsigned int bytes, const uint8_t *next)
{
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x40, 0x00 };
	uint8_t *end = code + bytes - (next ? 5 : 1);
	int32_t distance = next ? (int32_t)(next - (end + 5)) : 0;

	while (end - code >= (long)sizeof(nop))
		code = (uint8_t *)memcpy(code, nop, sizeof(nop)) + sizeof(nop);
	while (code < end)
		*code++ = 0x90;
	*code++ = next ? 0xe9 : 0xc3;
	if (next)
		memcpy(code, &distance, sizeof(distance));
}

/* Writes a function. Returns where the next one may start. */
static uint8_t *write_function(uint8_t *code, const unsigned int *bytes)
{
	for (unsigned int i = 0; i < PIECES_MAX && bytes[i]; i++) {
		uint8_t *next = code + (bytes[i] + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
		int is_last = i + 1 == PIECES_MAX || !bytes[i + 1];

		write_piece(code, bytes[i], is_last ? NULL : next);
		code = next;
	}
	return code;
}

static double measure(function *take, function *give)
{
	double least = 1e9;

	for (int run = 0; run < RUNS; run++) {
		uint64_t ticks = __rdtsc();

		for (int i = 0; i < PAIRS; i++) {
			take(&ticks);
			give(&ticks);
		}
		ticks = __rdtsc() - ticks;
		if ((double)ticks / PAIRS < least)
			least = (double)ticks / PAIRS;
	}
	return least;
}

int main(void)
{
	static const struct pair pairs[] = {
		{ "a return each", { 1 }, { 1 } },
		{ "64 + 64 bytes", { 64 }, { 64 } },
		{ "64 + 128", { 64 }, { 128 } },
		{ "128 + 128", { 128 }, { 128 } },
		{ "128 + 192", { 128 }, { 192 } },
		{ "12, 128 + 88, 32, 76", { 12, 128 }, { 88, 32, 76 } },
		/* As with hardened=1: the last pieces are the functions for the size. */
		{ "12, 12, 36, 188 + 76, 48, 188", { 12, 12, 36, 188 }, { 76, 48, 188 } },
		{ "12, 12, 36, 216 + 76, 48, 208", { 12, 12, 36, 216 }, { 76, 48, 208 } },
	};
	uint8_t *code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 1;
	for (unsigned int i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		uint8_t *give;

		if (mprotect(code, CODE_BYTES, PROT_READ | PROT_WRITE))
			return 1;
		give = write_function(code, pairs[i].take);
		write_function(give, pairs[i].give);
		if (mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC))
			return 1;
		printf("%-30s %5.1f\n", pairs[i].name,
		       measure((function *)code, (function *)give));
	}
	return 0;
}
