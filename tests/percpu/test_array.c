/* SPDX-License-Identifier: MIT */
/* Per-CPU arrays and lists against a simple stack: one thread, one CPU. */
#include "percpu/percpu.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/prng.h"
#include "support/threads.h"

#define LIMIT_MAX 600
#define CANARY ((void *)0xdeadUL)

/* What the array must contain. */
struct model {
	unsigned long count, limit;
	unsigned long next;	/* serial number of the next item */
	void *items[LIMIT_MAX];
};

static int pin_case(struct kunit *test)
{
	(void)test;
	test_pin(0);
	return 0;
}

static size_t array_bytes(unsigned long limit)
{
	return sizeof(struct percpu_array) + limit * sizeof(void *);
}

static struct percpu_array *new_array(struct kunit *test, unsigned long limit)
{
	struct percpu_array *array = percpu_alloc(array_bytes(limit), 64);

	KUNIT_ASSERT_NOT_NULL(test, array);
	return array;
}

static void *new_item(struct model *model)
{
	return (void *)(++model->next * 16);
}

static void push_one(struct kunit *test, struct percpu_array *array, struct model *model)
{
	void *item = new_item(model);
	bool fits = model->count < model->limit;

	KUNIT_ASSERT_EQ(test, percpu_push(array, item), fits);
	if (fits)
		model->items[model->count++] = item;
}

static void pop_one(struct kunit *test, struct percpu_array *array, struct model *model)
{
	void *expected = model->count ? model->items[--model->count] : NULL;

	KUNIT_ASSERT_PTR_EQ(test, percpu_pop(array), expected);
}

/* As a cache does: an operation that fails is repeated by the slow path. */
static void push_fast(struct kunit *test, struct percpu_array *array, struct model *model)
{
	void *item = new_item(model);
	bool fits = model->count < model->limit;

	KUNIT_ASSERT_EQ(test, (percpu_has_sequences() && percpu_push_sequence(array, item)) ||
			percpu_push(array, item),
			fits);
	if (fits)
		model->items[model->count++] = item;
}

static void pop_fast(struct kunit *test, struct percpu_array *array, struct model *model)
{
	void *expected = model->count ? model->items[--model->count] : NULL;
	void *item = percpu_has_sequences() ? percpu_pop_sequence(array) : NULL;

	KUNIT_ASSERT_PTR_EQ(test, item ?: percpu_pop(array), expected);
}

static void push_n(struct kunit *test, struct percpu_array *array, struct model *model,
		   unsigned int n)
{
	static void *in[LIMIT_MAX + 2];
	unsigned long room = model->limit - model->count;
	unsigned long expected = n < room ? n : room;

	for (unsigned int i = 0; i < n; i++)
		in[i] = new_item(model);
	KUNIT_ASSERT_EQ(test, percpu_push_n(array, in, n), expected);
	memcpy(model->items + model->count, in, expected * sizeof(void *));
	model->count += expected;
}

static void pop_n(struct kunit *test, struct percpu_array *array, struct model *model,
		  unsigned int n)
{
	static void *out[LIMIT_MAX + 4];
	unsigned long expected = n < model->count ? n : model->count;

	for (size_t i = 0; i < ARRAY_SIZE(out); i++)
		out[i] = CANARY;
	KUNIT_ASSERT_EQ(test, percpu_pop_n(array, out + 1, n), expected);
	model->count -= expected;
	KUNIT_ASSERT_MEMEQ(test, out + 1, model->items + model->count,
			   expected * sizeof(void *));
	KUNIT_ASSERT_PTR_EQ_MSG(test, out[0], CANARY, "wrote below out");
	KUNIT_ASSERT_PTR_EQ_MSG(test, out[expected + 1], CANARY, "wrote above out");
}

/* 0, 1, something between, just below, at and above the limit. */
static unsigned int some_n(struct prng *prng, unsigned long limit)
{
	switch (prng_below(prng, 5)) {
	case 0:
		return prng_below(prng, 3);
	case 1:
		return (unsigned int)limit - 1 + prng_below(prng, 3);
	default:
		return prng_below(prng, limit + 2);
	}
}

static unsigned long limits[] = { 1, 2, 3, 4, 7, 8, 31, 63, 64, 65, LIMIT_MAX };

