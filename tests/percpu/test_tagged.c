/* SPDX-License-Identifier: MIT */
/* Tagged lists: what each operation does to each head, on one slot and on many. */
#include <errno.h>

#include "percpu/remote.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/tagged.h"
#include "support/threads.h"

#define LINK 8
#define STEPS 40000

static struct percpu_tagged_list *list;
static unsigned int slot;

static struct percpu_tagged_list *here(void)
{
	return percpu_ptr(list, slot);
}

static int begin(struct kunit *test)
{
	int current;

	test_pin(0);
	list = percpu_alloc(sizeof(*list), 64);
	KUNIT_ASSERT_NOT_NULL(test, list);
	current = percpu_current_slot();
	KUNIT_ASSERT_GE(test, current, 0);
	slot = (unsigned int)current;
	tagged_link = LINK;
	tagged_fill();
	return 0;
}

static void end(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, tagged_spoilt());
	percpu_free(list, sizeof(*list));
	percpu_unbind_slot();
	test_unpin();
}

static bool push(void *item)
{
	return percpu_tagged_push(list, item, LINK, TAGGED_MASK);
}

static void *pop(void)
{
	return percpu_tagged_pop(list, LINK);
}

static void expect_head(struct kunit *test, unsigned long expected)
{
	unsigned long head = ~0UL;

	KUNIT_ASSERT_TRUE(test, percpu_tagged_read(list, &head));
	KUNIT_EXPECT_EQ(test, head, expected);
}

/* Pop and push fail, in the fast and in the slow form, and leave the head as it is. */
static void expect_nothing_but(struct kunit *test, unsigned long head)
{
	struct tagged_item *item = &tagged_blocks[1][0];

	KUNIT_EXPECT_NULL(test, percpu_tagged_pop_fast(list, LINK));
	KUNIT_EXPECT_NULL(test, percpu_tagged_pop_slow(list, LINK));
	KUNIT_EXPECT_FALSE(test, percpu_tagged_push_fast(list, item, LINK, TAGGED_MASK));
	KUNIT_EXPECT_FALSE(test, percpu_tagged_push_slow(list, item, LINK, TAGGED_MASK));
	expect_head(test, head);
}

static void test_tagged_fresh(struct kunit *test)
{
	expect_nothing_but(test, 0);
	KUNIT_EXPECT_FALSE(test, percpu_tagged_cas(list, percpu_tagged_token(tagged_blocks[0]),
						   tagged_make(0, 3)));
	expect_head(test, 0);
}

/* A list that nobody has allocated looks like a slot without a block. */
static void test_tagged_null(struct kunit *test)
{
	struct percpu_tagged_list *own = list;

	list = NULL;
	expect_nothing_but(test, 0);
	list = own;
}

static void test_tagged_pop_to_the_token(struct kunit *test)
{
	unsigned long token = tagged_make(0, 0), head = tagged_make(0, TAGGED_ITEMS);

	KUNIT_EXPECT_EQ(test, token & ~TAGGED_MASK, (unsigned long)tagged_blocks[0]);
	KUNIT_ASSERT_TRUE(test, percpu_tagged_cas(list, 0, head));
	for (unsigned int i = TAGGED_ITEMS; i--;) {
		expect_head(test, (unsigned long)&tagged_blocks[0][i]);
		KUNIT_EXPECT_PTR_EQ(test, pop(), (void *)&tagged_blocks[0][i]);
	}
	expect_nothing_but(test, token);
}

