/* SPDX-License-Identifier: MIT */
/*
 * Every operation, interrupted at every one of its instructions: it must take
 * effect exactly once, as if nothing had happened.
 *
 * The instructions are found by stepping through an operation in a thread that
 * has no restartable sequences, so that it runs to its end. Then a breakpoint
 * goes to one after the other, and a thread that has them runs into it.
 */
#include "percpu/percpu.h"
#include "support/kernel.h"
#include "support/stepping.h"
#include "support/threads.h"

#define LIMIT 16
#define NR_ADDRESSES 200
#define ARRAY_BYTES (sizeof(struct percpu_array) + LIMIT * sizeof(void *))

/* One operation with its arguments and what came of it. */
struct operation {
	const char *name;
	void (*run)(void *operation);
	unsigned int n;			/* of pop_n and push_n */
	unsigned int start;		/* items on the stack before */

	struct percpu_array *array;
	struct percpu_list *stack;
	void *items[LIMIT + 2];		/* in or out */
	unsigned int result;
};

static noinline void run_pop(void *arg)
{
	struct operation *op = arg;

	op->items[0] = percpu_pop(op->array);
	op->result = op->items[0] != NULL;
}

static noinline void run_push(void *arg)
{
	struct operation *op = arg;

	op->result = percpu_push(op->array, op->items[0]);
}

static noinline void run_pop_n(void *arg)
{
	struct operation *op = arg;

	op->result = percpu_pop_n(op->array, op->items, op->n);
}

static noinline void run_push_n(void *arg)
{
	struct operation *op = arg;

	op->result = percpu_push_n(op->array, op->items, op->n);
}

static noinline void run_list_pop(void *arg)
{
	struct operation *op = arg;

	op->items[0] = percpu_list_pop(op->stack);
	op->result = op->items[0] != NULL;
}

static noinline void run_list_push(void *arg)
{
	struct operation *op = arg;

	op->result = percpu_list_push(op->stack, op->items[0]);
}

#define OPERATION(op_name, fn, op_n, op_start) \
	{ .name = op_name, .run = fn, .n = op_n, .start = op_start }

static struct operation operations[] = {
	OPERATION("pop", run_pop, 1, 5),
	OPERATION("pop, empty", run_pop, 1, 0),
	OPERATION("push", run_push, 1, 5),
	OPERATION("push, full", run_push, 1, LIMIT),
	OPERATION("pop_n, odd", run_pop_n, 5, 9),
	OPERATION("pop_n, even", run_pop_n, 6, 9),
	OPERATION("pop_n, more than there is", run_pop_n, 9, 4),
	OPERATION("push_n, odd", run_push_n, 5, 3),
	OPERATION("push_n, even", run_push_n, 6, 3),
	OPERATION("push_n, more than fit", run_push_n, 9, LIMIT - 4),
	OPERATION("list pop", run_list_pop, 1, 5),
	OPERATION("list pop, empty", run_list_pop, 1, 0),
	OPERATION("list push", run_list_push, 1, 5),
};

static void describe_operation(struct operation *op, char *desc)
{
	strcpy(desc, op->name);
}

KUNIT_ARRAY_PARAM(operation, operations, describe_operation);

/* Memory that may stand on a list; its number is its place. */
static unsigned long things[64][2];
static struct percpu_array *array;
static struct percpu_list *list;

static void *thing(unsigned int number)
{
	return things[number];
}

static bool is_push(const struct operation *op)
{
	return op->run == run_push || op->run == run_push_n || op->run == run_list_push;
}

static bool on_list(const struct operation *op)
{
	return op->run == run_list_pop || op->run == run_list_push;
}

/* The stack in the given slot gets things 0 .. start-1, the rest is fresh. */
static void set_up(struct operation *op, unsigned int slot)
{
	struct percpu_array *mine = percpu_ptr(array, slot);
	struct percpu_list *head = percpu_ptr(list, slot);

	op->array = array;
	op->stack = list;
	head->head = 0;
	mine->limit = LIMIT;
	mine->count = op->start;
	for (unsigned int i = 0; i < LIMIT; i++)
		mine->items[i] = i < op->start ? thing(i) : NULL;
	for (unsigned int i = 0; on_list(op) && i < op->start; i++) {
		things[i][0] = head->head;
		head->head = (unsigned long)thing(i) << PERCPU_LIST_NR_BITS | (i + 1);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(op->items); i++)
		op->items[i] = is_push(op) ? thing(32 + i) : NULL;
	op->result = ~0u;
}

/* How many the operation must move. */
static unsigned int moved(const struct operation *op)
{
	unsigned int room = is_push(op) ? LIMIT - op->start : op->start;

	return op->n < room ? op->n : room;
}

