/* SPDX-License-Identifier: MIT */
/*
 * Many threads on the same per-CPU array or list: nothing is lost and nothing
 * is handed out twice. Every item has a word that says whether somebody holds
 * it; at the end the slots are emptied by hand and everything is counted.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "percpu/percpu.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"

#define NR_ITEMS 4096
#define HANDS_MAX 64
#define ARRAY_LIMIT 40
#define STEPS TEST_STEPS(600000)
#define ARRAY_BYTES (sizeof(struct percpu_array) + ARRAY_LIMIT * sizeof(void *))

struct item {
	unsigned long link;	/* the list's */
	unsigned int held;	/* Sync: atomic relaxed; 1 while in somebody's hands */
};

struct hands {
	unsigned int nr;
	unsigned int nr_pops;	/* that got something */
	struct item *items[HANDS_MAX];
};

/* What all threads of one case share. */
struct arena {
	struct kunit *test;
	struct percpu_array *array;	/* one of these two */
	struct percpu_list *list;
	bool migrate, storm, fork;
	struct item items[NR_ITEMS];
	struct hands left[TEST_THREADS_MAX][2];	/* of each thread and its handler */
};

static struct arena arena;

/* Counts instead of checking: it also runs in a signal handler. */
static unsigned int nr_doubles;

static void take(struct hands *hands, struct item *item)
{
	if (__atomic_exchange_n(&item->held, 1, __ATOMIC_RELAXED))
		__atomic_fetch_add(&nr_doubles, 1, __ATOMIC_RELAXED);
	hands->items[hands->nr++] = item;
}

static struct item *give(struct hands *hands)
{
	struct item *item = hands->items[--hands->nr];

	if (!__atomic_exchange_n(&item->held, 0, __ATOMIC_RELAXED))
		__atomic_fetch_add(&nr_doubles, 1, __ATOMIC_RELAXED);
	return item;
}

static void push_one(struct hands *hands)
{
	struct item *item;

	if (!hands->nr)
		return;
	item = give(hands);
	if (arena.array ? !percpu_push(arena.array, item) : !percpu_list_push(arena.list, item))
		take(hands, item);
}

static void pop_one(struct hands *hands)
{
	struct item *item;

	if (hands->nr == HANDS_MAX)
		return;
	item = arena.array ? percpu_pop(arena.array) : percpu_list_pop(arena.list);
	if (!item)
		return;
	take(hands, item);
	hands->nr_pops++;
}

static void push_some(struct hands *hands, unsigned int n)
{
	void *items[HANDS_MAX] = { NULL };
	unsigned int done;

	if (n > hands->nr)
		n = hands->nr;
	for (unsigned int i = 0; i < n; i++)
		items[i] = give(hands);
	done = percpu_push_n(arena.array, items, n);
	for (unsigned int i = done; i < n; i++)
		take(hands, items[i]);
}

static void pop_some(struct hands *hands, unsigned int n)
{
	void *items[HANDS_MAX] = { NULL };
	unsigned int done;

	if (n > HANDS_MAX - hands->nr)
		n = HANDS_MAX - hands->nr;
	done = percpu_pop_n(arena.array, items, n);
	for (unsigned int i = 0; i < done; i++)
		take(hands, items[i]);
}

static void handler(void *context)
{
	struct hands *hands = context;

	push_one(hands);
	pop_one(hands);
	if (!arena.array)
		return;
	push_some(hands, 3);
	pop_some(hands, 4);
}

/* The process is copied while others are inside; the copy ends at once. */
static void fork_once(struct kunit *test)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, &status, 0);
	KUNIT_EXPECT_EQ(test, status, 0);
}

static void work(struct test_thread *thread)
{
	struct hands *hands = &arena.left[thread->index][0];
	struct hands *handlers = &arena.left[thread->index][1];
	bool storm = arena.storm && thread->index % 2 == 0;

	percpu_current_slot();	/* operations alone would not register the thread */
	if (storm)
		test_storm_start(thread->test, 100, handler, handlers);
	for (unsigned int step = 0; step < STEPS; step++) {
		if (arena.array && step % 64 == 0)
			percpu_array_prepare(arena.array, ARRAY_LIMIT);
		if (arena.migrate && thread->index % 3 == 0 && step % 50 == 0)
			test_pin(prng_below(&thread->prng, test_nr_cpus()));
		if (arena.fork && thread->index == 1 && step % 10000 == 0)
			fork_once(thread->test);
		switch (prng_below(&thread->prng, arena.array ? 4 : 2)) {
		case 0:
			push_one(hands);
			break;
		case 1:
			pop_one(hands);
			break;
		case 2:
			push_some(hands, prng_below(&thread->prng, 20));
			break;
		default:
			pop_some(hands, prng_below(&thread->prng, 20));
		}
	}
	if (storm)
		KUNIT_EXPECT_GT(thread->test, test_storm_stop(), 0);
}