/* Every item of the block, first and last, onto its token and onto one another. */
static void test_tagged_push_in_the_block(struct kunit *test)
{
	unsigned long token = percpu_tagged_token(&tagged_blocks[0][TAGGED_ITEMS - 1]);
	struct tagged_item *block = tagged_blocks[0];

	KUNIT_ASSERT_TRUE(test, percpu_tagged_cas(list, 0, token));
	for (unsigned int i = 0; i < TAGGED_ITEMS; i++) {
		KUNIT_EXPECT_TRUE(test, push(&block[i]));
		KUNIT_EXPECT_EQ(test, block[i].words[1], token);
		expect_head(test, (unsigned long)&block[i]);
		KUNIT_EXPECT_PTR_EQ(test, pop(), (void *)&block[i]);
		expect_head(test, token);
	}
	for (unsigned int i = 0; i < TAGGED_ITEMS; i++) {
		unsigned long before = here()->head;

		KUNIT_EXPECT_TRUE(test, push(&block[i]));
		KUNIT_EXPECT_EQ(test, block[i].words[1], before);
	}
	for (unsigned int i = TAGGED_ITEMS; i--;)
		KUNIT_EXPECT_PTR_EQ(test, pop(), (void *)&block[i]);
	expect_head(test, token);
}

/* The token may be any address of the block: the ends are as far apart as they can be. */
static void test_tagged_tokens(struct kunit *test)
{
	for (unsigned int byte = 0; byte < TAGGED_BLOCK_BYTES; byte++) {
		unsigned long token = percpu_tagged_token((char *)tagged_blocks[1] + byte);
		struct tagged_item *item = &tagged_blocks[1][byte % 2 ? 0 : TAGGED_ITEMS - 1];

		KUNIT_ASSERT_TRUE(test, percpu_tagged_cas(list, here()->head, token));
		KUNIT_EXPECT_NULL(test, pop());
		KUNIT_EXPECT_TRUE(test, push(item));
		KUNIT_EXPECT_FALSE(test, push(&tagged_blocks[0][TAGGED_ITEMS - 1]));
		KUNIT_EXPECT_FALSE(test, push(&tagged_blocks[2][0]));
		KUNIT_EXPECT_PTR_EQ(test, pop(), (void *)item);
		expect_head(test, token);
	}
}

/* The neighbours of a block on both sides; and addresses in no block. */
static void test_tagged_push_of_others(struct kunit *test)
{
	unsigned long heads[] = { tagged_make(1, 0), tagged_make(1, 1), tagged_make(1, 5),
				  percpu_tagged_token(&tagged_blocks[1][0]),
				  percpu_tagged_token(&tagged_blocks[1][TAGGED_ITEMS - 1]) };
	unsigned long far;

	for (unsigned int i = 0; i < ARRAY_SIZE(heads); i++) {
		KUNIT_ASSERT_TRUE(test, percpu_tagged_cas(list, here()->head, heads[i]));
		KUNIT_EXPECT_FALSE(test, push(&tagged_blocks[0][0]));
		KUNIT_EXPECT_FALSE(test, push(&tagged_blocks[0][TAGGED_ITEMS - 1]));
		KUNIT_EXPECT_FALSE(test, push(&tagged_blocks[2][0]));
		KUNIT_EXPECT_FALSE(test, push(&tagged_blocks[2][TAGGED_ITEMS - 1]));
		KUNIT_EXPECT_FALSE(test, push(&far));
		expect_head(test, heads[i]);
	}
}

/* Blocks of any size: the item's next neighbours in and outside of it. */
static void test_tagged_masks(struct kunit *test)
{
	char *memory = (char *)tagged_blocks;

	for (unsigned long bytes = sizeof(struct tagged_item); bytes <= TAGGED_BLOCK_BYTES;
	     bytes *= 2) {
		char *block = memory + TAGGED_BLOCK_BYTES;
		unsigned long token = percpu_tagged_token(block);

		KUNIT_ASSERT_TRUE(test, percpu_tagged_cas(list, here()->head, token));
		KUNIT_EXPECT_FALSE(test, percpu_tagged_push(list, block + bytes, LINK, bytes - 1));
		KUNIT_EXPECT_FALSE(test, percpu_tagged_push(list,
							    block - sizeof(struct tagged_item),
							    LINK, bytes - 1));
		expect_head(test, token);
		KUNIT_EXPECT_TRUE(test, percpu_tagged_push(list, block + bytes -
							   sizeof(struct tagged_item), LINK,
							   bytes - 1));
		KUNIT_EXPECT_NOT_NULL(test, pop());
		KUNIT_EXPECT_TRUE(test, percpu_tagged_push(list, block, LINK, bytes - 1));
		KUNIT_EXPECT_PTR_EQ(test, pop(), (void *)block);
	}
}