static void describe_limit(unsigned long *limit, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "limit %lu", *limit);
}

KUNIT_ARRAY_PARAM(limits, limits, describe_limit);

static void test_array_random_operations(struct kunit *test)
{
	struct model model = { .limit = *(const unsigned long *)test->param_value };
	struct percpu_array *array = new_array(test, model.limit);
	struct prng prng = { model.limit };

	percpu_array_prepare(array, (uint32_t)model.limit);
	for (unsigned int step = 0; step < 20000; step++) {
		/* Long runs of one direction reach both ends. */
		bool grow = step / 200 % 2 ? prng_one_in(&prng, 4) : !prng_one_in(&prng, 4);
		bool many = prng_one_in(&prng, 3);

		if (prng_one_in(&prng, 3)) {
			if (grow)
				push_fast(test, array, &model);
			else
				pop_fast(test, array, &model);
		} else if (grow && many)
			push_n(test, array, &model, some_n(&prng, model.limit));
		else if (grow)
			push_one(test, array, &model);
		else if (many)
			pop_n(test, array, &model, some_n(&prng, model.limit));
		else
			pop_one(test, array, &model);
	}
	percpu_free(array, array_bytes(model.limit));
}

static void test_array_every_count(struct kunit *test)
{
	enum { LIMIT = 44 };	/* more than are ever copied one by one */
	struct percpu_array *array = new_array(test, LIMIT);
	struct model model = { .limit = LIMIT };

	percpu_array_prepare(array, LIMIT);
	for (unsigned int start = 0; start <= LIMIT; start++)
		for (unsigned int n = 0; n <= LIMIT + 1; n++) {
			push_n(test, array, &model, start);
			push_n(test, array, &model, n);
			pop_n(test, array, &model, LIMIT);
			push_n(test, array, &model, start);
			pop_n(test, array, &model, n);
			pop_n(test, array, &model, LIMIT);
			KUNIT_ASSERT_EQ(test, model.count, 0);
			pop_one(test, array, &model);
		}
	percpu_free(array, array_bytes(LIMIT));
}

static void expect_empty_and_full(struct kunit *test, struct percpu_array *array)
{
	void *items[4] = { CANARY, CANARY, CANARY, CANARY };

	KUNIT_EXPECT_NULL(test, percpu_pop(array));
	KUNIT_EXPECT_FALSE(test, percpu_push(array, CANARY));
	KUNIT_EXPECT_EQ(test, percpu_pop_n(array, items, 4), 0);
	KUNIT_EXPECT_EQ(test, percpu_push_n(array, items, 4), 0);
}

/* No array at all, as when all slots' memory is used up. */
static void test_array_null(struct kunit *test)
{
	expect_empty_and_full(test, NULL);
	percpu_array_prepare(NULL, 8);
	percpu_array_touch(NULL);
	expect_empty_and_full(test, NULL);
	KUNIT_EXPECT_NULL(test, percpu_list_pop(NULL));
}

/* An array that was never prepared: pop finds nothing, and push has no room. */
static void test_array_unprepared(struct kunit *test)
{
	struct percpu_array *array = new_array(test, 8);

	expect_empty_and_full(test, array);
	percpu_array_touch(array);	/* changes nothing */
	expect_empty_and_full(test, array);
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		struct percpu_array *mine = percpu_ptr(array, slot);

		KUNIT_EXPECT_EQ(test, mine->count, 0);
		KUNIT_EXPECT_EQ(test, mine->limit, 0);
	}
	percpu_free(array, array_bytes(8));
}

static void test_array_prepare_is_for_one_slot(struct kunit *test)
{
	struct percpu_array *array = new_array(test, 8);
	unsigned int prepared = 0, filled = 0;

	percpu_array_prepare(array, 8);
	percpu_array_prepare(array, 8);
	KUNIT_EXPECT_TRUE(test, percpu_push(array, CANARY));
	percpu_array_touch(array);
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		struct percpu_array *mine = percpu_ptr(array, slot);

		prepared += mine->limit == 8;
		filled += mine->count == 1 && mine->items[0] == CANARY;
	}
	KUNIT_EXPECT_EQ(test, prepared, 1);
	KUNIT_EXPECT_EQ(test, filled, 1);
	percpu_free(array, array_bytes(8));
}

