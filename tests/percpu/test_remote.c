/* SPDX-License-Identifier: MIT */
/*
 * Slots are stopped, looked at, changed and started again while many threads
 * work on them: nothing is lost, nothing is handed out twice, and no thread uses the items of a
 * stopped slot.
 *
 * The difficult case is an owner whose sequence has read the head, and commits after the head was
 * stopped. So owners' sequences have delays inside, and the stopper goes on until it has often
 * stopped a slot while an owner was running.
 */
#include <errno.h>
#include <sched.h>
#include <time.h>

#include "percpu/percpu.h"
#include "percpu/remote.h"
#include "selftest/primitives.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"

#define NR_ITEMS 512
#define LIMIT 40
#define WORKERS 6
#define MET TEST_STEPS(4000)	/* stops while owners ran */
#define MSEC 2000		/* no longer, where they hardly run: with one CPU, say */
#define FEW 1000		/* looks all the same, where this thread had no CPU meanwhile */
#define PAUSE 64		/* the longest pause between stops: without it owners would always
				 * find the head stopped */
#define ARRAY_BYTES (sizeof(struct percpu_array) + LIMIT * sizeof(void *))

struct item {
	unsigned long link;	/* the list's */
	unsigned int held;	/* Sync: atomic relaxed; 1 while in somebody's hands */
	unsigned int uses;	/* Sync: whose hands it is in, which ThreadSanitizer checks */
};

static struct item items[NR_ITEMS];
static struct percpu_array *array;
static struct percpu_list *list;
static unsigned int doubles, stops, refusals, stopped_items, met;
static unsigned int operations;	/* Sync: atomic relaxed; of all workers */
static bool done;

static void take(struct item *item)
{
	if (__atomic_exchange_n(&item->held, 1, __ATOMIC_RELAXED))
		__atomic_fetch_add(&doubles, 1, __ATOMIC_RELAXED);
	item->uses++;
}

static void give(struct item *item)
{
	if (!__atomic_exchange_n(&item->held, 0, __ATOMIC_RELAXED))
		__atomic_fetch_add(&doubles, 1, __ATOMIC_RELAXED);
}

static bool dawdle(struct prng *prng)
{
	return percpu_mode() != PERCPU_LOCKED && !prng_one_in(prng, 4);
}

static struct item *pop(struct prng *prng)
{
	void *item = NULL;
	struct primitive_call call = { .array = array, .list = list, .items = &item, .n = 1 };

	if (!dawdle(prng))
		return array ? percpu_pop(array) : percpu_list_pop(list);
	primitive_retry(array ? primitive_delayed_pop : primitive_delayed_list_pop, &call);
	return call.done ? item : NULL;
}

static bool push(struct prng *prng, struct item *item)
{
	void *pushed = item;
	struct primitive_call call = { .array = array, .list = list, .items = &pushed, .n = 1 };

	if (!dawdle(prng))
		return array ? percpu_push(array, item) : percpu_list_push(list, item);
	primitive_retry(array ? primitive_delayed_push : primitive_delayed_list_push, &call);
	return call.done;
}

/* Each worker starts with its share and ends with whatever it then holds. */
static struct item *left[WORKERS][NR_ITEMS];
static unsigned int nr_left[WORKERS];

static void work(struct test_thread *thread)
{
	struct item **mine = left[thread->index];
	unsigned int nr = 0, share = NR_ITEMS / WORKERS;

	percpu_current_slot();	/* operations alone would not register the thread */
	for (unsigned int i = 0; i < share; i++)
		mine[nr++] = &items[thread->index * share + i];
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		if (array)
			percpu_array_prepare(array, LIMIT);
		for (unsigned int i = 0; i < 64; i++) {
			struct item *item;

			if (nr && prng_one_in(&thread->prng, 2)) {
				item = mine[--nr];
				give(item);
				if (!push(&thread->prng, item)) {
					take(item);
					mine[nr++] = item;
				}
			} else if ((item = pop(&thread->prng))) {
				take(item);
				mine[nr++] = item;
			}
			__atomic_fetch_add(&operations, 1, __ATOMIC_RELAXED);
		}
		if (prng_one_in(&thread->prng, 256))
			sched_yield();
	}
	nr_left[thread->index] = nr;
}