static void test_tagged_cas(struct kunit *test)
{
	unsigned long heads[] = { 0, tagged_make(0, 0), tagged_make(1, 0), tagged_make(1, 1),
				  tagged_make(2, 3) };

	for (unsigned int i = 0; i < ARRAY_SIZE(heads); i++)
		for (unsigned int old = 0; old < ARRAY_SIZE(heads); old++)
			for (unsigned int new = 0; new < ARRAY_SIZE(heads); new++) {
				here()->head = heads[i];
				KUNIT_EXPECT_EQ(test, i == old,
						percpu_tagged_cas(list, heads[old], heads[new]));
				expect_head(test, heads[i == old ? new : i]);
			}
}

/*
 * Without sequences every change increases the number; an operation that changes nothing does not.
 */
static void test_tagged_transactions(struct kunit *test)
{
	struct percpu_stopped_tagged stopped;
	unsigned long number = here()->transaction;

	if (percpu_mode() != PERCPU_LOCKED)
		kunit_skip(test, "sequences need no number");
	KUNIT_EXPECT_TRUE(test, percpu_tagged_cas(list, 0, tagged_make(0, 2)));
	KUNIT_EXPECT_EQ(test, here()->transaction, ++number);
	KUNIT_EXPECT_NOT_NULL(test, pop());
	KUNIT_EXPECT_EQ(test, here()->transaction, ++number);
	KUNIT_EXPECT_TRUE(test, push(&tagged_blocks[0][7]));
	KUNIT_EXPECT_EQ(test, here()->transaction, ++number);
	KUNIT_EXPECT_FALSE(test, push(&tagged_blocks[1][7]));
	KUNIT_EXPECT_FALSE(test, percpu_tagged_cas(list, 0, tagged_make(2, 1)));
	KUNIT_EXPECT_EQ(test, here()->transaction, number);
	KUNIT_EXPECT_EQ(test, percpu_stop_tagged(list, slot, &stopped), 0);
	KUNIT_EXPECT_EQ(test, here()->transaction, ++number);
	percpu_start_tagged(&stopped);
	KUNIT_EXPECT_EQ(test, here()->transaction, ++number);
}

static void test_tagged_fast_without_sequences(struct kunit *test)
{
	if (percpu_mode() != PERCPU_LOCKED)
		kunit_skip(test, "there are sequences");
	KUNIT_ASSERT_TRUE(test, percpu_tagged_cas(list, 0, tagged_make(0, 2)));
	KUNIT_EXPECT_NULL(test, percpu_tagged_pop_fast(list, LINK));
	KUNIT_EXPECT_FALSE(test, percpu_tagged_push_fast(list, &tagged_blocks[0][5], LINK,
							 TAGGED_MASK));
	KUNIT_EXPECT_NOT_NULL(test, percpu_tagged_pop_slow(list, LINK));
}

static void need_stopping(struct kunit *test)
{
	if (!percpu_can_stop())
		kunit_skip(test, "slots cannot be stopped");
}

