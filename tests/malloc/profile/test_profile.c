/* SPDX-License-Identifier: MIT */
/*
 * malloc with profile=BYTES: what the profile estimates of known blocks, by the place that
 * asked for them. Every trial is this program again, with the option.
 *
 * How far an estimate may be off follows from the number of samples: DEVIATIONS times the
 * standard deviation, which chance exceeds once in a thousand million trials.
 */
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

#include "heap_profile.h"

#define DEVIATIONS 6.0

static char text_now[PROFILE_SIZE];

static void read_now(struct profile *profile, site_function site)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && usermm_heap_profile && !usermm_heap_profile(fd));
	read_text(fd, text_now);
	close(fd);
	REQUIRE(read_profile(profile, text_now, site));
}

/*
 * If hardly any block is missed, the number of missed ones has a Poisson distribution: it must be
 * below this.
 */
#define MISSED_MAX 3

/* Of nr blocks of size bytes each is sampled with the probability p, and stands for 1 / p. */
static void check_near(const struct estimate *found, double nr, double size, double distance)
{
	double p = one_less_exp(size / distance);
	double off = DEVIATIONS * sqrt(nr * (1 - p) / p) + 1e-6 * nr + 1e-6;

	if (nr * (1 - p) < 1e-2)
		off = MISSED_MAX / p;

	CHECK(found->nr > nr - off && found->nr < nr + off,
	      "; %.0f blocks of %.0f bytes, %.0f more or less: %.0f", nr, size, off, found->nr);
	CHECK(found->bytes > (nr - off) * size && found->bytes < (nr + off) * size,
	      "; %.0f bytes of %.0f, %.0f more or less", found->bytes, nr * size, off * size);
}

/* --- Accuracy --------------------------------------------------------------------------------- */

struct kind {
	site_function ask;
	size_t size;
	unsigned int nr, freed_of_ten;
};

static const struct kind kinds[] = {
	{ by_malloc, 32, 300000, 5 },
	{ by_calloc, 4096, 6000, 9 },
	{ by_realloc, MIB, 40, 2 },
	{ by_reallocarray, 700, 30000, 0 },
	{ by_aligned_alloc, 192, 60000, 10 },
	{ by_posix_memalign, 40 * KIB, 500, 3 },
};

static void *blocks[300000];

static unsigned int count_freed(const struct kind *kind)
{
	return kind->nr / 10 * kind->freed_of_ten;
}

static int estimate_known(void)
{
	struct profile profile;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct kind *kind = &kinds[i];

		for (unsigned int k = 0; k < kind->nr; k++)
			blocks[k] = kind->ask(NULL, kind->size);
		for (unsigned int k = 0; k < count_freed(kind); k++)
			free(blocks[k]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct kind *kind = &kinds[i];

		read_now(&profile, kind->ask);
		check_near(&profile.all, kind->nr, (double)kind->size, (double)profile.distance);
		check_near(&profile.in_use, kind->nr - count_freed(kind), (double)kind->size,
			   (double)profile.distance);
		CHECK(profile.nr_in_use == profile.nr_seen && profile.nr_all >= profile.nr_seen);
	}
	return harness_status();
}

/* All blocks are freed except those of one place. */
static int find_leak(void)
{
	struct profile leaked, all;

	for (unsigned int i = 0; i < 200000; i++) {
		void *short_lived = by_malloc(NULL, 100);

		if (i % 10)
			by_calloc(NULL, 80);
		free(short_lived);
	}
	read_now(&leaked, by_calloc);
	check_near(&leaked.in_use, 180000, 80, (double)leaked.distance);
	read_now(&all, by_malloc);
	CHECK(all.in_use.nr == 0, "; %.0f", all.in_use.nr);
	check_near(&all.all, 200000, 100, (double)all.distance);
	return harness_status();
}