static unsigned int nr_seen[NR_ITEMS];

static void see(struct item *item)
{
	size_t number = (size_t)(item - arena.items);

	KUNIT_ASSERT_LT_MSG(arena.test, number, NR_ITEMS, "not an item: %p", (void *)item);
	nr_seen[number]++;
}

/* The threads are gone: the slots hold still. */
static unsigned int empty_slots(void)
{
	unsigned int nr = 0;

	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		struct percpu_array *array = arena.array;
		struct percpu_list *list = arena.list;

		if (array) {
			array = percpu_ptr(array, slot);
			KUNIT_EXPECT_LE(arena.test, array->count, array->limit);
			for (unsigned int i = 0; i < array->count; i++, nr++)
				see(array->items[i]);
			continue;
		}
		list = percpu_ptr(list, slot);
		while (list->head) {
			struct item *item = percpu_list_top(list->head);

			KUNIT_ASSERT_EQ(arena.test, percpu_list_nr(item->link) + 1,
					percpu_list_nr(list->head));
			see(item);
			nr++;
			list->head = item->link;
		}
	}
	return nr;
}

static void run(struct kunit *test, bool array)
{
	unsigned int nr_threads = 4 * test_nr_cpus() < 16 ? 4 * test_nr_cpus() : 16;
	unsigned int next = 0, in_slots, in_hands = 0;
	unsigned long nr_pops = 0;

	arena.test = test;
	arena.array = array ? percpu_alloc(ARRAY_BYTES, 64) : NULL;
	arena.list = array ? NULL : percpu_alloc(sizeof(*arena.list), 64);
	KUNIT_ASSERT_TRUE(test, arena.array || arena.list);
	memset(arena.items, 0, sizeof(arena.items));
	memset(arena.left, 0, sizeof(arena.left));
	memset(nr_seen, 0, sizeof(nr_seen));
	nr_doubles = 0;
	for (unsigned int i = 0; i < nr_threads; i++)
		for (unsigned int hand = 0; hand < 2; hand++)
			while (arena.left[i][hand].nr < HANDS_MAX / 2)
				take(&arena.left[i][hand], &arena.items[next++]);
	test_threads_run(test, nr_threads, work, NULL);
	KUNIT_EXPECT_EQ_MSG(test, nr_doubles, 0, "items in two hands at a time");
	in_slots = empty_slots();
	for (unsigned int i = 0; i < nr_threads; i++)
		nr_pops += arena.left[i][0].nr_pops;
	/* Of one thread no such thing can be said: locked slots may all fail it. */
	KUNIT_EXPECT_GT(test, nr_pops, STEPS / 10);
	for (unsigned int i = 0; i < nr_threads; i++)
		for (unsigned int hand = 0; hand < 2; hand++)
			for (unsigned int k = 0; k < arena.left[i][hand].nr; k++, in_hands++)
				see(arena.left[i][hand].items[k]);
	kunit_info(test, "%u threads, %u items in slots, %u in hands", nr_threads, in_slots,
		   in_hands);
	for (unsigned int i = 0; i < next; i++)
		KUNIT_ASSERT_EQ_MSG(test, nr_seen[i], 1, "item %u of %u", i, next);
	KUNIT_EXPECT_EQ(test, in_slots + in_hands, next);
	if (array)
		percpu_free(arena.array, ARRAY_BYTES);
	else
		percpu_free(arena.list, sizeof(*arena.list));
}

struct stress {
	const char *name;
	bool array, migrate, storm, fork;
};

static struct stress stresses[] = {
	{ "array", .array = true },
	{ "array, migrating", .array = true, .migrate = true },
	{ "array, signals", .array = true, .storm = true },
	{ "array, migrating, signals", .array = true, .migrate = true, .storm = true },
	{ "array, forking", .array = true, .fork = true },
	{ "list", .array = false },
	{ "list, migrating", .migrate = true },
	{ "list, signals", .storm = true },
	{ "list, migrating, signals", .migrate = true, .storm = true },
	{ "list, forking", .fork = true },
};

static void describe_stress(struct stress *stress, char *desc)
{
	strcpy(desc, stress->name);
}

KUNIT_ARRAY_PARAM(stress, stresses, describe_stress);

static void test_stress_nothing_lost_or_doubled(struct kunit *test)
{
	const struct stress *stress = test->param_value;

	arena.migrate = stress->migrate;
	arena.storm = stress->storm;
	arena.fork = stress->fork;
	run(test, stress->array);
}

static struct kunit_case stress_cases[] = {
	KUNIT_CASE_PARAM(test_stress_nothing_lost_or_doubled, stress_gen_params),
	{ 0 },
};

static struct kunit_suite stress_suite = {
	.name = "percpu_stress",
	.suite_init = test_warm_up,
	.test_cases = stress_cases,
};

kunit_test_suite(stress_suite);
