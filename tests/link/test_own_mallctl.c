/* SPDX-License-Identifier: MIT */
/*
 * A program with a mallctl() of its own, as some have for systems without jemalloc: it is linked
 * with the library all the same, and calls its own.
 */
#include <stdlib.h>

#include <usermm/mallctl.h>
#include <usermm/profile.h>

#define OWN_ANSWER 12345

int mallctl(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
{
	return name || oldp || oldlenp || newp || newlen ? OWN_ANSWER : 0;
}

int main(void)
{
	size_t mib[1], length = 1;

	for (size_t size = 1; size < 8ul << 20; size *= 2) {
		void *volatile block = malloc(size);

		if (!block)
			return 1;
		free(block);
	}
	if (mallctl("epoch", NULL, NULL, NULL, 0) != OWN_ANSWER)
		return 2;
	/* The others are the library's. */
	return mallctlnametomib("epoch", mib, &length) || usermm_heap_profile(1) >= 0 ? 3 : 0;
}
