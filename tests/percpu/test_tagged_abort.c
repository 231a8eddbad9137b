/* SPDX-License-Identifier: MIT */
/*
 * Operations on a tagged list, disturbed on the way: at each instruction of a sequence,
 * where the kernel aborts it, or without sequences after each instruction of all. Each other
 * operation on the list must seem to happen before or after this one, as a whole. An operation that
 * is disturbed every time gives up, and has changed nothing.
 */
#include "selftest/stepping.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/tagged.h"
#include "support/threads.h"

#define NR_ADDRESSES 200
#define MAX_STEPS 2000
/*
 * An operation of n steps is run again for each step that is disturbed: n * n steps in all. If that
 * is more than this number, only so many of its steps are disturbed that it is not.
 */
#define STEPS_SQUARE 12000
#define TRIES 100	/* the kernel may give the thread another slot */
#define OPS_MAX 5

/* The contents of the slot when the operation begins. */
enum start { START_NOTHING, START_USED_UP, START_ONE, START_SEVERAL, NR_STARTS };

struct scene {
	enum tagged_kind kind;
	bool slow;		/* its slow half at once */
	enum start start;
	unsigned int meanwhile;	/* below NR_MEANWHILES */
};

static struct percpu_tagged_list *list;
static unsigned int slot;

static unsigned long start_head(enum start start)
{
	return start == START_NOTHING ? 0 : tagged_make(0, start == START_USED_UP ? 0 :
								start == START_ONE ? 1 : 5);
}

/* The operations, for each contents of the slot. */
static void make_op(const struct scene *scene, struct tagged_op *op)
{
	enum start start = scene->start;

	*op = (struct tagged_op){ .kind = scene->kind, .slow = scene->slow,
				  .item = &tagged_blocks[0][8] };
	op->old = start_head(start);
	op->new = op->old ? 0 : tagged_make(1, 3);
}

/* The operations of others meanwhile, if they are possible. */
struct meanwhile {
	const char *name;
	unsigned int nr;
	struct tagged_op ops[OPS_MAX];
};

static void make_meanwhiles(enum start start, struct meanwhile *m)
{
	unsigned long head = start_head(start);
	void *top = percpu_tagged_first(head);
	unsigned long token = percpu_tagged_token(&tagged_blocks[0][0]);

	m[0] = (struct meanwhile){ "nothing", 0, { { 0 } } };
	m[1] = (struct meanwhile){ "a pop", 1, { { .kind = TAGGED_POP } } };
	m[2] = (struct meanwhile){ "a push", 1, { { .kind = TAGGED_PUSH,
						    .item = &tagged_blocks[0][9] } } };
	m[3] = (struct meanwhile){ "another block", 2, {
		{ .kind = TAGGED_CAS, .old = head },
		{ .kind = TAGGED_CAS, .new = tagged_make(2, 4) } } };
	/* The same head again, but another item behind it. */
	m[4] = (struct meanwhile){ "a turn", 4, {
		{ .kind = TAGGED_POP },
		{ .kind = TAGGED_POP },
		{ .kind = TAGGED_PUSH, .item = &tagged_blocks[0][9] },
		{ .kind = TAGGED_PUSH, .item = top ? top : &tagged_blocks[0][10] } } };
	/* Away and back with nothing in it. */
	m[5] = (struct meanwhile){ "a new beginning", 3, {
		{ .kind = TAGGED_CAS, .old = head },
		{ .kind = TAGGED_CAS, .new = token },
		{ .kind = TAGGED_PUSH, .item = &tagged_blocks[0][11] } } };
}

#define NR_MEANWHILES 6

/* --- One operation, and its result --------------------------------------------------- */

/* Sync: the thread and its handler. */
static struct tagged_op outer;
static struct meanwhile others;
static bool others_ran;
static unsigned long step, disturb_at;

static struct percpu_tagged_list *on_slot(unsigned int number)
{
	return percpu_ptr(list, number);
}

static noinline void run_outer(void *arg)
{
	(void)arg;
	tagged_do(list, &outer);
}

/* On slot 0's index, for a thread that has no rseq. */
static void run_bare(void *arg)
{
	volatile uint32_t *index = (void *)((char *)thread_pointer() +
					    percpu.index_field);

	*index = slot;
	run_outer(arg);
}

static void run_others(void)
{
	others_ran = true;
	for (unsigned int i = 0; i < others.nr; i++)
		tagged_do(list, &others.ops[i]);
}

static void run_others_in_step(unsigned long address)
{
	(void)address;
	if (step++ == disturb_at)
		run_others();
}

/* The list as it is then. */
static struct tagged_chain set_up(const struct scene *scene)
{
	struct meanwhile all[NR_MEANWHILES];
	struct tagged_chain begin;

	slot = (unsigned int)percpu_current_slot();
	for (unsigned int i = 0; i < percpu_nr_slots(); i++)
		on_slot(i)->head = 0;
	make_op(scene, &outer);
	make_meanwhiles(scene->start, all);
	others = all[scene->meanwhile];
	on_slot(slot)->head = start_head(scene->start);
	others_ran = false;
	step = 0;
	tagged_walk(on_slot(slot)->head, &begin);
	return begin;
}

