/* SPDX-License-Identifier: MIT */
/* The checks of `usermm selftest`, by layer. */
#ifndef TOOLS_SELFTEST_H
#define TOOLS_SELFTEST_H

#include <stddef.h>

/* A check returns NULL, or says what did not hold. */
struct selftest {
	const char *name;
	const char *(*check)(void);
};

#define EXPECT(condition)						\
	do {								\
		if (!(condition))					\
			return "not true: " #condition;			\
	} while (0)

/* `usermm selftest percpu`; argv[0] is "percpu". */
int selftest_percpu(int argc, char **argv);

extern const struct selftest selftest_pages[], selftest_objects[];

/* Bytes of pages that nobody uses, with this CPU's lists emptied. */
size_t selftest_free_bytes(void);

/* Fills memory with a pattern made of key, and looks whether it is still there. */
void selftest_fill(void *memory, size_t bytes, unsigned long key);
int selftest_filled(const void *memory, size_t bytes, unsigned long key);
int selftest_zero(const void *memory, size_t bytes);

#endif