/* What is in the slot now, from the bottom up. */
static unsigned int contents(const struct operation *op, unsigned int slot, void **items)
{
	const struct percpu_array *mine = percpu_ptr(array, slot);
	unsigned long head = ((struct percpu_list *)percpu_ptr(list, slot))->head;
	unsigned int nr = on_list(op) ? (unsigned int)percpu_list_nr(head) : mine->count;

	for (unsigned int i = nr; i-- && i < 64;) {
		items[i] = on_list(op) ? percpu_list_top(head) : mine->items[i];
		if (on_list(op) && head)
			head = *(unsigned long *)percpu_list_top(head);
	}
	return nr;
}

static void check(struct kunit *test, const struct operation *op, unsigned int slot)
{
	unsigned int n = moved(op), expected = is_push(op) ? op->start + n : op->start - n;
	void *items[64];

	KUNIT_ASSERT_EQ(test, op->result, n);
	KUNIT_ASSERT_EQ(test, contents(op, slot, items), expected);
	for (unsigned int i = 0; i < expected; i++)
		KUNIT_ASSERT_PTR_EQ_MSG(test, items[i],
					i < op->start ? thing(i) : thing(32 + i - op->start),
					"item %u", i);
	for (unsigned int i = 0; !is_push(op) && i < n; i++)
		KUNIT_ASSERT_PTR_EQ(test, op->items[i], thing(op->start - n + i));
}

/* In a thread whose index the kernel does not keep: it works on slot 0. */
static void run_on_slot_0(void *arg)
{
	struct operation *op = arg;
	volatile uint32_t *index = (void *)((char *)__builtin_thread_pointer() +
					    percpu.index_field);

	*index = 0;
	op->run(op);
}

static void test_abort_at_each_instruction(struct kunit *test)
{
	struct operation *op = (void *)test->param_value;
	unsigned long addresses[NR_ADDRESSES];
	unsigned int nr_addresses;
	int slot;

	set_up(op, 0);
	nr_addresses = stepping_find(test, run_on_slot_0, op, addresses, NR_ADDRESSES);
	if (!nr_addresses)
		kunit_skip(test, "libc's rseq area cannot be taken from the kernel");
	check(test, op, 0);
	KUNIT_ASSERT_GT(test, nr_addresses, 5);
	KUNIT_ASSERT_LT(test, nr_addresses, NR_ADDRESSES);
	for (unsigned int i = 0; i < nr_addresses; i++) {
		struct stepping_hits hits;

		slot = percpu_current_slot();
		KUNIT_ASSERT_GE(test, slot, 0);
		set_up(op, (unsigned int)slot);
		hits = stepping_break_at(addresses[i], op->run, op, NULL);
		KUNIT_EXPECT_EQ(test, hits.all, 1);
		KUNIT_EXPECT_EQ_MSG(test, hits.aborted, 1, "instruction %u", i);
		check(test, op, (unsigned int)slot);
		if (test->status == KUNIT_FAILURE) {
			kunit_info(test, "interrupted at instruction %u of %u", i, nr_addresses);
			return;
		}
	}
	kunit_info(test, "%u instructions", nr_addresses);
}

/*
 * A thread that is stepped for good gets no operation done; it hears "empty" or
 * "full" after a bounded number of tries, and nothing has changed.
 */
static void test_abort_without_end(struct kunit *test)
{
	struct operation *op = (void *)test->param_value;
	int slot = percpu_current_slot();
	void *items[64];

	KUNIT_ASSERT_GE(test, slot, 0);
	set_up(op, (unsigned int)slot);
	stepping_run(op->run, op, NULL);
	KUNIT_EXPECT_EQ(test, op->result, 0);
	KUNIT_EXPECT_EQ(test, contents(op, (unsigned int)slot, items), op->start);
	for (unsigned int i = 0; i < op->start; i++)
		KUNIT_EXPECT_PTR_EQ(test, items[i], thing(i));
}

static int start(struct kunit_suite *suite)
{
	struct page *page = alloc_page(GFP_KERNEL);

	(void)suite;
	test_pin(0);
	if (!page || percpu_init())
		return -1;
	__free_page(page);
	array = percpu_alloc(ARRAY_BYTES, 64);
	list = percpu_alloc(sizeof(*list), 64);
	percpu_array_prepare(array, LIMIT);
	return array && list ? 0 : -1;
}

static int need_sequences(struct kunit *test)
{
	if (percpu_mode() == PERCPU_LOCKED)
		kunit_skip(test, "no restartable sequences in use");
	if (!stepping_works())
		kunit_skip(test, "the program's text cannot be changed here");
	return 0;
}

static struct kunit_case abort_cases[] = {
	KUNIT_CASE_PARAM(test_abort_at_each_instruction, operation_gen_params),
	KUNIT_CASE_PARAM(test_abort_without_end, operation_gen_params),
	{ 0 },
};

static struct kunit_suite abort_suite = {
	.name = "percpu_abort",
	.suite_init = start,
	.init = need_sequences,
	.test_cases = abort_cases,
};

kunit_test_suite(abort_suite);
