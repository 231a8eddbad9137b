/* SPDX-License-Identifier: MIT */
/*
 * The profile of the heap where a sanitizer sees its inside: threads sample, free each other's
 * samples and write profiles at once, and in the end the sums are right.
 */
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "base/options.h"
#include "malloc/profile/probes.h"
#include "malloc/profile/profile.h"
#include "malloc_core/tested.h"
#include "os/load_options.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "usermm/profile.h"
#include "usermm/slab.h"

#define NR_THREADS 6
#define NR_SHELVES 64
#define NR_STEPS TEST_STEPS(20000)
#define DISTANCE 3000UL
#define SIZE_MAX_BITS 17
/* One in so many steps. */
#define WRITES_PROFILE 4000
#define RESIZES 8

/* Called before anything is allocated; adds to the options that the test was given. */
__attribute__((__constructor__)) static void switch_on(void)
{
	load_options();
	options.profile = DISTANCE;
}

static void *shelves[NR_SHELVES];	/* Sync: atomic exchange */

static size_t any_size(struct prng *prng)
{
	return prng_below(prng, 1u << prng_below(prng, SIZE_MAX_BITS)) + 1;
}

static void *ask(struct prng *prng)
{
	size_t size = any_size(prng);

	switch (prng_below(prng, 4)) {
	case 0:
		return tested_calloc(1, size);
	case 1:
		return tested_aligned_alloc(16UL << prng_below(prng, 10), size);
	default:
		return tested_malloc(size);
	}
}

static void write_profile(struct kunit *test)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	KUNIT_EXPECT_EQ(test, usermm_heap_profile(fd), 0);
	close(fd);
}

static void exchange_blocks(struct test_thread *thread)
{
	for (unsigned int i = 0; i < NR_STEPS; i++) {
		void **shelf = &shelves[prng_below(&thread->prng, NR_SHELVES)];
		void *block = ask(&thread->prng);

		KUNIT_ASSERT_NOT_NULL(thread->test, block);
		*(unsigned char *)block = 1;
		block = __atomic_exchange_n(shelf, block, __ATOMIC_ACQ_REL);
		if (block && prng_one_in(&thread->prng, RESIZES))
			block = tested_realloc(block, any_size(&thread->prng));
		tested_free(block);
		if (prng_one_in(&thread->prng, WRITES_PROFILE))
			write_profile(thread->test);
	}
}

static void add_up(struct profile_sums *in_use, struct profile_sums *allocated)
{
	struct profile_sums site_in_use, site_allocated;

	*in_use = *allocated = (struct profile_sums){ 0 };
	for (unsigned int i = 0; i < PROFILE_SITES; i++) {
		if (!profile_read_site(i, &site_in_use, &site_allocated))
			continue;
		in_use->nr += site_in_use.nr;
		in_use->bytes += site_in_use.bytes;
		allocated->nr += site_allocated.nr;
		allocated->bytes += site_allocated.bytes;
	}
}

static void test_profile_threads(struct kunit *test)
{
	struct profile_sums in_use, allocated, before, dropped;
	struct profile_sample sample;
	unsigned int nr = 0;
	size_t bytes = 0;

	tested_free(tested_malloc(1));	/* brings it up */
	KUNIT_ASSERT_TRUE(test, profile_is_on());
	add_up(&in_use, &before);
	KUNIT_ASSERT_EQ(test, in_use.nr, 0);
	test_threads_run(test, NR_THREADS, exchange_blocks, NULL);
	/* The blocks on the shelves are in use, and no others. */
	add_up(&in_use, &allocated);
	KUNIT_EXPECT_GT(test, allocated.nr, before.nr + NR_STEPS / 2);
	for (unsigned int i = 0; i < NR_SHELVES; i++) {
		if (!profile_take(shelves[i], &sample))
			continue;
		profile_put(shelves[i], &sample);
		nr++;
		bytes += sample.size;
	}
	KUNIT_EXPECT_GT(test, nr, 0);
	KUNIT_EXPECT_EQ(test, in_use.nr, nr);
	KUNIT_EXPECT_EQ(test, in_use.bytes, bytes);
	for (unsigned int i = 0; i < NR_SHELVES; i++) {
		tested_free(shelves[i]);
		shelves[i] = NULL;
	}
	add_up(&in_use, &allocated);
	KUNIT_EXPECT_EQ(test, in_use.nr, 0);
	KUNIT_EXPECT_EQ(test, in_use.bytes, 0);
	profile_read_dropped(&dropped);
	KUNIT_EXPECT_EQ(test, dropped.nr, 0);
}