/* While the slot is stopped, no other thread uses its items: reverse their order. */
static void look_at_array(unsigned int slot)
{
	struct percpu_stopped_array stopped;
	int error = percpu_stop_array(array, slot, &stopped);

	if (error) {
		refusals += error == -EAGAIN;
		return;
	}
	for (uint32_t i = 0; i < stopped.count; i++) {
		struct item *item = percpu_stopped_item(&stopped, i);

		take(item);
		give(item);
	}
	for (uint32_t i = 0; i < stopped.count / 2; i++) {
		uint32_t j = stopped.count - 1 - i;
		void *swap = percpu_stopped_item(&stopped, i);

		percpu_set_stopped_item(&stopped, i, percpu_stopped_item(&stopped, j));
		percpu_set_stopped_item(&stopped, j, swap);
	}
	stopped_items += stopped.count;
	stops++;
	percpu_start_array(&stopped);
}

static void look_at_list(unsigned int slot)
{
	struct percpu_stopped_list stopped;
	int error = percpu_stop_list(list, slot, &stopped);

	if (error) {
		refusals += error == -EAGAIN;
		return;
	}
	for (unsigned long head = stopped.head; percpu_list_top(head);
	     head = *(unsigned long *)percpu_list_top(head)) {
		take(percpu_list_top(head));
		give(percpu_list_top(head));
		stopped_items++;
	}
	stops++;
	percpu_start_list(&stopped);
}

static void pause_a_little(struct prng *prng)
{
	for (unsigned int n = prng_below(prng, PAUSE); n; n--)
		cpu_relax();
}

static unsigned long msec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_sec * 1000 + (unsigned long)now.tv_nsec / 1000000;
}

/*
 * This thread is on a CPU nearly all the time between one look and the next, so if
 * operations went on meanwhile their worker was on another one.
 */
