/* SPDX-License-Identifier: MIT */
/* Shows the machine code of this program's own functions. */
#ifndef BENCH_DISASSEMBLY_H
#define BENCH_DISASSEMBLY_H

#include "bench.h"

/*
 * Puts a function alone into the section of this name. DISASSEMBLY_BOUNDS() declares the section's
 * start and end.
 */
#define DISASSEMBLY_SECTION(name) __attribute__((__noinline__, __used__, __section__(#name)))
#define DISASSEMBLY_BOUNDS(name) extern const char __start_##name[], __stop_##name[]

/*
 * Prints the instructions up to the last return, and returns them as an array of strings. Without
 * libcapstone (capstone.h) prints a line that says why, and returns NULL.
 */
struct json *disassembly_print(struct bench *bench, const char *name, const char *start,
			       const char *stop);

#endif