/* New stacks, by the bits of the number. */
static __attribute__((__noinline__)) void new_site(unsigned int number);

static __attribute__((__noinline__)) void odd_site(unsigned int number)
{
	new_site(number / 2);
	__asm__ volatile("");	/* the call is no jump */
}

static void new_site(unsigned int number)
{
	if (!number)
		tested_free(tested_malloc(10 * DISTANCE));
	else if (number % 2)
		odd_site(number);
	else
		new_site(number / 2);
	__asm__ volatile("");
}

static bool has_all_sites;

/* One thread adds sites, and the others read them, stacks included. */
static void make_or_read_sites(struct test_thread *thread)
{
	if (thread->index) {
		while (!__atomic_load_n(&has_all_sites, __ATOMIC_RELAXED))
			write_profile(thread->test);
		return;
	}
	for (unsigned int i = 0; i < 1000; i++)
		new_site(i);
	__atomic_store_n(&has_all_sites, true, __ATOMIC_RELAXED);
}

static void test_profile_is_read_while_it_grows(struct kunit *test)
{
	test_threads_run(test, 2, make_or_read_sites, NULL);
}

/* A second free finds no sample, in whatever thread. */
static void test_profile_sample_is_taken_once(struct kunit *test)
{
	struct profile_sample sample;
	void *block = tested_malloc(1UL << 20);

	KUNIT_ASSERT_TRUE(test, profile_take(block, &sample));
	KUNIT_EXPECT_EQ(test, sample.size, 1UL << 20);
	KUNIT_EXPECT_FALSE(test, profile_take(block, &sample));
	KUNIT_EXPECT_FALSE(test, profile_take(NULL, &sample));
	profile_put(block, &sample);
	KUNIT_EXPECT_FALSE(test, profile_take((char *)block + 16, &sample));
	tested_free(block);
	KUNIT_EXPECT_FALSE(test, profile_take(block, &sample));
}

static void free_as_kernel_memory(struct kunit *test, void *block)
{
	(void)test;
	kfree(block);
}

/*
 * malloc() and kfree() must not be mixed: kfree() refuses a sample, but accepts other blocks, which
 * are objects of the same caches.
 */
static void test_profile_sample_is_no_kernel_memory(struct kunit *test)
{
	struct profile_sample sample;
	void *block = tested_malloc(100);

	while (!profile_take(block, &sample)) {
		tested_free(block);
		block = tested_malloc(100);
	}
	profile_put(block, &sample);
	CHILD_EXPECT_DEATH(test, free_as_kernel_memory, block, "kfree", child_hex(block),
			   "malloc's block of 112 bytes");
	tested_free(block);
}

/* The number as libm computes it: size / (1 - exp(-size / distance)). */
static void test_profile_weight(struct kunit *test)
{
	for (size_t distance = 1; distance < 1UL << 40; distance *= 8)
		for (size_t size = 1; size < 1UL << 46; size += size / 3 + 1) {
			double right = (double)size / -expm1(-(double)size / (double)distance);
			double found = (double)profile_weight(size, distance);

			KUNIT_EXPECT_LE(test, (uint64_t)fabs(found - right),
					(uint64_t)(1 + right * 1e-9));
		}
}

static struct kunit_case profile_cases[] = {
	KUNIT_CASE_SLOW(test_profile_threads),
	KUNIT_CASE(test_profile_is_read_while_it_grows),
	KUNIT_CASE(test_profile_sample_is_taken_once),
	KUNIT_CASE(test_profile_sample_is_no_kernel_memory),
	KUNIT_CASE(test_profile_weight),
	{ 0 },
};

static struct kunit_suite profile_suite = { .name = "profile", .test_cases = profile_cases };

kunit_test_suite(profile_suite);
