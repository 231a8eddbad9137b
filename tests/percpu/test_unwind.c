/* SPDX-License-Identifier: MIT */
/*
 * A profiler interrupts a thread inside a sequence. The kernel sends the thread to the abort target
 * first; the stack that an unwinder finds there is the one that the sequence has.
 */
#include "os/stack.h"
#include "selftest/boundaries.h"
#include "selftest/scene.h"
#include "selftest/stepping.h"
#include "support/kernel.h"
#include "support/sequences.h"

#define FRAMES_MAX 32
/* The place of stepping_break_at() among `callers`, behind save_stack() and save_callers(). */
#define IN_STEPPING 2

struct stack {
	const void *frames[FRAMES_MAX];
	unsigned int nr;
};

/* Sync: the test's thread and its handler. */
static struct stack callers, interrupted;

static noinline void save_stack(struct stack *stack)
{
	stack->nr = os_stack_save(stack->frames, FRAMES_MAX, 0);
}

/* In the handler, which the kernel has called when the sequence was aborted already. */
static void save_interrupted(void)
{
	save_stack(&interrupted);
}

static void save_callers(void *arg)
{
	(void)arg;
	save_stack(&callers);
	__asm__ volatile("");	/* no tail call: this function has a frame */
}

/* Where the frame of the primitive's function stands among the frames; nr if nowhere. */
static unsigned int place_of(const struct primitive *primitive, const struct stack *stack)
{
	unsigned int i = 0;

	while (i < stack->nr && ((const char *)stack->frames[i] < primitive->start ||
				 (const char *)stack->frames[i] >= primitive->stop))
		i++;
	return i;
}

/* How many of the outermost frames are the same in both. */
static unsigned int nr_common(const struct stack *a, const struct stack *b)
{
	unsigned int nr = 0;

	while (nr < a->nr && nr < b->nr && a->frames[a->nr - 1 - nr] == b->frames[b->nr - 1 - nr])
		nr++;
	return nr;
}

static void describe_primitive(const struct primitive *primitive, char *desc)
{
	strcpy(desc, primitive->name);
}

KUNIT_ARRAY_PARAM(primitive, primitives, describe_primitive);

/*
 * Behind the handler's frames: the abort target, the sequence's start, and its callers.
 * stepping_break_at() and all that called the test's case are also among the callers of
 * save_callers().
 */
static void check_stack(struct kunit *test, const struct stepping_sequence *s)
{
	unsigned int place = place_of(test->param_value, &interrupted);

	KUNIT_ASSERT_GT(test, place, 1);
	KUNIT_ASSERT_LT(test, place, interrupted.nr);
	KUNIT_EXPECT_EQ(test, (unsigned long)interrupted.frames[place - 1], s->abort);
	KUNIT_EXPECT_EQ(test, (unsigned long)interrupted.frames[place], s->start);
	while (place < interrupted.nr && interrupted.frames[place] != callers.frames[IN_STEPPING])
		place++;
	KUNIT_EXPECT_LT(test, place, interrupted.nr);
	KUNIT_EXPECT_GE(test, nr_common(&interrupted, &callers), callers.nr - IN_STEPPING - 2);
}

static void interrupt_at(struct kunit *test, const struct stepping_sequence *s,
			 unsigned long address, unsigned int *nr)
{
	struct scene scene = { .outer = test->param_value, .n = 1 };
	struct stepping_hits hits;

	scene.start = scene_state(scene.outer, 2);
	KUNIT_ASSERT_TRUE(test, scene_set_up(&scene));
	interrupted.nr = 0;
	hits = stepping_break_at(address, scene_run_outer, NULL, save_interrupted);
	if (!hits.aborted)
		return;
	check_stack(test, s);
	++*nr;
}

static void test_unwind_aborted(struct kunit *test)
{
	const struct primitive *primitive = test->param_value;
	static struct boundaries boundaries;
	const struct stepping_sequence *s = NULL;
	unsigned int nr = 0;

	KUNIT_ASSERT_NULL(test, boundaries_find(&boundaries, primitive));
	stepping_break_at((unsigned long)save_callers, save_callers, NULL, NULL);
	KUNIT_ASSERT_GT(test, callers.nr, IN_STEPPING + 2);
	while ((s = stepping_next(s, primitive->start, primitive->stop)))
		for (unsigned int i = 0; i < boundaries.nr; i++)
			if (boundaries.inside[i] - s->start < s->bytes)
				interrupt_at(test, s, boundaries.inside[i], &nr);
	KUNIT_EXPECT_GE(test, nr, 5);
	kunit_info(test, "%u of %u instructions", nr, boundaries.nr);
}

static int start(struct kunit_suite *suite)
{
	(void)suite;
	return scene_begin() ? 0 : -1;
}

static int need_sequences(struct kunit *test)
{
	save_stack(&callers);
	if (!callers.nr)
		kunit_skip(test, "there is no unwinder");
	test_need_stepping(test);
	return 0;
}

static struct kunit_case unwind_cases[] = {
	KUNIT_CASE_PARAM(test_unwind_aborted, primitive_gen_params),
	{ 0 },
};

static struct kunit_suite unwind_suite = {
	.name = "percpu_unwind",
	.suite_init = start,
	.init = need_sequences,
	.test_cases = unwind_cases,
};

kunit_test_suite(unwind_suite);
