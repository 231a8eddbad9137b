/* SPDX-License-Identifier: MIT */
/*
 * Many threads take items from tagged lists and give them back, on whatever CPU: a
 * small slab layer, whose blocks are attached, used up, refilled with what was freed
 * elsewhere, and detached. Threads move, signals come, and a stopper takes slots away
 * in the middle of it. Every item has one owner all the time, every block one slot.
 *
 * The sequences have delays inside, so that interruptions hit them often.
 */
#if defined(__x86_64__)
#define RSEQ_INJECT(point) ".rept 12\n\tpause\n\t.endr\n\t"
#elif defined(__aarch64__)
#define RSEQ_INJECT(point) ".rept 12\n\tb . + 4\n\t.endr\n\t"
#elif defined(__riscv)
#define RSEQ_INJECT(point) ".rept 12\n\tj . + 4\n\t.endr\n\t"
#endif

#include <errno.h>
#include <sched.h>

#include "percpu/remote.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"

#define NR_BLOCKS 24
#define NR_ITEMS 16
#define WORKERS 6
#define HANDS_MAX 40
#define STEPS TEST_STEPS(200000)
#define MET TEST_STEPS(400)	/* by the stopper: items, within PATIENCE times the steps */
#define PATIENCE 20
#define STOPPED_SLOTS 4		/* threads are mostly on the first ones */
#define LINK offsetof(struct item, link)
#define BLOCK_BYTES (NR_ITEMS * sizeof(struct item))

struct item {
	unsigned int held;	/* Sync: atomic relaxed; 1 while in somebody's hands */
	unsigned int uses;	/* Sync: whose hands it is in, which ThreadSanitizer checks */
	unsigned long other[6];
	unsigned long link;
};

static struct item blocks[NR_BLOCKS][NR_ITEMS] __aligned(BLOCK_BYTES);

/* Of each block. Sync: atomic. */
static unsigned int freed[NR_BLOCKS];		/* items that are on no list, one bit each */
static unsigned int attached[NR_BLOCKS];	/* to some slot */

struct hands {
	unsigned int nr;
	struct item *items[HANDS_MAX];
};

static struct hands hands[WORKERS][2];		/* each worker's and its handler's */
static struct percpu_tagged_list *list;
static bool migrate, storm, stopper;
/* Sync: atomic relaxed. */
static unsigned int doubles, pops, pushes, refills, attachments, detachments, still_working;
static unsigned int stopped_items;
static unsigned int stops, refusals;	/* Sync: the stopper's */