static void look(struct test_thread *thread)
{
	unsigned long end = msec() + MSEC;
	unsigned int before = 0, now;

	for (unsigned int looks = 0; met < MET && (looks < FEW || msec() < end); looks++) {
		unsigned int slot = (unsigned int)prng_below(&thread->prng, percpu_nr_slots());

		if (array)
			look_at_array(slot);
		else
			look_at_list(slot);
		pause_a_little(&thread->prng);
		now = __atomic_load_n(&operations, __ATOMIC_RELAXED);
		met += now != before;
		before = now;
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

static unsigned int empty_slots(void)
{
	unsigned int n = 0;

	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		if (array) {
			struct percpu_array *a = percpu_ptr(array, slot);

			for (; a->count; a->count--, n++)
				take(a->items[a->count - 1]);
		} else {
			struct percpu_list *l = percpu_ptr(list, slot);

			for (; percpu_list_top(l->head); n++) {
				struct item *item = percpu_list_top(l->head);

				l->head = item->link;
				take(item);
			}
		}
	}
	return n;
}

static void run(struct kunit *test)
{
	unsigned int total = 0;

	if (!percpu_can_stop())
		kunit_skip(test, "this kernel or sandbox has no membarrier(2) for sequences");
	done = false;
	doubles = stops = refusals = stopped_items = met = 0;
	for (unsigned int i = 0; i < NR_ITEMS; i++)
		items[i] = (struct item){ .held = 1 };
	test_threads_run(test, WORKERS + 1, work_or_look, NULL);
	total = empty_slots();
	for (unsigned int i = 0; i < WORKERS; i++)
		total += nr_left[i];
	KUNIT_EXPECT_EQ(test, total, NR_ITEMS / WORKERS * WORKERS);
	KUNIT_EXPECT_EQ(test, doubles, 0);
	KUNIT_EXPECT_GT(test, stops, refusals);
	KUNIT_EXPECT_GT(test, stopped_items, 0);
	kunit_info(test, "%u stops, %u while owners ran, %u items seen, %u refusals", stops, met,
		   stopped_items, refusals);
}

static void test_remote_array(struct kunit *test)
{
	list = NULL;
	array = percpu_alloc(ARRAY_BYTES, 64);
	KUNIT_ASSERT_NOT_NULL(test, array);
	run(test);
	percpu_free(array, ARRAY_BYTES);
}

static void test_remote_list(struct kunit *test)
{
	array = NULL;
	list = percpu_alloc(sizeof(*list), 64);
	KUNIT_ASSERT_NOT_NULL(test, list);
	run(test);
	percpu_free(list, sizeof(*list));
}

/* While an array is stopped its owner finds it empty and full, and no more. */
static void test_remote_stopped_is_empty_and_full(struct kunit *test)
{
	struct percpu_stopped_array stopped;
	void *item = &items[0], *out[4] = { NULL };
	int slot;

	if (!percpu_can_stop())
		kunit_skip(test, "slots cannot be stopped");
	test_pin(0);
	array = percpu_alloc(ARRAY_BYTES, 64);
	percpu_array_prepare(array, LIMIT);
	KUNIT_ASSERT_TRUE(test, percpu_push(array, item));
	slot = percpu_current_slot();
	KUNIT_ASSERT_EQ(test, percpu_stop_array(array, (unsigned int)slot, &stopped), 0);
	KUNIT_EXPECT_EQ(test, stopped.count, 1);
	KUNIT_EXPECT_EQ(test, stopped.limit, LIMIT);
	for (int i = 0; i < 3; i++) {
		KUNIT_EXPECT_NULL(test, percpu_pop(array));
		KUNIT_EXPECT_FALSE(test, percpu_push(array, item));
		KUNIT_EXPECT_EQ(test, percpu_pop_n(array, out, 4), 0);
		KUNIT_EXPECT_EQ(test, percpu_push_n(array, out, 4), 0);
		percpu_array_touch(array);
		if (percpu_mode() != PERCPU_LOCKED)
			percpu_array_prepare(array, LIMIT);
	}
	percpu_start_array(&stopped);
	KUNIT_EXPECT_PTR_EQ(test, percpu_pop(array), item);
	KUNIT_EXPECT_NULL(test, percpu_pop(array));
	percpu_free(array, ARRAY_BYTES);
	test_unpin();
}

/* Several arrays of one slot at once; one of them loses its limit on the way. */
static void test_remote_group(struct kunit *test)
{
	enum { NR = 5, SHUT = 2, BUSY = 3 };
	struct percpu_stopped_array group[NR], busy;
	struct percpu_array *arrays[NR];
	unsigned int slot;

	if (!percpu_can_stop())
		kunit_skip(test, "slots cannot be stopped");
	test_pin(0);
	slot = (unsigned int)percpu_current_slot();
	for (unsigned int i = 0; i < NR; i++) {
		arrays[i] = percpu_alloc(ARRAY_BYTES, 64);
		percpu_array_prepare(arrays[i], LIMIT);
		for (unsigned int k = 0; k <= i; k++)
			KUNIT_ASSERT_TRUE(test, percpu_push(arrays[i], &items[i * NR + k]));
	}
	if (percpu_mode() != PERCPU_LOCKED)
		KUNIT_ASSERT_EQ(test, percpu_stop_array(arrays[BUSY], slot, &busy), 0);
	percpu_stop_arrays(arrays, NR, slot, group);
	for (unsigned int i = 0; i < NR; i++) {
		bool stopped = percpu_stopped(&group[i]);

		if (i == BUSY && percpu_mode() != PERCPU_LOCKED) {
			KUNIT_EXPECT_FALSE(test, stopped);
			KUNIT_EXPECT_EQ(test, group[i].error, -EBUSY);
			continue;
		}
		KUNIT_ASSERT_TRUE(test, stopped);
		KUNIT_EXPECT_EQ(test, group[i].count, i + 1);
		KUNIT_EXPECT_EQ(test, group[i].limit, LIMIT);
		KUNIT_EXPECT_PTR_EQ(test, percpu_stopped_item(&group[i], i), &items[i * NR + i]);
		KUNIT_EXPECT_NULL(test, percpu_pop(arrays[i]));
		if (i == SHUT)
			group[i].limit = 0;
		percpu_start_array(&group[i]);
	}
	if (percpu_mode() != PERCPU_LOCKED)
		percpu_start_array(&busy);
	for (unsigned int i = 0; i < NR; i++) {
		KUNIT_EXPECT_EQ(test, percpu_push(arrays[i], &items[0]), i != SHUT);
		KUNIT_EXPECT_PTR_EQ(test, percpu_pop(arrays[i]),
				    i == SHUT ? &items[i * NR + i] : &items[0]);
		percpu_free(arrays[i], ARRAY_BYTES);
	}
	test_unpin();
}

static struct kunit_case remote_cases[] = {
	KUNIT_CASE(test_remote_group),
	KUNIT_CASE(test_remote_array),
	KUNIT_CASE(test_remote_list),
	KUNIT_CASE(test_remote_stopped_is_empty_and_full),
	{}
};

static struct kunit_suite remote_suite = {
	.name = "percpu_remote",
	.suite_init = test_warm_up,
	.test_cases = remote_cases,
};
kunit_test_suite(remote_suite);
