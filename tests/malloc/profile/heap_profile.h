/* SPDX-License-Identifier: MIT */
/*
 * Reads heap profiles as any reader of the format does. Has functions that ask for blocks, so that
 * a profile has known places.
 */
#ifndef MALLOC_HEAP_PROFILE_H
#define MALLOC_HEAP_PROFILE_H

#include <math.h>

#include "child.h"

#define PROFILE_SIZE (512 * KIB)
/* A function of a site is not longer. */
#define SITE_CODE 256
#define SITE_FRAMES 3

int usermm_heap_profile(int fd) __attribute__((__weak__));

/* --- Places that ask for blocks ------------------------------------------------------------- */

#define SITE(name, call)							\
	__attribute__((__noinline__, __unused__))				\
	static void *name(void *old, size_t size)				\
	{									\
		void *block = ((void)old, (call));				\
										\
		REQUIRE(block);							\
		return opaque(block);						\
	}

SITE(by_malloc, malloc(opaque_size(size)))
SITE(by_calloc, calloc(1, opaque_size(size)))
SITE(by_realloc, realloc(old, opaque_size(size)))
SITE(by_reallocarray, reallocarray(old, 2, opaque_size(size / 2)))
SITE(by_aligned_alloc, aligned_alloc(64, opaque_size(size)))
SITE(by_posix_memalign, posix_memalign(&old, 8192, opaque_size(size)) ? NULL : old)

typedef void *(*site_function)(void *old, size_t size);

/* --- Reading ---------------------------------------------------------------------------------- */

static inline double one_less_exp(double x)
{
	return -expm1(-x);
}

struct estimate {
	double nr, bytes;			/* of blocks */
};

/* As readers of the format work it out. */
static inline void add_line(struct estimate *sum, unsigned long nr, unsigned long bytes,
			    double distance)
{
	double weight = nr ? 1 / one_less_exp((double)bytes / (double)nr / distance) : 0;

	sum->nr += (double)nr * weight;
	sum->bytes += (double)bytes * weight;
}

static const site_function sites[] = {
	by_malloc, by_calloc, by_realloc, by_reallocarray, by_aligned_alloc, by_posix_memalign,
};

/* The one that the address lies in, or NULL. */
static inline site_function site_at(unsigned long address)
{
	site_function nearest = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(sites); i++)
		if (address - (unsigned long)sites[i] < SITE_CODE &&
		    (!nearest || (unsigned long)sites[i] > (unsigned long)nearest))
			nearest = sites[i];
	return nearest;
}

/* A function of the library's, or this program's own, may lie between. */
static inline bool is_of_site(const char *addresses, site_function site)
{
	for (unsigned int i = 0; i < SITE_FRAMES; i++) {
		char *end;
		unsigned long address = strtoul(addresses, &end, 16);

		if (end == addresses || site_at(address))
			return end != addresses && site_at(address) == site;
		addresses = end;
	}
	return false;
}

struct profile {
	unsigned long distance;
	struct estimate in_use, all;
	unsigned long nr_in_use, nr_all;	/* of samples; as the head has it */
	unsigned long nr_seen;			/* in use, as the lines have it */
};

/* The lines of one site; of all, if that is NULL. */
static inline bool read_profile(struct profile *profile, const char *text, site_function site)
{
	unsigned long bytes[2];
	const char *line = strchr(text, '\n');

	*profile = (struct profile){ 0 };
	if (!CHECK(sscanf(text, "heap profile: %lu: %lu [%lu: %lu] @ heap_v2/%lu\n",
			  &profile->nr_in_use, &bytes[0], &profile->nr_all, &bytes[1],
			  &profile->distance) == 5, "; %.100s", text) ||
	    !CHECK(strstr(text, "\nMAPPED_LIBRARIES:\n"), "; it is cut off"))
		return false;
	for (; line && strncmp(line, "\n\nMAPPED", 8); line = strchr(line + 1, '\n')) {
		unsigned long nr[2];
		int at = 0;

		if (sscanf(line, " %lu: %lu [%lu: %lu] @%n", &nr[0], &bytes[0], &nr[1], &bytes[1],
			   &at) != 4 || !at)
			continue;
		profile->nr_seen += nr[0];
		if (site && !is_of_site(line + at, site))
			continue;
		add_line(&profile->in_use, nr[0], bytes[0], (double)profile->distance);
		add_line(&profile->all, nr[1], bytes[1], (double)profile->distance);
	}
	return true;
}

static inline void read_text(int fd, char *text)
{
	ssize_t n = pread(fd, text, PROFILE_SIZE - 1, 0);

	REQUIRE(n >= 0);
	text[n] = '\0';
}

static inline void run_again(struct child_result *result, const char *mode, const char *what,
		const char *options)
{
	struct child_again again = { mode, what, options, 0 };

	child_run(result, child_exec_again, &again);
}

#endif