static void count(unsigned int *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void take(struct item *item)
{
	if (__atomic_exchange_n(&item->held, 1, __ATOMIC_RELAXED))
		count(&doubles);
	item->uses++;
}

static void give(struct item *item)
{
	item->uses++;
	if (!__atomic_exchange_n(&item->held, 0, __ATOMIC_RELAXED))
		count(&doubles);
}

/* --- Blocks --------------------------------------------------------------------------------- */

static unsigned int block_of(unsigned long address)
{
	return (unsigned int)((address - (unsigned long)blocks) / BLOCK_BYTES);
}

static void put_freed(unsigned int block, unsigned int bits)
{
	__atomic_fetch_or(&freed[block], bits, __ATOMIC_ACQ_REL);
}

static void put_item(struct item *item)
{
	unsigned int block = block_of((unsigned long)item);

	put_freed(block, 1U << (item - blocks[block]));
}

/* A list of the block's freed items, perhaps of none; they are the caller's. */
static unsigned long take_freed(unsigned int block, unsigned int *bits)
{
	unsigned long head = percpu_tagged_token(blocks[block]);

	*bits = __atomic_exchange_n(&freed[block], 0, __ATOMIC_ACQ_REL);
	for (unsigned int i = 0; i < NR_ITEMS; i++)
		if (*bits >> i & 1) {
			blocks[block][i].link = head;
			head = (unsigned long)&blocks[block][i];
		}
	return head;
}

static bool claim(unsigned int block)
{
	return !__atomic_exchange_n(&attached[block], 1, __ATOMIC_ACQUIRE);
}

static void unclaim(unsigned int block)
{
	if (!__atomic_exchange_n(&attached[block], 0, __ATOMIC_RELEASE))
		count(&doubles);
}

/* The list behind a head that has been taken off its slot. */
static void take_apart(unsigned long head)
{
	unsigned int block = block_of(head);
	struct item *item;

	while ((item = percpu_tagged_first(head))) {
		head = item->link;
		put_item(item);
	}
	unclaim(block);
	count(&detachments);
}

static void refill(unsigned long token)
{
	unsigned int block = block_of(token), bits;
	unsigned long head = take_freed(block, &bits);

	if (!bits) {
		if (percpu_tagged_cas(list, token, 0))
			take_apart(token);
	} else if (percpu_tagged_cas(list, token, head)) {
		count(&refills);
	} else {
		put_freed(block, bits);
	}
}

static void attach(struct prng *prng)
{
	unsigned int block = prng_below(prng, NR_BLOCKS), bits;
	unsigned long head;

	if (!claim(block))
		return;
	head = take_freed(block, &bits);
	if (percpu_tagged_cas(list, 0, head)) {
		count(&attachments);
		return;
	}
	put_freed(block, bits);
	unclaim(block);
}

static void slow_half(struct prng *prng)
{
	unsigned long head;

	if (!percpu_tagged_read(list, &head) || head == PERCPU_TAGGED_STOPPED ||
	    percpu_tagged_first(head))
		return;
	if (head)
		refill(head);
	else
		attach(prng);
}

static void detach(void)
{
	unsigned long head;

	if (percpu_tagged_read(list, &head) && head && head != PERCPU_TAGGED_STOPPED &&
	    percpu_tagged_cas(list, head, 0))
		take_apart(head);
}

/* --- Threads -------------------------------------------------------------------------------- */

static void pop_one(struct hands *mine)
{
	struct item *item;

	if (mine->nr == HANDS_MAX)
		return;
	item = percpu_tagged_pop(list, LINK);
	if (!item)
		return;
	take(item);
	mine->items[mine->nr++] = item;
	count(&pops);
}

/* Elsewhere: as if the thread were on a CPU with another block. */
static void free_one(struct hands *mine, unsigned int which, bool elsewhere)
{
	struct item *item;

	if (!mine->nr)
		return;
	item = mine->items[which];
	mine->items[which] = mine->items[--mine->nr];
	give(item);
	if (!elsewhere && percpu_tagged_push(list, item, LINK, BLOCK_BYTES - 1))
		count(&pushes);
	else
		put_item(item);
}

static void handler(void *context)
{
	struct hands *mine = context;

	pop_one(mine);
	pop_one(mine);
	free_one(mine, 0, false);
	if (mine->nr > 4)
		free_one(mine, mine->nr - 1, true);
}

/* Without sequences a slot is what threads on different CPUs can be bound to. */
static void move(struct prng *prng)
{
	if (percpu_mode() == PERCPU_LOCKED)
		percpu_bind_slot(prng_below(prng, 2));
	else
		test_pin(prng_below(prng, test_nr_cpus()));
}

static bool goes_on(unsigned int step)
{
	return step < STEPS || (stopper && step < PATIENCE * STEPS &&
				__atomic_load_n(&stopped_items, __ATOMIC_RELAXED) < MET);
}

static void work(struct test_thread *thread)
{
	struct hands *mine = &hands[thread->index][0];
	bool signals = storm && thread->index % 2 == 0;

	percpu_current_slot();	/* operations alone would not register the thread */
	percpu_bind_slot(thread->index % 2);
	if (signals)
		test_storm_start(thread->test, 100, handler, &hands[thread->index][1]);
	for (unsigned int i = 0; goes_on(i); i++) {
		unsigned int dice = prng_below(&thread->prng, 200);

		if (migrate && thread->index % 3 == 0 && i % 50 == 0)
			move(&thread->prng);
		if (!dice)
			detach();
		else if (dice < 20)
			slow_half(&thread->prng);
		else if (dice < 110)
			pop_one(mine);
		else if (mine->nr)
			free_one(mine, prng_below(&thread->prng, mine->nr), dice < 130);
	}
	if (signals)
		KUNIT_EXPECT_GT(thread->test, test_storm_stop(), 0);
	__atomic_fetch_sub(&still_working, 1, __ATOMIC_RELAXED);
}

/*
 * While the slot is stopped, no other thread uses its items; then it is started with more items, or
 * with none.
 */
static void look(struct prng *prng, unsigned int slot)
{
	struct percpu_stopped_tagged stopped;
	int error = percpu_stop_tagged(list, slot, &stopped);

	if (error) {
		refusals++;
		return;
	}
	for (unsigned long head = stopped.head; percpu_tagged_first(head);) {
		struct item *item = percpu_tagged_first(head);

		count(&stopped_items);
		take(item);
		give(item);
		head = item->link;
	}
	stops++;
	if (stopped.head && prng_one_in(prng, 3)) {
		take_apart(stopped.head);
		stopped.head = 0;
	} else if (stopped.head && !percpu_tagged_first(stopped.head)) {
		unsigned int bits;

		stopped.head = take_freed(block_of(stopped.head), &bits);
	}
	percpu_start_tagged(&stopped);
}

static void work_or_stop(struct test_thread *thread)
{
	if (thread->index < WORKERS) {
		work(thread);
		return;
	}
	while (__atomic_load_n(&still_working, __ATOMIC_RELAXED)) {
		look(&thread->prng, prng_below(&thread->prng, min(percpu_nr_slots(),
								  (unsigned int)STOPPED_SLOTS)));
		for (unsigned int i = prng_below(&thread->prng, 64); i; i--)
			cpu_relax();
		if (prng_one_in(&thread->prng, 16))
			sched_yield();
	}
}

/* --- The end -------------------------------------------------------------------------------- */

static unsigned int nr_seen[NR_BLOCKS][NR_ITEMS];

static void see(const struct item *item)
{
	unsigned int number = (unsigned int)(item - blocks[0]);

	nr_seen[number / NR_ITEMS][number % NR_ITEMS]++;
}

static void see_slots(struct kunit *test)
{
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		unsigned long head = ((struct percpu_tagged_list *)percpu_ptr(list, slot))->head;
		unsigned int block = block_of(head), nr = 0;

		if (!head)
			continue;
		KUNIT_ASSERT_LT(test, block, NR_BLOCKS);
		KUNIT_EXPECT_EQ(test, attached[block], 1);
		attached[block] = 0;
		for (; percpu_tagged_first(head); nr++) {
			KUNIT_ASSERT_LT(test, nr, NR_ITEMS);
			KUNIT_ASSERT_EQ(test, block_of(head), block);
			see(percpu_tagged_first(head));
			head = ((struct item *)head)->link;
		}
		KUNIT_EXPECT_EQ(test, head, percpu_tagged_token(blocks[block]));
	}
}