/* Whatever the list held: its owner finds nothing, and the stopper works undisturbed. */
static void test_tagged_stopped(struct kunit *test)
{
	unsigned long heads[] = { 0, tagged_make(1, 0), tagged_make(1, 1), tagged_make(1, 4) };
	struct percpu_stopped_tagged stopped, again;

	need_stopping(test);
	for (unsigned int i = 0; i < ARRAY_SIZE(heads); i++) {
		here()->head = heads[i];
		KUNIT_ASSERT_EQ(test, percpu_stop_tagged(list, slot, &stopped), 0);
		KUNIT_EXPECT_EQ(test, stopped.head, heads[i]);
		expect_nothing_but(test, PERCPU_TAGGED_STOPPED);
		for (unsigned int old = 0; old < ARRAY_SIZE(heads); old++)
			KUNIT_EXPECT_FALSE(test, percpu_tagged_cas(list, heads[old], heads[3]));
		KUNIT_EXPECT_EQ(test, percpu_stop_tagged(list, slot, &again), -EBUSY);
		expect_nothing_but(test, PERCPU_TAGGED_STOPPED);
		/* It goes on with another one. */
		stopped.head = heads[ARRAY_SIZE(heads) - 1 - i];
		percpu_start_tagged(&stopped);
		expect_head(test, heads[ARRAY_SIZE(heads) - 1 - i]);
		KUNIT_EXPECT_PTR_EQ(test, pop(),
				    percpu_tagged_first(heads[ARRAY_SIZE(heads) - 1 - i]));
		tagged_make(1, 4);
	}
}

/* --- A random sequence, against the model ------------------------------------------------- */

#define NR_SLOTS 4

static struct tagged_chain models[NR_SLOTS];
static bool is_held[TAGGED_BLOCKS][TAGGED_ITEMS];	/* by the test */
static bool attached[TAGGED_BLOCKS];			/* to some slot */

static void hold(const void *item, bool held)
{
	size_t number = (size_t)((const struct tagged_item *)item - tagged_blocks[0]);

	is_held[number / TAGGED_ITEMS][number % TAGGED_ITEMS] = held;
}

/* Any block that is not attached anywhere, and all of it in the test's hands. */
static int free_block(struct prng *prng)
{
	unsigned int block = prng_below(prng, TAGGED_BLOCKS);

	if (attached[block])
		return -1;
	for (unsigned int i = 0; i < TAGGED_ITEMS; i++)
		if (!is_held[block][i])
			return -1;
	return (int)block;
}

/* The swap that attaches a block, detaches one, or is meant to fail. */
static void choose_swap(struct prng *prng, const struct tagged_chain *model, struct tagged_op *op)
{
	int block = free_block(prng);

	op->old = model->heads[0];
	op->new = 0;
	if (prng_one_in(prng, 4))
		op->old = percpu_tagged_token(&tagged_blocks[prng_below(prng, TAGGED_BLOCKS)][0]);
	if (!op->old && block >= 0)
		op->new = tagged_make((unsigned int)block, prng_below(prng, TAGGED_ITEMS + 1));
}

static bool choose(struct prng *prng, const struct tagged_chain *model, struct tagged_op *op)
{
	unsigned int block = prng_below(prng, TAGGED_BLOCKS), i = prng_below(prng, TAGGED_ITEMS);
	unsigned int dice = prng_below(prng, 20);

	*op = (struct tagged_op){ .kind = dice < 9 ? TAGGED_POP : dice < 19 ? TAGGED_PUSH :
				  TAGGED_CAS, .item = &tagged_blocks[block][i] };
	if (op->kind == TAGGED_CAS)
		choose_swap(prng, model, op);
	return op->kind != TAGGED_PUSH || is_held[block][i];
}

/* Checks who holds each item now: a list, or the test. */
static void account(const struct tagged_op *op, const struct tagged_chain *before)
{
	struct tagged_chain chain;

	if (!op->done)
		return;
	if (op->kind != TAGGED_CAS) {
		hold(op->item, op->kind == TAGGED_POP);
		return;
	}
	for (unsigned int i = 0; i + 1 < before->nr; i++)
		hold((void *)before->heads[i], true);
	tagged_walk(op->new, &chain);
	for (unsigned int i = 0; i + 1 < chain.nr; i++)
		hold((void *)chain.heads[i], false);
	for (unsigned int block = 0; block < TAGGED_BLOCKS; block++) {
		if ((op->old ^ (unsigned long)tagged_blocks[block]) <= TAGGED_MASK)
			attached[block] = false;
		if ((op->new ^ (unsigned long)tagged_blocks[block]) <= TAGGED_MASK)
			attached[block] = true;
	}
}