static void next_scene(struct scene *scene)
{
	if (++scene->meanwhile < NR_MEANWHILES)
		return;
	scene->meanwhile = 0;
	if (++scene->start < NR_STARTS)
		return;
	scene->start = 0;
	scene->kind += scene->slow;
	scene->slow = !scene->slow;
}

#define for_each_scene(scene) \
	for (struct scene scene = { 0 }; (scene).kind <= TAGGED_CAS; next_scene(&(scene)))

static bool apply_others(struct tagged_chain *chain)
{
	bool same = true;

	for (unsigned int i = 0; i < others.nr && same; i++) {
		struct tagged_op expected = others.ops[i];

		tagged_do_model(chain, &expected);
		same = tagged_same(&expected, &others.ops[i]);
	}
	return same;
}

/* As if the others had come first, or behind. */
static bool is_as(const struct tagged_chain *begin, bool others_first)
{
	struct tagged_chain chain = *begin;
	struct tagged_op expected = outer;

	if (others_ran && others_first && !apply_others(&chain))
		return false;
	tagged_do_model(&chain, &expected);
	if (others_ran && !others_first && !apply_others(&chain))
		return false;
	return tagged_same(&expected, &outer) && tagged_is(on_slot(slot)->head, &chain);
}

static void describe(const struct scene *scene, unsigned long at, char *text, size_t size)
{
	static const char *const kinds[] = { "pop", "push", "swap" };
	static const char *const starts[] = { "nothing", "a token", "one item", "items" };

	snprintf(text, size, "%s%s of %s, %s at %lu", scene->slow ? "slow " : "",
		 kinds[scene->kind], starts[scene->start], others.name, at);
}

/* --- With sequences ----------------------------------------------------------------------- */

static unsigned long addresses[NR_ADDRESSES];
static bool forced[NR_ADDRESSES];
static unsigned int nr_addresses;

static void add_address(unsigned long address)
{
	for (unsigned int i = 0; i < nr_addresses; i++)
		if (addresses[i] == address)
			return;
	if (nr_addresses < NR_ADDRESSES)
		addresses[nr_addresses++] = address;
}

/* The places of both halves that the operations pass. */
static void find_by_stepping(void)
{
	unsigned long found[NR_ADDRESSES];
	unsigned int nr;

	for_each_scene(scene) {
		set_up(&scene);
		nr = stepping_find(run_bare, NULL, found, NR_ADDRESSES);
		for (unsigned int i = 0; i < nr; i++)
			add_address(found[i]);
	}
}

/* Of the first half, where instructions have one length. */
static void find_by_length(void)
{
	const struct stepping_sequence *s = NULL;

	while ((s = stepping_next(s, tagged_do_start, tagged_do_stop)))
		for (uint64_t at = 0; at < s->bytes; at += STEPPING_FIXED_BYTES)
			add_address(s->start + at);
}

static void interrupt_at(struct kunit *test, const struct scene *scene, unsigned int number)
{
	struct stepping_hits hits;
	struct tagged_chain begin;
	unsigned int tries = 0;
	char text[100];

	do {
		begin = set_up(scene);
		hits = stepping_break_at(addresses[number], run_outer, NULL, run_others);
	} while (percpu_current_slot() != (int)slot && ++tries < TRIES);
	describe(scene, number, text, sizeof(text));
	KUNIT_ASSERT_LT_MSG(test, tries, TRIES, "%s: the thread has no slot to stay on", text);
	KUNIT_ASSERT_TRUE_MSG(test, is_as(&begin, true), "%s", text);
	KUNIT_ASSERT_EQ_MSG(test, hits.aborted, hits.all, "%s", text);
	forced[number] |= hits.aborted;
}

static void need_sequences(struct kunit *test)
{
	if (RSEQ_IN_C || percpu_mode() == PERCPU_LOCKED)
		kunit_skip(test, "no restartable sequences in use");
}

static void test_tagged_abort_at_each_instruction(struct kunit *test)
{
	unsigned int nr_forced = 0;

	need_sequences(test);
	nr_addresses = 0;
	memset(forced, 0, sizeof(forced));
	if (STEPPING_SINGLE)
		find_by_stepping();
	else
		find_by_length();
	if (!nr_addresses)
		kunit_skip(test, "instructions cannot be stepped without rseq here");
	for_each_scene(scene)
		for (unsigned int i = 0; i < nr_addresses; i++)
			interrupt_at(test, &scene, i);
	for (unsigned int i = 0; i < nr_addresses; i++)
		nr_forced += forced[i];
	KUNIT_EXPECT_EQ(test, nr_forced, nr_addresses);
	KUNIT_EXPECT_GT(test, nr_addresses, (STEPPING_SINGLE ? 6 : 3) * 10);
	kunit_info(test, "%u instructions", nr_forced);
}