/* A block that realloc() changes counts with its new size, for the place that called realloc(). */
static int follow_resized(void)
{
	void *grown = malloc(1000);
	struct profile profile;

	/* From one class to the next: all of them move, sampled or not. */
	for (unsigned int i = 0; i < 20000; i++)
		blocks[i] = by_realloc(by_malloc(NULL, 1500), 2100);
	read_now(&profile, by_malloc);
	CHECK(profile.in_use.nr == 0, "; %.0f", profile.in_use.nr);
	read_now(&profile, by_realloc);
	check_near(&profile.in_use, 20000, 2100, (double)profile.distance);
	/* realloc() within a class moves no block. */
	for (unsigned int i = 0; i < 20000; i++)
		free(blocks[i]);
	for (unsigned int i = 0; i < 20000; i++) {
		blocks[i] = by_malloc(NULL, 2060);
		CHECK(by_realloc(blocks[i], 2100) == blocks[i]);
	}
	read_now(&profile, by_malloc);
	check_near(&profile.in_use, 20000, 2060, (double)profile.distance);
	for (unsigned int i = 0; i < 20000; i++)
		free(blocks[i]);
	/*
	 * A mapping that grows counts with its new size; it is so large that it is always sampled.
	 */
	for (size_t size = 256 * KIB; size <= 64 * MIB; size *= 2)
		grown = by_realloc(grown, size);
	read_now(&profile, by_realloc);
	check_near(&profile.in_use, 1, 64.0 * MIB, (double)profile.distance);
	grown = by_realloc(grown, 8 * MIB);
	read_now(&profile, by_realloc);
	check_near(&profile.in_use, 1, 8.0 * MIB, (double)profile.distance);
	free(grown);
	read_now(&profile, by_realloc);
	CHECK(profile.in_use.nr == 0, "; %.0f", profile.in_use.nr);
	return harness_status();
}

/* Sampled or not, a block has the same bytes. */
static int look_alike(void)
{
	struct profile profile;

	for (size_t size = 1; size <= 32 * KIB; size += 1 + size / 9) {
		size_t usable = malloc_usable_size(blocks[0] = by_malloc(NULL, size));
		size_t step = size <= 128 ? 16 : size / 8 + 1;

		CHECK(usable >= size && usable <= size + step, "; %zu of %zu", usable, size);
		memset(blocks[0], 1, usable);
		CHECK(!((unsigned long)blocks[0] % 16));
		free(blocks[0]);
	}
	read_now(&profile, by_malloc);
	CHECK(profile.nr_all > 50 && profile.in_use.nr == 0);
	return harness_status();
}

static void *keep_running(void *arg)
{
	for (unsigned int i = 0; i < 50000; i++)
		free(by_malloc(arg, 1000));
	return NULL;
}

/* Threads that begin and end often lose none of what they ask for. */
static int run_threads(void)
{
	struct profile profile;
	pthread_t threads[4];

	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		REQUIRE(!pthread_create(&threads[i], NULL, keep_running, NULL));
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	read_now(&profile, by_malloc);
	check_near(&profile.all, 50000 * ARRAY_SIZE(threads), 1000, (double)profile.distance);
	CHECK(profile.in_use.nr == 0);
	return harness_status();
}

/* More than there is room for: the others are blocks like any, and the profile says so. */
static int take_too_many(void)
{
	struct profile profile;

	for (unsigned int i = 0; i < 150000; i++)
		blocks[i] = by_malloc(NULL, 16);
	read_now(&profile, by_malloc);
	CHECK(strstr(text_now, "\n# ") && strstr(text_now, " more samples, of "));
	CHECK(profile.nr_in_use < 150000 && profile.nr_in_use > 50000, "; %lu",
	      profile.nr_in_use);
	for (unsigned int i = 0; i < 150000; i++)
		free(blocks[i]);
	read_now(&profile, by_malloc);
	CHECK(profile.in_use.nr == 0);
	return harness_status();
}

static int trial(const char *what)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} trials[] = {
		{ "known", estimate_known }, { "leak", find_leak }, { "resized", follow_resized },
		{ "alike", look_alike }, { "threads", run_threads }, { "many", take_too_many },
	};

	for (size_t i = 0; i < ARRAY_SIZE(trials); i++)
		if (!strcmp(trials[i].name, what))
			return trials[i].run();
	return 1;
}

static void estimates_are_near(void)
{
	static const char *const tried[][2] = {
		{ "known", "profile=16K" }, { "known", "profile=512K" }, { "known", "profile=300" },
		{ "known", "profile=16K:hardened=1" }, { "known", "profile=16K:kfence_sample=500" },
		{ "leak", "profile=8K" }, { "leak", "profile=8K:slab_cpu_cache=slab" },
		{ "resized", "profile=16K" }, { "resized", "profile=16K:hardened=1" },
		{ "alike", "profile=1" }, { "alike", "profile=100" },
		{ "threads", "profile=64K" }, { "many", "profile=1" },
	};
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(tried); i++) {
		run_again(&result, "--trial", tried[i][0], tried[i][1]);
		CHECK(child_exited(result.status, 0) && !*result.err, "; %s, %s: status %#x %s",
		      tried[i][0], tried[i][1], result.status, result.err);
	}
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "estimates_are_near", estimates_are_near, true },
	};

	if (argc > 2 && !strcmp(argv[1], "--trial"))
		return trial(argv[2]);
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
