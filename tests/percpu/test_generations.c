/* SPDX-License-Identifier: MIT */
/*
 * Arrays by halves: against a model, one thread; aborted at each instruction; and many threads
 * whose slots are stopped, emptied and started meanwhile.
 */
#ifdef __x86_64__	/* the stress test's sequences take long, so that they are often met */
#define RSEQ_INJECT(point) ".rept 60\n\tpause\n\t.endr\n\t"
#endif

#include <sched.h>

#include "percpu/generations.h"
#include "percpu/remote.h"
#include "selftest/stepping.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"

#define HALF_MAX 128u

static uint8_t places[HALF_MAX];

static void forward(unsigned int half, struct percpu_order *order)
{
	for (unsigned int i = 0; i < half; i++)
		places[i] = (uint8_t)i;
	*order = (struct percpu_order){ places, 0 };
}

static void shuffled(unsigned int half, struct percpu_order *order, struct prng *prng)
{
	forward(half, order);
	for (unsigned int n = half; n > 1; n--) {
		unsigned int index = (unsigned int)prng_below(prng, n);
		uint8_t place = places[index];

		places[index] = places[n - 1];
		places[n - 1] = place;
	}
	order->turned = (uint32_t)prng_below(prng, half);
}

static size_t array_bytes(unsigned int half)
{
	return sizeof(struct percpu_array) + 2 * half * sizeof(void *);
}

static struct percpu_array *new_array(struct kunit *test, unsigned int half)
{
	struct percpu_array *array = percpu_alloc(array_bytes(half), 64);

	KUNIT_ASSERT_NOT_NULL(test, array);
	return array;
}

static struct percpu_array *here(struct percpu_array *array)
{
	return percpu_ptr(array, (unsigned int)percpu_current_slot());
}

/* --- A model ------------------------------------------------------------------------------ */

struct model {
	unsigned int half, count;
	bool by_halves;			/* the second half is in use, and older */
	unsigned long next;		/* serial number of the next item */
	unsigned long items[2 * HALF_MAX];
};

static unsigned int room(const struct model *model)
{
	return (model->by_halves ? 1 : 2) * model->half;
}

static void push(struct kunit *test, struct percpu_array *array, struct model *model)
{
	bool fits = model->count < room(model);

	model->next += 16;
	KUNIT_ASSERT_EQ(test, percpu_push(array, (void *)model->next), fits);
	if (fits)
		model->items[model->count++] = model->next;
}

static void push_n(struct kunit *test, struct percpu_array *array, struct model *model,
		   unsigned int n)
{
	void *in[2 * HALF_MAX];
	unsigned int fit = min(n, room(model) - model->count);

	for (unsigned int i = 0; i < n; i++)
		in[i] = (void *)(model->next += 16);
	KUNIT_ASSERT_EQ(test, percpu_push_n(array, in, n), fit);
	for (unsigned int i = 0; i < fit; i++)
		model->items[model->count++] = (unsigned long)in[i];
}

static void pop_n(struct kunit *test, struct percpu_array *array, struct model *model,
		  unsigned int n)
{
	void *out[2 * HALF_MAX] = { NULL };
	unsigned int taken = min(n, model->count);

	KUNIT_ASSERT_EQ(test, percpu_pop_n(array, out, n), taken);
	model->count -= taken;
	for (unsigned int i = 0; i < taken; i++)
		KUNIT_ASSERT_EQ(test, (unsigned long)out[i], model->items[model->count + i]);
}

/* The first item of the half that can be taken, or -1. */
static int older_half(const struct model *model, unsigned int least)
{
	if (model->by_halves)
		return model->count >= least ? (int)model->half : -1;
	return model->count == 2 * model->half ? 0 : -1;
}

