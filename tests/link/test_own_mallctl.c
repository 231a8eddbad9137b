/* SPDX-License-Identifier: MIT */
/*
 * A program with a mallctl() and a mallocx() of its own, as some have for systems without jemalloc:
 * it can be linked with the library, and calls its own functions.
 */
#include <stdlib.h>

#include <usermm/mallctl.h>
#include <usermm/mallocx.h>
#include <usermm/profile.h>

#define OWN_ANSWER 12345

int mallctl(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
{
	return name || oldp || oldlenp || newp || newlen ? OWN_ANSWER : 0;
}

void *mallocx(size_t size, int flags)
{
	static char own[OWN_ANSWER];

	return size <= sizeof(own) && !flags ? own : NULL;
}

int main(void)
{
	size_t mib[1], length = 1;
	void *block;

	for (size_t size = 1; size < 8ul << 20; size *= 2) {
		void *volatile block = malloc(size);

		if (!block)
			return 1;
		free(block);
	}
	if (mallctl("epoch", NULL, NULL, NULL, 0) != OWN_ANSWER)
		return 2;
	if (mallocx(OWN_ANSWER, 0) != mallocx(1, 0))
		return 4;
	/* The others are the library's. */
	block = rallocx(malloc(10), 10000, MALLOCX_ALIGN(64));
	if (!block || sallocx(block, 0) < 10000)
		return 5;
	sdallocx(block, 10000, MALLOCX_ALIGN(64));
	return mallctlnametomib("epoch", mib, &length) || usermm_heap_profile(1) >= 0 ? 3 : 0;
}