static void see_everything(struct kunit *test)
{
	see_slots(test);
	for (unsigned int block = 0; block < NR_BLOCKS; block++) {
		KUNIT_EXPECT_EQ_MSG(test, attached[block], 0, "block %u is attached nowhere",
				    block);
		for (unsigned int i = 0; i < NR_ITEMS; i++)
			nr_seen[block][i] += freed[block] >> i & 1;
	}
	for (unsigned int i = 0; i < WORKERS; i++)
		for (unsigned int hand = 0; hand < 2; hand++)
			for (unsigned int k = 0; k < hands[i][hand].nr; k++)
				see(hands[i][hand].items[k]);
	for (unsigned int block = 0; block < NR_BLOCKS; block++)
		for (unsigned int i = 0; i < NR_ITEMS; i++)
			KUNIT_ASSERT_EQ_MSG(test, nr_seen[block][i], 1, "item %u of block %u", i,
					    block);
}

static void run(struct kunit *test)
{
	if (stopper && !percpu_can_stop())
		kunit_skip(test, "this kernel or sandbox has no membarrier(2) for sequences");
	list = percpu_alloc(sizeof(*list), 64);
	KUNIT_ASSERT_NOT_NULL(test, list);
	memset(hands, 0, sizeof(hands));
	memset(blocks, 0, sizeof(blocks));
	memset(attached, 0, sizeof(attached));
	memset(nr_seen, 0, sizeof(nr_seen));
	for (unsigned int block = 0; block < NR_BLOCKS; block++)
		freed[block] = (1U << NR_ITEMS) - 1;
	doubles = pops = pushes = refills = attachments = detachments = 0;
	stops = refusals = stopped_items = 0;
	still_working = WORKERS;
	test_threads_run(test, WORKERS + stopper, work_or_stop, NULL);
	KUNIT_EXPECT_EQ(test, doubles, 0);
	see_everything(test);
	percpu_free(list, sizeof(*list));
	kunit_info(test, "%u pops, %u pushes, %u refills, %u attached, %u detached", pops, pushes,
		   refills, attachments, detachments);
	KUNIT_EXPECT_GT(test, pops, STEPS / 4);
	KUNIT_EXPECT_GT(test, pushes, STEPS / 20);
	KUNIT_EXPECT_GT(test, refills, STEPS / 200);
	KUNIT_EXPECT_GT(test, attachments, STEPS / 200);
	if (!stopper)
		return;
	kunit_info(test, "%u stops, %u items seen, %u refusals", stops, stopped_items, refusals);
	KUNIT_EXPECT_GT(test, stops, refusals);
	KUNIT_EXPECT_GT(test, stopped_items, 0);
}

struct stress {
	const char *name;
	bool migrate, storm, stopped;
};

static struct stress stresses[] = {
	{ .name = "plain" },
	{ .name = "migrating", .migrate = true },
	{ .name = "signals", .storm = true },
	{ .name = "stopped", .stopped = true },
	{ "migrating, signals, stopped", true, true, true },
};

static void describe_stress(struct stress *stress, char *desc)
{
	strcpy(desc, stress->name);
}

KUNIT_ARRAY_PARAM(stress, stresses, describe_stress);

static void test_tagged_stress(struct kunit *test)
{
	const struct stress *stress = test->param_value;

	migrate = stress->migrate;
	storm = stress->storm;
	stopper = stress->stopped;
	run(test);
}

static struct kunit_case tagged_stress_cases[] = {
	KUNIT_CASE_PARAM(test_tagged_stress, stress_gen_params),
	{ 0 },
};

static struct kunit_suite tagged_stress_suite = {
	.name = "percpu_tagged_stress",
	.suite_init = test_warm_up,
	.test_cases = tagged_stress_cases,
};

kunit_test_suite(tagged_stress_suite);
