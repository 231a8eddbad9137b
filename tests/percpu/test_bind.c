/* SPDX-License-Identifier: MIT */
/* Threads bound to slots: many CPUs on a machine with few. */
#include <stdlib.h>

#include "percpu/percpu.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"

#define LIMIT 8
#define ARRAY_BYTES (sizeof(struct percpu_array) + LIMIT * sizeof(void *))

static struct percpu_array *array;

static int start_library(struct kunit_suite *suite)
{
	if (test_warm_up(suite))
		return -1;
	array = percpu_alloc(ARRAY_BYTES, 64);
	return array ? 0 : -1;
}

static bool simulating(void)
{
	const char *text = getenv("USERMM_OPTIONS");

	return text && strstr(text, "simulated_cpus=64");
}

static int unbind(struct kunit *test)
{
	(void)test;
	percpu_unbind_slot();
	return 0;
}

static void test_bind_needs_locked_slots(struct kunit *test)
{
	if (percpu_mode() != PERCPU_LOCKED) {
		KUNIT_EXPECT_FALSE(test, percpu_bind_slot(0));
		return;
	}
	KUNIT_EXPECT_FALSE(test, percpu_bind_slot(percpu_nr_slots()));
	KUNIT_EXPECT_FALSE(test, percpu_bind_slot(~0u));
	KUNIT_EXPECT_TRUE(test, percpu_bind_slot(percpu_nr_slots() - 1));
	KUNIT_EXPECT_EQ(test, percpu_current_slot(), (int)percpu_nr_slots() - 1);
}

static void test_bind_chooses_the_slot(struct kunit *test)
{
	unsigned int nr = percpu_nr_slots();
	long things[64];

	if (percpu_mode() != PERCPU_LOCKED)
		kunit_skip(test, "threads can be bound to locked slots only");
	KUNIT_ASSERT_LE(test, nr, ARRAY_SIZE(things));
	for (unsigned int slot = 0; slot < nr; slot++) {
		KUNIT_ASSERT_TRUE(test, percpu_bind_slot(slot));
		KUNIT_EXPECT_EQ(test, percpu_current_slot(), (int)slot);
		KUNIT_EXPECT_FALSE(test, percpu_push(array, &things[slot]));
		percpu_array_prepare(array, LIMIT);
		KUNIT_EXPECT_TRUE(test, percpu_push(array, &things[slot]));
		KUNIT_EXPECT_EQ(test, ((struct percpu_array *)percpu_ptr(array, slot))->count, 1);
	}
	for (unsigned int slot = nr; slot--;) {
		KUNIT_ASSERT_TRUE(test, percpu_bind_slot(slot));
		KUNIT_EXPECT_PTR_EQ(test, percpu_pop(array), &things[slot]);
		KUNIT_EXPECT_NULL(test, percpu_pop(array));
	}
}

static void note_slot(struct test_thread *thread)
{
	int *slots = thread->arg;

	slots[thread->index] = percpu_current_slot();
}

/* Under simulated_cpus every thread has a slot of its own, while there are enough. */
static void test_bind_in_turn(struct kunit *test)
{
	enum { NR = 32 };
	bool seen[64] = { false };
	int slots[NR];

	if (!simulating())
		kunit_skip(test, "simulated_cpus=64 is not given");
	KUNIT_ASSERT_EQ(test, percpu_mode(), PERCPU_LOCKED);
	KUNIT_ASSERT_EQ(test, percpu_nr_slots(), 64);
	test_threads_run(test, NR, note_slot, slots);
	for (unsigned int i = 0; i < NR; i++) {
		KUNIT_ASSERT_GE(test, slots[i], 0);
		KUNIT_ASSERT_LT(test, slots[i], 64);
		KUNIT_EXPECT_FALSE(test, seen[slots[i]]);
		seen[slots[i]] = true;
	}
}

static struct kunit_case bind_cases[] = {
	KUNIT_CASE(test_bind_needs_locked_slots),
	KUNIT_CASE(test_bind_chooses_the_slot),
	KUNIT_CASE(test_bind_in_turn),
	{ 0 },
};

static struct kunit_suite bind_suite = {
	.name = "percpu_bind",
	.suite_init = start_library,
	.init = unbind,
	.test_cases = bind_cases,
};

kunit_test_suite(bind_suite);