static void take(struct kunit *test, struct percpu_array *array, struct model *model,
		 unsigned int least, const struct percpu_order *order)
{
	void *out[HALF_MAX] = { NULL };
	int first = older_half(model, least);

	KUNIT_ASSERT_EQ(test, percpu_take_older(array, out, model->half, least, order),
			first < 0 ? 0 : model->half);
	if (first < 0)
		return;
	for (unsigned int i = 0; i < model->half; i++)
		KUNIT_ASSERT_EQ(test, (unsigned long)out[i],
				model->items[(unsigned int)first +
					     (order->place[i] ^ order->turned)]);
	if (!first)
		model->count = 0;
	model->by_halves = !first;
}

static void compare(struct kunit *test, struct percpu_array *array, const struct model *model)
{
	const struct percpu_array *slot = here(array);

	KUNIT_ASSERT_EQ(test, slot->count, model->count);
	KUNIT_ASSERT_EQ(test, slot->limit, room(model));
	KUNIT_ASSERT_EQ(test, percpu_generations_nr(slot, model->half),
			model->count + (model->by_halves ? model->half : 0));
}

static void run_model(struct kunit *test, unsigned int half)
{
	struct model model = { .half = half };
	struct percpu_array *array = new_array(test, half);
	struct prng prng = { half };
	struct percpu_order order;

	percpu_generations_prepare(array, half);
	for (unsigned int step = 0; step < TEST_STEPS(20000); step++) {
		switch (prng_below(&prng, 8)) {
		case 0:
			pop_n(test, array, &model, (unsigned int)prng_below(&prng, half) + 1);
			break;
		case 1:
			push_n(test, array, &model, (unsigned int)prng_below(&prng, half) + 1);
			break;
		case 2:
		case 3:
			shuffled(half, &order, &prng);
			take(test, array, &model, half, &order);
			break;
		case 4:
			shuffled(half, &order, &prng);
			take(test, array, &model, (unsigned int)prng_below(&prng, half + 1),
			     &order);
			break;
		case 5:
			percpu_generations_prepare(array, half);
			break;
		default:
			push(test, array, &model);
		}
		compare(test, array, &model);
	}
	percpu_free(array, array_bytes(half));
}

static void test_halves_model(struct kunit *test)
{
	for (unsigned int half = 1; half <= HALF_MAX; half *= 2)
		run_model(test, half);
	run_model(test, 3);	/* any number does, but for the orders of those */
}

/* An item waits for as many others as a half has places, at least, and at most twice that. */
static void test_halves_wait(struct kunit *test)
{
	enum { HALF = 16, ITEMS = 1000 };
	struct percpu_array *array = new_array(test, HALF);
	struct percpu_order order;
	void *out[HALF] = { NULL };
	unsigned int left = 0;

	forward(HALF, &order);
	percpu_generations_prepare(array, HALF);
	for (unsigned long i = 1; i <= ITEMS; i++) {
		if (percpu_push(array, (void *)i))
			continue;
		KUNIT_ASSERT_EQ(test, percpu_take_older(array, out, HALF, HALF, &order), HALF);
		for (unsigned int k = 0; k < HALF; k++)
			KUNIT_ASSERT_EQ(test, (unsigned long)out[k], ++left);
		KUNIT_ASSERT_EQ(test, left + HALF + 1, i);
		KUNIT_ASSERT_TRUE(test, percpu_push(array, (void *)i));
	}
	KUNIT_EXPECT_GT(test, left, ITEMS - 3 * HALF);
	percpu_free(array, array_bytes(HALF));
}