/* It is aborted whenever it begins: it finds nothing, and nothing has happened. */
static void test_tagged_abort_without_end(struct kunit *test)
{
	need_sequences(test);
	if (!STEPPING_SINGLE)
		kunit_skip(test, "a program cannot step itself here");
	for_each_scene(scene) {
		struct tagged_chain begin = set_up(&scene);
		unsigned long steps = stepping_run(run_outer, NULL, NULL);
		char text[100];

		describe(&scene, steps, text, sizeof(text));
		KUNIT_EXPECT_GT_MSG(test, steps, PERCPU_MAX_ABORTS, "%s", text);
		KUNIT_EXPECT_FALSE_MSG(test, outer.done, "%s", text);
		if (percpu_current_slot() == (int)slot)
			KUNIT_EXPECT_TRUE_MSG(test, tagged_is(on_slot(slot)->head, &begin), "%s",
					      text);
	}
}

/* --- Without -------------------------------------------------------------------------------- */

static void need_numbers(struct kunit *test)
{
	if (percpu_mode() != PERCPU_LOCKED || RSEQ_IN_C)
		kunit_skip(test, "lists are changed by sequences here");
	if (!STEPPING_SINGLE)
		kunit_skip(test, "a program cannot step itself here");
}

static unsigned long nr_disturbed;

static void disturb(struct kunit *test, const struct scene *scene)
{
	unsigned long steps, stride;

	disturb_at = MAX_STEPS;
	set_up(scene);
	steps = stepping_run(run_outer, NULL, run_others_in_step);
	KUNIT_EXPECT_GT(test, steps, 10);
	stride = 1 + steps * steps / STEPS_SQUARE;
	for (disturb_at = scene->meanwhile % stride; disturb_at < steps; disturb_at += stride) {
		struct tagged_chain begin = set_up(scene);
		char text[100];

		/* With the disturbance there may be more of them. */
		steps = stepping_run(run_outer, NULL, run_others_in_step);
		describe(scene, disturb_at, text, sizeof(text));
		KUNIT_ASSERT_LT_MSG(test, steps, MAX_STEPS, "%s", text);
		KUNIT_ASSERT_TRUE_MSG(test, is_as(&begin, true) || is_as(&begin, false), "%s",
				      text);
		nr_disturbed++;
	}
}

static void test_tagged_disturbed(struct kunit *test)
{

	need_numbers(test);
	nr_disturbed = 0;
	/* Both halves of an operation are the same here. */
	for_each_scene(scene)
		if (!scene.slow && scene.meanwhile)
			disturb(test, &scene);
	kunit_info(test, "%lu steps disturbed", nr_disturbed);
}

/* The head becomes what it is, and only the number another. */
static void change_number(unsigned long address)
{
	unsigned long head = on_slot(slot)->head;

	(void)address;
	percpu_tagged_cas(list, head, head);
}

static void test_tagged_disturbed_without_end(struct kunit *test)
{
	need_numbers(test);
	for_each_scene(scene) {
		struct tagged_chain begin = set_up(&scene), after = begin;
		struct tagged_op expected = outer;
		unsigned long steps;
		char text[100];

		if (scene.slow || scene.meanwhile)
			continue;
		steps = stepping_run(run_outer, NULL, change_number);
		tagged_do_model(&after, &expected);
		describe(&scene, steps, text, sizeof(text));
		KUNIT_EXPECT_FALSE_MSG(test, outer.done, "%s", text);
		KUNIT_EXPECT_TRUE_MSG(test, tagged_is(on_slot(slot)->head, &begin), "%s", text);
		/* It has tried, if there was something to do. */
		KUNIT_EXPECT_GT_MSG(test, steps, expected.done ? 10 * PERCPU_MAX_ABORTS : 10, "%s",
				    text);
	}
}

static int begin_suite(struct kunit_suite *suite)
{
	if (test_warm_up(suite))
		return -1;
	tagged_link = 2 * sizeof(unsigned long);
	tagged_fill();
	list = percpu_alloc(sizeof(*list), 64);
	return list ? 0 : -1;
}

static int begin(struct kunit *test)
{
	if (!stepping_works())
		kunit_skip(test, "the program's text cannot be changed here");
	test_pin(0);
	return percpu_current_slot() < 0 ? -1 : 0;
}

static void end(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, tagged_spoilt());
}

static struct kunit_case tagged_abort_cases[] = {
	KUNIT_CASE(test_tagged_abort_at_each_instruction),
	KUNIT_CASE(test_tagged_abort_without_end),
	KUNIT_CASE(test_tagged_disturbed),
	KUNIT_CASE(test_tagged_disturbed_without_end),
	{ 0 },
};

static struct kunit_suite tagged_abort_suite = {
	.name = "percpu_tagged_abort",
	.suite_init = begin_suite,
	.init = begin,
	.exit = end,
	.test_cases = tagged_abort_cases,
};

kunit_test_suite(tagged_abort_suite);
