/* SPDX-License-Identifier: MIT */
/*
 * The list without restartable sequences, changed by a signal handler after each
 * single instruction of a pop or push: the swap must notice, and try again.
 */
#include "percpu/cas_list.h"

#include "selftest/stepping.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"

#define NR_THINGS 8
#define START 3
#define MAX_STEPS 2000

static unsigned long things[NR_THINGS][2];
static struct percpu_list *list;
static unsigned int slot;

/* Sync: the stepped thread and its handler. */
static unsigned long step, disturb_at;
static void (*disturb)(void);
static void *result, *kept;		/* pop took it, or the handler has it still */
static unsigned int nr_done;

static void *thing(unsigned int number)
{
	return things[number];
}

static struct percpu_list *here(void)
{
	return percpu_ptr(list, slot);
}

/* things 0 .. START - 1, the last on top. */
static void fill(void)
{
	here()->head = 0;
	for (unsigned int i = 0; i < START; i++)
		cas_list_push(list, thing(i));
}

static void count(unsigned long address)
{
	(void)address;
	if (step++ == disturb_at)
		disturb();
}

static noinline void pop(void *arg)
{
	(void)arg;
	result = cas_list_pop(list);
}

static noinline void push(void *arg)
{
	(void)arg;
	nr_done += cas_list_push(list, thing(NR_THINGS - 1));
}

/* The same head again, but another item under the top: head alone would not tell. */
static void turn_over(void)
{
	void *top = cas_list_pop(list), *under = cas_list_pop(list);

	kept = under;
	if (under)
		cas_list_push(list, thing(START + 1));
	if (top)
		cas_list_push(list, top);
}

static void push_one(void)
{
	cas_list_push(list, thing(START));
}

static void empty(void)
{
	while (cas_list_pop(list))
		;
}

/* The list's items, the top first; returns how many. */
static unsigned int contents(void **found)
{
	unsigned long head = here()->head;
	unsigned int nr = 0;

	for (void *item; nr < NR_THINGS && (item = percpu_list_top(head)); nr++) {
		found[nr] = item;
		head = *(unsigned long *)item;
	}
	return nr;
}

/*
 * Each item is there at most once and has no other holder, and there are as many as the head says.
 */
static unsigned int check_list(struct kunit *test)
{
	void *found[NR_THINGS];
	unsigned int nr = contents(found);

	KUNIT_ASSERT_EQ_MSG(test, percpu_list_nr(here()->head), nr, "step %lu", disturb_at);
	for (unsigned int i = 0; i < nr; i++) {
		for (unsigned int j = 0; j < i; j++)
			KUNIT_ASSERT_PTR_NE_MSG(test, found[i], found[j], "step %lu", disturb_at);
		KUNIT_ASSERT_PTR_NE_MSG(test, found[i], result, "step %lu", disturb_at);
		KUNIT_ASSERT_PTR_NE_MSG(test, found[i], kept, "step %lu", disturb_at);
	}
	KUNIT_ASSERT_FALSE_MSG(test, result && result == kept, "step %lu", disturb_at);
	return nr;
}

/* How many of pop's or push's results, and of the list's items, there must be. */
static void run_at_each_step(struct kunit *test, void (*fn)(void *arg), void (*meanwhile)(void),
			     int change)
{
	unsigned long steps = 1;

	disturb = meanwhile;
	for (disturb_at = 0; disturb_at < steps && disturb_at < MAX_STEPS; disturb_at++) {
		unsigned int nr, taken;

		fill();
		result = NULL;
		kept = NULL;
		nr_done = 0;
		step = 0;
		/* With the disturbance there may be more of them: all are tried. */
		steps = stepping_run(fn, NULL, count);
		taken = result ? 1 : 0;
		nr = check_list(test);
		if (fn == push)
			KUNIT_ASSERT_EQ_MSG(test, nr_done, 1, "step %lu", disturb_at);
		/* If the list was emptied first, there was nothing to take. */
		if (meanwhile == empty)
			KUNIT_ASSERT_LE_MSG(test, nr, nr_done, "step %lu", disturb_at);
		else
			KUNIT_ASSERT_EQ_MSG(test, (int)nr,
					    START + change + (int)nr_done - (int)taken,
					    "step %lu", disturb_at);
	}
	KUNIT_EXPECT_GT(test, disturb_at, 20);
	kunit_info(test, "%lu steps disturbed", disturb_at);
}

static void test_cas_list_pop_disturbed(struct kunit *test)
{
	run_at_each_step(test, pop, turn_over, 0);
	run_at_each_step(test, pop, push_one, 1);
	run_at_each_step(test, pop, empty, -START);
}

static void test_cas_list_push_disturbed(struct kunit *test)
{
	run_at_each_step(test, push, turn_over, 0);
	run_at_each_step(test, push, push_one, 1);
	run_at_each_step(test, push, empty, -START);
}

static void test_cas_list_full(struct kunit *test)
{
	unsigned long before;

	fill();
	before = here()->head;
	here()->head |= PERCPU_LIST_MAX;
	KUNIT_EXPECT_FALSE(test, cas_list_push(list, thing(5)));
	here()->head = before;
	KUNIT_EXPECT_TRUE(test, cas_list_push(list, thing(5)));
	KUNIT_EXPECT_PTR_EQ(test, cas_list_pop(list), thing(5));
}

static int start_library(struct kunit_suite *suite)
{
	if (test_warm_up(suite))
		return -1;
	list = percpu_alloc(sizeof(*list), 64);
	return list ? 0 : -1;
}

static int stay_on_a_slot(struct kunit *test)
{
	int current;

	if (percpu_mode() != PERCPU_LOCKED)
		kunit_skip(test, "lists are changed by sequences here");
	if (RSEQ_IN_C)
		kunit_skip(test, "the instructions are ThreadSanitizer's for the most part");
	if (!stepping_works() || !STEPPING_SINGLE)
		kunit_skip(test, "instructions cannot be stepped here");
	test_pin(0);
	current = percpu_current_slot();
	slot = (unsigned int)current;
	return current < 0 ? -1 : 0;
}

static struct kunit_case cas_list_cases[] = {
	KUNIT_CASE(test_cas_list_pop_disturbed),
	KUNIT_CASE(test_cas_list_push_disturbed),
	KUNIT_CASE(test_cas_list_full),
	{ 0 },
};

static struct kunit_suite cas_list_suite = {
	.name = "percpu_cas_list",
	.suite_init = start_library,
	.init = stay_on_a_slot,
	.test_cases = cas_list_cases,
};

kunit_test_suite(cas_list_suite);