struct item {
	unsigned long link;
	unsigned long serial;
};

static void test_list_random_operations(struct kunit *test)
{
	enum { NR = 500 };
	static struct item items[NR];
	struct percpu_list *list = percpu_alloc(sizeof(*list), 64);
	struct item *stack[NR], *idle[NR];
	unsigned int nr_stack = 0, nr_idle = NR;
	struct prng prng = { 7 };

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_EXPECT_NULL(test, percpu_list_pop(list));
	for (unsigned int i = 0; i < NR; i++)
		idle[i] = &items[i];
	for (unsigned int step = 0; step < 50000; step++) {
		bool grow = step / 800 % 2 ? prng_one_in(&prng, 4) : !prng_one_in(&prng, 4);

		if (grow && nr_idle) {
			stack[nr_stack] = idle[--nr_idle];
			KUNIT_ASSERT_TRUE(test, percpu_list_push(list, stack[nr_stack]));
			nr_stack++;
		} else if (!grow) {
			struct item *expected = nr_stack ? stack[--nr_stack] : NULL;

			KUNIT_ASSERT_PTR_EQ(test, percpu_list_pop(list), expected);
			if (expected)
				idle[nr_idle++] = expected;
		}
	}
	percpu_free(list, sizeof(*list));
}

/* The head carries top and number; the link is the head from before the push. */
static void test_list_head_word(struct kunit *test)
{
	struct percpu_list *list = percpu_alloc(sizeof(*list), 64);
	static struct item first, second;
	unsigned long head = 0;

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_EXPECT_TRUE(test, percpu_list_push(list, &first));
	KUNIT_EXPECT_EQ(test, first.link, 0);
	KUNIT_EXPECT_TRUE(test, percpu_list_push(list, &second));
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		head |= ((struct percpu_list *)percpu_ptr(list, slot))->head;
	KUNIT_EXPECT_PTR_EQ(test, percpu_list_top(head), &second);
	KUNIT_EXPECT_EQ(test, percpu_list_nr(head), 2);
	KUNIT_EXPECT_PTR_EQ(test, percpu_list_top(second.link), &first);
	KUNIT_EXPECT_EQ(test, percpu_list_nr(second.link), 1);
	KUNIT_EXPECT_PTR_EQ(test, percpu_list_pop(list), &second);
	KUNIT_EXPECT_PTR_EQ(test, percpu_list_pop(list), &first);
	KUNIT_EXPECT_NULL(test, percpu_list_pop(list));
	percpu_free(list, sizeof(*list));
}

static void test_list_full(struct kunit *test)
{
	struct percpu_list *list = percpu_alloc(sizeof(*list), 64);
	struct item *items = test_memory_alloc((PERCPU_LIST_MAX + 1) * sizeof(*items));
	unsigned long nr = 0;

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_NOT_NULL(test, items);
	while (nr <= PERCPU_LIST_MAX && percpu_list_push(list, &items[nr]))
		nr++;
	KUNIT_EXPECT_EQ(test, nr, PERCPU_LIST_MAX);
	items[nr].link = 1;
	KUNIT_EXPECT_FALSE(test, percpu_list_push(list, &items[nr]));
	KUNIT_EXPECT_EQ_MSG(test, items[nr].link, 1, "who leaves has done nothing");
	while (nr--)
		KUNIT_ASSERT_PTR_EQ(test, percpu_list_pop(list), &items[nr]);
	KUNIT_EXPECT_NULL(test, percpu_list_pop(list));
	percpu_free(list, sizeof(*list));
	test_memory_free(items);
}

static struct kunit_case array_cases[] = {
	KUNIT_CASE_PARAM(test_array_random_operations, limits_gen_params),
	KUNIT_CASE(test_array_every_count),
	KUNIT_CASE(test_array_null),
	KUNIT_CASE(test_array_unprepared),
	KUNIT_CASE(test_array_prepare_is_for_one_slot),
	KUNIT_CASE(test_list_random_operations),
	KUNIT_CASE(test_list_head_word),
	KUNIT_CASE(test_list_full),
	{ 0 },
};

static struct kunit_suite array_suite = {
	.name = "percpu_array",
	.suite_init = test_warm_up,
	.init = pin_case,
	.test_cases = array_cases,
};

kunit_test_suite(array_suite);
