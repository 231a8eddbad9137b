/* SPDX-License-Identifier: MIT */
/*
 * Barns in use by many threads while they shrink, age, give way and are forked: every
 * batch is always in one place.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "os/os.h"
#include "slab/cache.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

#define NR_BARNS 3
#define NR_THREADS 6
#define NR_BATCHES 4000UL
#define BATCH 31
#define HELD 200
#define STEPS TEST_STEPS(200000)
#define FORKS 20
/* An eighth of what the threads have. */
#define BUDGET (NR_BATCHES / 8 * BATCH * (100 + sizeof(void *)))

enum place { OUTSIDE, IN_BARN, IN_HAND };

static struct barn barns[NR_BARNS];
static uint32_t places[NR_BATCHES];	/* Sync: atomic */
static unsigned int nr_wrong;		/* Sync: atomic */
/* What the library's own caches have reserved for their sheaves: 0 with one node. */
static size_t reserved_before;
static uint64_t clock_ms;		/* Sync: atomic */
static bool stop;			/* Sync: atomic */

/* A batch goes from one place to the next; no other thread may have moved it. */
static void move(unsigned long batch, enum place from, enum place to)
{
	uint32_t found = from;

	if (batch >= NR_BATCHES ||
	    !__atomic_compare_exchange_n(&places[batch], &found, to, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		__atomic_fetch_add(&nr_wrong, 1, __ATOMIC_RELAXED);
}

static void fill(void **objects, unsigned long batch)
{
	for (unsigned int i = 0; i < BATCH; i++)
		objects[i] = (void *)(batch * 64 + i + 1);
}

static unsigned long batch_of(void *const *objects)
{
	unsigned long batch = (unsigned long)objects[0] / 64;

	for (unsigned int i = 0; i < BATCH; i++)
		if ((unsigned long)objects[i] != batch * 64 + i + 1)
			return NR_BATCHES;
	return batch;
}

static void take_back(struct barn *barn, void **objects, unsigned int n)
{
	(void)barn;
	(void)n;
	move(batch_of(objects), IN_BARN, OUTSIDE);
}

/* Some batch that is nowhere, for this thread. */
static bool find_batch(struct prng *prng, unsigned long *batch)
{
	for (unsigned int tries = 0; tries < 50; tries++) {
		uint32_t outside = OUTSIDE;

		*batch = prng_below(prng, NR_BATCHES);
		if (__atomic_compare_exchange_n(&places[*batch], &outside, IN_HAND, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

static void give_one(struct barn *barn, unsigned long batch)
{
	void *objects[BARN_BATCH_MAX];

	fill(objects, batch);
	move(batch, IN_HAND, IN_BARN);
	if (!barn_give(barn, objects, BATCH))
		move(batch, IN_BARN, OUTSIDE);
}

static bool take_one(struct barn *barn, unsigned long *batch)
{
	void *objects[BARN_BATCH_MAX] = { NULL };

	if (!barn_take(barn, objects))
		return false;
	*batch = batch_of(objects);
	move(*batch, IN_BARN, IN_HAND);
	return true;
}

static void rarely(struct prng *prng)
{
	switch (prng_below(prng, 3)) {
	case 0:
		barn_shrink(&barns[prng_below(prng, NR_BARNS)], prng_below(prng, 30));
		break;
	case 1:
		barn_budget_release(prng_below(prng, 2000));
		break;
	default:
		barn_budget_age(__atomic_add_fetch(&clock_ms, BARN_AGE_MS, __ATOMIC_RELAXED));
	}
}

static void use(struct test_thread *thread, unsigned int steps)
{
	unsigned long held[HELD];
	unsigned int nr = 0;

	for (unsigned int step = 0; step < steps; step++) {
		struct barn *barn = &barns[prng_below(&thread->prng, NR_BARNS)];
		bool giving = prng_below(&thread->prng, 8) < (step / 100 % 2 ? 7u : 1u);

		if (prng_one_in(&thread->prng, 500))
			rarely(&thread->prng);
		else if (giving && nr)
			give_one(barn, held[--nr]);
		else if (!giving && nr < HELD && take_one(barn, &held[nr]))
			nr++;
		else if (nr < HELD && find_batch(&thread->prng, &held[nr]))
			nr++;
	}
	while (nr)
		move(held[--nr], IN_HAND, OUTSIDE);
}

static void use_all(struct test_thread *thread)
{
	use(thread, STEPS);
}

static void use_until_stopped(struct test_thread *thread)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		use(thread, 1000);
}

static int begin(struct kunit *test)
{
	if (slab_init())
		return -1;
	memset(barns, 0, sizeof(barns));
	memset(places, 0, sizeof(places));
	nr_wrong = 0;
	stop = false;
	clock_ms = max(clock_ms, os_time_ms() + 3600000);
	for (unsigned int i = 0; i < 100 && barn_budget_reserved_bytes(); i++)
		barn_budget_age(clock_ms += BARN_AGE_MS);
	reserved_before = barn_budget_reserved_bytes();
	if (nr_online_nodes == 1)
		KUNIT_EXPECT_EQ(test, reserved_before, 0ul);
	/* For a part of what there is, so that barns have to give way. */
	barn_budget_set_budget(BUDGET, BUDGET);
	lock_acquire(&slab_caches_lock);
	for (unsigned int i = 0; i < NR_BARNS; i++)
		barn_init(&barns[i], BATCH, 100, take_back);
	lock_release(&slab_caches_lock);
	return 0;
}

static unsigned long count(enum place place)
{
	unsigned long nr = 0;

	for (unsigned long i = 0; i < NR_BATCHES; i++)
		nr += __atomic_load_n(&places[i], __ATOMIC_RELAXED) == place;
	return nr;
}

static unsigned long in_barns(void)
{
	unsigned long nr = 0;

	for (unsigned int i = 0; i < NR_BARNS; i++)
		nr += barn_objects(&barns[i]) / BATCH;
	return nr;
}

static void end(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_BARNS; i++) {
		barn_close(&barns[i]);
		lock_acquire(&slab_caches_lock);
		barn_destroy(&barns[i]);
		lock_release(&slab_caches_lock);
	}
	KUNIT_EXPECT_EQ(test, nr_wrong, 0u);
	KUNIT_EXPECT_EQ(test, count(OUTSIDE), NR_BATCHES);
	KUNIT_EXPECT_EQ(test, barn_budget_reserved_bytes(), reserved_before);
}

static void test_barn_threads(struct kunit *test)
{
	test_threads_run(test, NR_THREADS, use_all, NULL);
	KUNIT_EXPECT_EQ(test, nr_wrong, 0u);
	KUNIT_EXPECT_EQ(test, count(IN_HAND), 0ul);
	KUNIT_EXPECT_EQ(test, count(IN_BARN), in_barns());
	for (unsigned int i = 0; i < NR_BARNS; i++) {
		struct barn_counts counts;

		barn_read_counts(&barns[i], &counts);
		KUNIT_EXPECT_GT(test, counts.barn_get, 100ul);
		KUNIT_EXPECT_GT(test, counts.barn_get_fail, 100ul);
		KUNIT_EXPECT_GT(test, counts.barn_put, 100ul);
		KUNIT_EXPECT_GT(test, counts.barn_put_fail, 100ul);
	}
}

/*
 * In the child: all batches are there, except one that each thread may have been moving. Returns 0,
 * or the number of the line whose check failed.
 */
static int look_in_child(void)
{
	unsigned long nr = in_barns(), wrong = count(IN_BARN);
	void *objects[BARN_BATCH_MAX];

	if (nr > wrong + NR_THREADS || wrong > nr + NR_THREADS)
		return 1;
	for (unsigned int i = 0; i < NR_BARNS; i++) {
		while (barn_take(&barns[i], objects))
			if (batch_of(objects) == NR_BATCHES)
				return 2;
		barn_budget_age(__atomic_load_n(&clock_ms, __ATOMIC_RELAXED) + 10 * BARN_AGE_MS);
		fill(objects, 0);
		barn_give(&barns[i], objects, BATCH);
		barn_shrink(&barns[i], 0);
		if (barn_objects(&barns[i]))
			return 3;
	}
	return barn_budget_reserved_bytes() - reserved_before > NR_THREADS * barns[0].cost ? 4 : 0;
}

static void fork_often(struct kunit *test)
{
	for (unsigned int i = 0; i < FORKS; i++) {
		pid_t child = fork();
		int status;

		KUNIT_ASSERT_GE(test, child, 0);
		if (!child) {
			child_alarm();
			_exit(look_in_child());
		}
		waitpid(child, &status, 0);
		KUNIT_EXPECT_EQ(test, status, 0);
		usleep(2000);
	}
}

static void use_or_fork(struct test_thread *thread)
{
	if (thread->index) {
		use_until_stopped(thread);
		return;
	}
	fork_often(thread->test);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
}

static void test_barn_fork(struct kunit *test)
{
	test_threads_run(test, NR_THREADS, use_or_fork, NULL);
	KUNIT_EXPECT_EQ(test, count(IN_BARN), in_barns());
}

/* --- A batch that is long on its way --------------------------------------------------- */

#define PATIENCE_MS 20000

static bool on_the_way, others_are_through;	/* Sync: atomic */
static bool waited_in_vain;

static void take_back_slowly(struct barn *barn, void **objects, unsigned int n)
{
	take_back(barn, objects, n);
	__atomic_store_n(&on_the_way, true, __ATOMIC_RELEASE);
	for (unsigned int ms = 0; !__atomic_load_n(&others_are_through, __ATOMIC_ACQUIRE); ms++) {
		if (ms == PATIENCE_MS) {
			waited_in_vain = true;
			return;
		}
		usleep(1000);
	}
}

/* A thread that allocates or frees does not wait for one that gives batches back. */
static void release_or_go_on(struct test_thread *thread)
{
	struct barn *barn = thread->arg;
	unsigned long batch = 1;

	if (!thread->index) {
		barn_budget_release(1);
		return;
	}
	while (!__atomic_load_n(&on_the_way, __ATOMIC_ACQUIRE))
		usleep(100);
	move(batch, OUTSIDE, IN_HAND);
	give_one(barn, batch);
	KUNIT_EXPECT_FALSE(thread->test, take_one(barn, &batch));
	barn_budget_make_way(1);
	barn_budget_age(clock_ms + 2 * BARN_AGE_MS);
	__atomic_store_n(&others_are_through, true, __ATOMIC_RELEASE);
}

static void test_barn_nobody_waits(struct kunit *test)
{
	void (*before)(struct barn *, void **, unsigned int) = barns[0].give_back;
	unsigned long batch = 0;

	barns[0].give_back = take_back_slowly;
	move(batch, OUTSIDE, IN_HAND);
	give_one(&barns[0], batch);
	KUNIT_EXPECT_FALSE(test, take_one(&barns[0], &batch));
	move(0, OUTSIDE, IN_HAND);
	give_one(&barns[0], 0);
	KUNIT_ASSERT_EQ(test, barn_objects(&barns[0]), BATCH + 0ul);
	/* No budget and no firm part: for every batch another barn has to give way. */
	barn_budget_set_budget(1, 1);
	test_threads_run(test, 2, release_or_go_on, &barns[1]);
	KUNIT_EXPECT_FALSE(test, waited_in_vain);
	barns[0].give_back = before;
}

static struct kunit_case barn_threads_cases[] = {
	KUNIT_CASE(test_barn_nobody_waits),
	KUNIT_CASE_SLOW(test_barn_threads),
	KUNIT_CASE_SLOW(test_barn_fork),
	{ 0 },
};

static struct kunit_suite barn_threads_suite = {
	.name = "slab_barn_threads",
	.init = begin,
	.exit = end,
	.test_cases = barn_threads_cases,
};

kunit_test_suite(barn_threads_suite);