static unsigned int choose_slot(struct prng *prng)
{
	unsigned int nr = min(percpu_nr_slots(), (unsigned int)NR_SLOTS), on;

	if (percpu_mode() != PERCPU_LOCKED)
		return slot;
	on = prng_below(prng, nr);
	percpu_bind_slot(on);
	return on;
}

static void run_random(struct kunit *test, unsigned int seed, unsigned int *nr_done)
{
	struct prng prng = { seed };

	memset(attached, 0, sizeof(attached));
	memset(is_held, true, sizeof(is_held));
	for (unsigned int i = 0; i < percpu_nr_slots(); i++)
		((struct percpu_tagged_list *)percpu_ptr(list, i))->head = 0;
	for (unsigned int i = 0; i < NR_SLOTS; i++)
		tagged_walk(0, &models[i]);
	for (unsigned int step = 0; step < STEPS; step++) {
		unsigned int on = choose_slot(&prng);
		struct tagged_chain *model = &models[on % NR_SLOTS], before = *model;
		const struct percpu_tagged_list *real = percpu_ptr(list, on);
		struct tagged_op op, expected;

		if (!choose(&prng, model, &op))
			continue;
		expected = op;
		tagged_do(list, &op);
		tagged_do_model(model, &expected);
		KUNIT_ASSERT_TRUE_MSG(test, tagged_same(&op, &expected), "seed %u, step %u", seed,
				      step);
		KUNIT_ASSERT_TRUE_MSG(test, tagged_is(real->head, model), "seed %u, step %u", seed,
				      step);
		account(&op, &before);
		nr_done[op.kind] += op.done;
	}
}

static void test_tagged_random(struct kunit *test)
{
	unsigned int nr_done[TAGGED_CAS + 1] = { 0 };

	for (unsigned int i = 0; i < TAGGED_ITEM_WORDS; i++) {
		tagged_link = i * sizeof(unsigned long);
		tagged_fill();
		run_random(test, i + 1, nr_done);
		KUNIT_ASSERT_NULL(test, tagged_spoilt());
	}
	kunit_info(test, "%u pops, %u pushes, %u swaps", nr_done[TAGGED_POP],
		   nr_done[TAGGED_PUSH], nr_done[TAGGED_CAS]);
	for (unsigned int i = 0; i < ARRAY_SIZE(nr_done); i++)
		KUNIT_EXPECT_GT(test, nr_done[i], STEPS / 200);
}

static struct kunit_case tagged_cases[] = {
	KUNIT_CASE(test_tagged_fresh),
	KUNIT_CASE(test_tagged_null),
	KUNIT_CASE(test_tagged_pop_to_the_token),
	KUNIT_CASE(test_tagged_push_in_the_block),
	KUNIT_CASE(test_tagged_tokens),
	KUNIT_CASE(test_tagged_push_of_others),
	KUNIT_CASE(test_tagged_masks),
	KUNIT_CASE(test_tagged_cas),
	KUNIT_CASE(test_tagged_transactions),
	KUNIT_CASE(test_tagged_fast_without_sequences),
	KUNIT_CASE(test_tagged_stopped),
	KUNIT_CASE(test_tagged_random),
	{ 0 },
};

static struct kunit_suite tagged_suite = {
	.name = "percpu_tagged",
	.suite_init = test_warm_up,
	.init = begin,
	.exit = end,
	.test_cases = tagged_cases,
};

kunit_test_suite(tagged_suite);