static void test_halves_unprepared(struct kunit *test)
{
	struct percpu_array *array = new_array(test, 4);
	struct percpu_stopped_array stopped;
	struct percpu_order order;
	void *out[4] = { NULL };

	forward(4, &order);
	KUNIT_EXPECT_EQ(test, percpu_take_older(array, out, 4, 0, &order), 0);
	KUNIT_EXPECT_EQ(test, percpu_take_older(NULL, out, 4, 0, &order), 0);
	percpu_generations_prepare(NULL, 4);
	KUNIT_EXPECT_FALSE(test, percpu_push(array, out));
	percpu_generations_prepare(array, 4);
	KUNIT_EXPECT_TRUE(test, percpu_push(array, out));
	if (percpu_mode() != PERCPU_LOCKED && percpu_can_stop()) {
		unsigned int slot = (unsigned int)percpu_current_slot();

		/* A stopped one stays as it is, whatever its owner does. */
		KUNIT_ASSERT_EQ(test, percpu_stop_array(array, slot, &stopped), 0);
		KUNIT_EXPECT_EQ(test, percpu_take_older(array, out, 4, 0, &order), 0);
		percpu_generations_prepare(array, 4);
		KUNIT_EXPECT_FALSE(test, percpu_push(array, out));
		KUNIT_EXPECT_EQ(test, percpu_generations_nr(here(array), 4), 0);
		percpu_start_array(&stopped);
	}
	KUNIT_EXPECT_EQ(test, here(array)->count, 1);
	KUNIT_EXPECT_EQ(test, here(array)->limit, 8);
	percpu_free(array, array_bytes(4));
}

/* --- Aborted ------------------------------------------------------------------------------ */

enum { ABORT_HALF = 5, NR_ADDRESSES = 100, TRIES = 100 };

static struct percpu_array *aborted;
static struct percpu_order abort_order;
static void *taken[ABORT_HALF], *meanwhile_taken[ABORT_HALF];
static unsigned int nr_taken, nr_meanwhile, what_meanwhile;

static void begin_abort(uint32_t count, uint32_t limit)
{
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		memset(percpu_ptr(aborted, slot), 0, array_bytes(ABORT_HALF));
	here(aborted)->count = count;
	here(aborted)->limit = limit;
	for (unsigned int i = 0; i < 2 * ABORT_HALF; i++)
		here(aborted)->items[i] = (void *)(16UL * (i + 1));
	nr_taken = nr_meanwhile = 0;
}

static noinline void take_aborted(void *unused)
{
	(void)unused;
	nr_taken = percpu_take_older(aborted, taken, ABORT_HALF, ABORT_HALF, &abort_order);
}

/* On slot 0, for a thread that has no rseq. */
static void take_bare(void *unused)
{
	volatile uint32_t *index = (void *)((char *)thread_pointer() +
					    percpu.index_field);

	*index = 0;
	take_aborted(unused);
}

/* The interference by others: none; take the half; take the half and fill the room again. */
static void others(void)
{
	if (what_meanwhile)
		nr_meanwhile = percpu_take_older(aborted, meanwhile_taken, ABORT_HALF, ABORT_HALF,
						&abort_order);
	for (unsigned long i = 0; what_meanwhile == 2 && i < ABORT_HALF; i++)
		percpu_push(aborted, (void *)(16 * (100 + i)));
}

static void expect_half(struct kunit *test, void *const *half, unsigned long first)
{
	for (unsigned long i = 0; i < ABORT_HALF; i++)
		KUNIT_ASSERT_EQ(test, (unsigned long)half[i], 16 * (first + i));
}

/* The others have come first. */
static void expect_aborted(struct kunit *test, bool by_halves)
{
	/* After a take the other half is too young, or not the older one, until more items come. */
	unsigned int takes = what_meanwhile != 1;

	if (!what_meanwhile) {
		KUNIT_ASSERT_EQ(test, nr_taken, ABORT_HALF);
		expect_half(test, taken, by_halves ? ABORT_HALF + 1 : 1);
		return;
	}
	KUNIT_ASSERT_EQ(test, nr_meanwhile, ABORT_HALF);
	expect_half(test, meanwhile_taken, by_halves ? ABORT_HALF + 1 : 1);
	KUNIT_ASSERT_EQ(test, nr_taken, takes * ABORT_HALF);
	if (takes)
		expect_half(test, taken, by_halves ? 1 : ABORT_HALF + 1);
}

