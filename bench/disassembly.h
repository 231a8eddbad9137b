/* SPDX-License-Identifier: MIT */
/* Machine code of this program's own functions, as text. */
#ifndef BENCH_DISASSEMBLY_H
#define BENCH_DISASSEMBLY_H

#include "bench.h"

/*
 * A function that lies alone in the section of that name; DISASSEMBLY_BOUNDS() declares
 * where that begins and ends.
 */
#define DISASSEMBLY_SECTION(name) __attribute__((__noinline__, __used__, __section__(#name)))
#define DISASSEMBLY_BOUNDS(name) extern const char __start_##name[], __stop_##name[]

/*
 * Prints the instructions up to the last return, and gives them as an array of strings;
 * NULL, and a line that says why, without libcapstone (capstone.h).
 */
struct json *disassembly_print(struct bench *bench, const char *name, const char *start,
			       const char *stop);

#endif
