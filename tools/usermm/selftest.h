/* SPDX-License-Identifier: MIT */
/* The checks of `usermm selftest`, grouped by layer. */
#ifndef TOOLS_SELFTEST_H
#define TOOLS_SELFTEST_H

#include <stddef.h>

/* A check returns NULL, or a text that says what failed. */
struct selftest {
	const char *name;
	const char *(*check)(void);
};

#define EXPECT(condition)						\
	do {								\
		if (!(condition))					\
			return "not true: " #condition;			\
	} while (0)

extern const struct selftest selftest_pages[], selftest_objects[];

/* Bytes of free pages; empties this CPU's lists first. */
size_t selftest_free_bytes(void);

/* Fill memory with a pattern made from key, and check that the pattern is still there. */
void selftest_fill(void *memory, size_t bytes, unsigned long key);
int selftest_filled(const void *memory, size_t bytes, unsigned long key);
int selftest_zero(const void *memory, size_t bytes);

#endif