static void test_halves_aborted(struct kunit *test)
{
	unsigned long addresses[NR_ADDRESSES];
	unsigned int nr = 0, nr_aborted = 0;

	if (RSEQ_IN_C || percpu_mode() == PERCPU_LOCKED || !STEPPING_SINGLE || !stepping_works())
		kunit_skip(test, "no sequences that can be stepped");
	aborted = new_array(test, ABORT_HALF);
	forward(ABORT_HALF, &abort_order);
	for (unsigned int halves = 0; halves < 2; halves++) {
		unsigned long found[NR_ADDRESSES];
		unsigned int nr_found;

		begin_abort((2 - halves) * ABORT_HALF, (2 - halves) * ABORT_HALF);
		nr_found = stepping_find(take_bare, NULL, found, NR_ADDRESSES);
		for (unsigned int i = 0; i < nr_found; i++) {
			bool known = false;

			for (unsigned int k = 0; k < nr; k++)
				known |= addresses[k] == found[i];
			if (!known && nr < NR_ADDRESSES)
				addresses[nr++] = found[i];
		}
	}
	if (!nr)
		kunit_skip(test, "instructions cannot be stepped without rseq here");
	for (unsigned int i = 0; i < nr * 6; i++) {
		bool by_halves = i % 2;
		struct stepping_hits hits;
		unsigned int tries = 0, slot;

		what_meanwhile = i / 2 % 3;
		do {
			slot = (unsigned int)percpu_current_slot();
			begin_abort((2 - by_halves) * ABORT_HALF, (2 - by_halves) * ABORT_HALF);
			hits = stepping_break_at(addresses[i / 6], take_aborted, NULL, others);
		} while (percpu_current_slot() != (int)slot && ++tries < TRIES);
		if (!hits.all)		/* an instruction of the other half's */
			continue;
		KUNIT_ASSERT_EQ(test, hits.aborted, hits.all);
		nr_aborted++;
		expect_aborted(test, by_halves);
	}
	KUNIT_EXPECT_GT(test, nr, 30);
	KUNIT_EXPECT_GE(test, nr_aborted, 3 * nr);
	/* A thread whose sequences never complete takes nothing, and nothing is lost. */
	begin_abort(2 * ABORT_HALF, 2 * ABORT_HALF);
	stepping_run(take_aborted, NULL, NULL);
	KUNIT_EXPECT_EQ(test, nr_taken, 0);
	KUNIT_EXPECT_EQ(test, here(aborted)->count, 2 * ABORT_HALF);
	kunit_info(test, "%u instructions", nr);
	percpu_free(aborted, array_bytes(ABORT_HALF));
}

/* --- Many threads, and one that stops their slots --------------------------------------------- */

enum { HALF = 8, ITEMS = 256, WORKERS = 5, LOOKS = 15000, LOOKS_MAX = 10000000 };

struct item {
	unsigned int held;	/* Sync: atomic relaxed; 1 while in somebody's hands */
	unsigned int uses;	/* Sync: whose hands it is in, which ThreadSanitizer checks */
} __aligned(16);

struct hands {
	unsigned int nr;
	struct item *items[ITEMS];
};

static struct item items[ITEMS];
static struct hands hands[WORKERS + 1];
static struct percpu_array *shared;
static struct percpu_order stress_order;
static unsigned int doubles, stops, halves_seen, halves_taken;
static bool done;

static void hold(struct hands *mine, struct item *item)
{
	if (__atomic_exchange_n(&item->held, 1, __ATOMIC_RELAXED))
		__atomic_fetch_add(&doubles, 1, __ATOMIC_RELAXED);
	item->uses++;
	mine->items[mine->nr++] = item;
}

static void give_one(struct hands *mine)
{
	struct item *item;

	if (!mine->nr)
		return;
	item = mine->items[--mine->nr];
	if (!__atomic_exchange_n(&item->held, 0, __ATOMIC_RELAXED))
		__atomic_fetch_add(&doubles, 1, __ATOMIC_RELAXED);
	if (!percpu_push(shared, item))
		hold(mine, item);
}

/* With the delays where there are sequences. */
static unsigned int take_slowly(void **out, unsigned int least)
{
	unsigned int nr = 0;

	if (!percpu_has_sequences())
		return percpu_take_older(shared, out, HALF, least, &stress_order);
	return rseq_take_older(shared, out, HALF, least, &stress_order, &nr) ? nr : 0;
}

static void take_some(struct hands *mine, struct prng *prng)
{
	void *out[HALF] = { NULL };
	unsigned int n = take_slowly(out, prng_one_in(prng, 2) ? HALF : 0);

	for (unsigned int i = 0; i < n; i++)
		hold(mine, out[i]);
	__atomic_fetch_add(&halves_taken, n / HALF, __ATOMIC_RELAXED);
}

/* Only a thread that stops arrays may do this: see generations.h. */
static void pop_some(struct hands *mine)
{
	void *out[HALF] = { NULL };
	unsigned int n = percpu_pop_n(shared, out, HALF);

	for (unsigned int i = 0; i < n; i++)
		hold(mine, out[i]);
}

static void work(struct test_thread *thread)
{
	struct hands *mine = &hands[thread->index];

	percpu_current_slot();	/* operations alone would not register the thread */
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		percpu_generations_prepare(shared, HALF);
		for (unsigned int i = 0; i < 64; i++)
			give_one(mine);
		if (prng_one_in(&thread->prng, 3))
			take_some(mine, &thread->prng);
		if (prng_one_in(&thread->prng, 64))
			sched_yield();
	}
}

/* Takes it all or leaves it. */
static void look_at(unsigned int slot, struct hands *mine, bool all)
{
	struct percpu_stopped_array stopped;

	if (percpu_stop_array(shared, slot, &stopped))
		return;
	stops++;
	if (stopped.limit == HALF)
		halves_seen++;
	if (all) {
		for (uint32_t i = 0; i < stopped.count; i++)
			hold(mine, percpu_stopped_item(&stopped, i));
		for (uint32_t i = 0; stopped.limit == HALF && i < HALF; i++)
			hold(mine, percpu_stopped_item(&stopped, HALF + i));
		stopped.count = 0;
		if (stopped.limit)
			stopped.limit = 2 * HALF;
	}
	percpu_start_array(&stopped);
}

/* On a busy machine the workers may not run at all during the looks that usually suffice. */
static bool has_seen_enough(unsigned int looks)
{
	return looks >= TEST_STEPS(LOOKS) &&
	       ((halves_seen && __atomic_load_n(&halves_taken, __ATOMIC_RELAXED)) ||
		looks >= LOOKS_MAX);
}

static void look(struct test_thread *thread)
{
	struct hands *mine = &hands[thread->index];

	for (unsigned int i = 0; !has_seen_enough(i); i++) {
		look_at((unsigned int)prng_below(&thread->prng, percpu_nr_slots()), mine,
			prng_one_in(&thread->prng, 8));
		percpu_generations_prepare(shared, HALF);
		for (unsigned int n = mine->nr > ITEMS / 4 ? mine->nr - ITEMS / 4 : 1; n; n--)
			give_one(mine);
		if (prng_one_in(&thread->prng, 16))
			pop_some(mine);
		if (prng_one_in(&thread->prng, 16))
			sched_yield();
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
}

static void work_or_look(struct test_thread *thread)
{
	if (thread->index < WORKERS)
		work(thread);
	else
		look(thread);
}

static unsigned int empty_slots(struct hands *mine)
{
	unsigned int before = mine->nr;

	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		const struct percpu_array *array = percpu_ptr(shared, slot);

		for (unsigned int i = 0; i < array->count; i++)
			hold(mine, array->items[i]);
		for (unsigned int i = 0; array->limit == HALF && i < HALF; i++)
			hold(mine, array->items[HALF + i]);
	}
	return mine->nr - before;
}

static void test_halves_stopped(struct kunit *test)
{
	static struct hands rest;
	unsigned int total = 0;

	if (!percpu_can_stop())
		kunit_skip(test, "this kernel or sandbox has no membarrier(2) for sequences");
	shared = new_array(test, HALF);
	forward(HALF, &stress_order);
	done = false;
	doubles = stops = halves_seen = halves_taken = rest.nr = 0;
	memset(hands, 0, sizeof(hands));
	for (unsigned int i = 0; i < ITEMS; i++) {
		items[i].held = 0;
		hold(&hands[i % WORKERS], &items[i]);
	}
	test_threads_run(test, WORKERS + 1, work_or_look, NULL);
	total = empty_slots(&rest);
	for (unsigned int i = 0; i <= WORKERS; i++)
		total += hands[i].nr;
	KUNIT_EXPECT_EQ(test, total, ITEMS);
	KUNIT_EXPECT_EQ(test, doubles, 0);
	KUNIT_EXPECT_GT(test, stops, 0);
	KUNIT_EXPECT_GT(test, halves_seen, 0);
	KUNIT_EXPECT_GT(test, halves_taken, 0);
	kunit_info(test, "%u stops, %u by halves, %u taken", stops, halves_seen, halves_taken);
	percpu_free(shared, array_bytes(HALF));
}

/* --- Stopped and started all the time, with nothing to take ----------------------------------- */

static unsigned int stopped_slot;	/* Sync: atomic relaxed; whoever takes is there */

static void take_or_stop(struct test_thread *thread)
{
	struct percpu_stopped_array stopped;
	void *out[HALF] = { NULL };

	test_pin(thread->index);
	if (thread->index)
		__atomic_store_n(&stopped_slot, (unsigned int)percpu_current_slot(),
				 __ATOMIC_RELAXED);
	while (thread->index && !__atomic_load_n(&done, __ATOMIC_RELAXED))
		if (percpu_take_older(shared, out, HALF, HALF, &stress_order))
			__atomic_fetch_add(&halves_taken, 1, __ATOMIC_RELAXED);
	if (thread->index)
		return;
	for (unsigned int i = 0; i < TEST_STEPS(300000); i++)
		if (!percpu_stop_array(shared, __atomic_load_n(&stopped_slot, __ATOMIC_RELAXED),
				       &stopped)) {
			stops++;
			percpu_start_array(&stopped);
		}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
}

/* A stopped count and the limit of the array that was started do not go together. */
static void test_halves_torn(struct kunit *test)
{
	if (!percpu_can_stop())
		kunit_skip(test, "this kernel or sandbox has no membarrier(2) for sequences");
	shared = new_array(test, HALF);
	forward(HALF, &stress_order);
	done = false;
	stops = halves_taken = stopped_slot = 0;
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		*percpu_head(percpu_ptr(shared, slot)) = percpu_make_head(3, HALF);
	test_threads_run(test, 2, take_or_stop, NULL);
	KUNIT_EXPECT_EQ(test, halves_taken, 0);
	KUNIT_EXPECT_GT(test, stops, 0);
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		KUNIT_EXPECT_EQ(test, *percpu_head(percpu_ptr(shared, slot)),
				percpu_make_head(3, HALF));
	kunit_info(test, "%u stops", stops);
	percpu_free(shared, array_bytes(HALF));
}

static int pin_case(struct kunit *test)
{
	(void)test;
	test_pin(0);
	return percpu_current_slot() < 0 ? -1 : 0;
}

static void unpin_case(struct kunit *test)
{
	(void)test;
	test_unpin();
}

static struct kunit_case pinned_cases[] = {
	KUNIT_CASE(test_halves_model),
	KUNIT_CASE(test_halves_wait),
	KUNIT_CASE(test_halves_unprepared),
	KUNIT_CASE(test_halves_aborted),
	{ 0 },
};

static struct kunit_suite pinned_suite = {
	.name = "percpu-generations",
	.suite_init = test_warm_up,
	.init = pin_case,
	.exit = unpin_case,
	.test_cases = pinned_cases,
};

static struct kunit_case stopped_cases[] = {
	KUNIT_CASE(test_halves_stopped),
	KUNIT_CASE(test_halves_torn),
	{ 0 },
};

static struct kunit_suite stopped_suite = {
	.name = "percpu-generations-stopped",
	.suite_init = test_warm_up,
	.test_cases = stopped_cases,
};

kunit_test_suites(&pinned_suite, &stopped_suite);
