// SPDX-License-Identifier: MIT
/* Sparse arrays and numbers against plain arrays; counters, tasklets and files. */
#include <kunit/test.h>

#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/percpu_counter.h>
#include <linux/prandom.h>
#include <linux/radix-tree.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/xarray.h>

#define NR 512
#define STEPS 20000

/* Some close together, some far apart, one at each end. */
static unsigned long index_of(unsigned int i)
{
	if (i < NR / 2)
		return i;
	if (i == NR - 1)
		return ULONG_MAX;
	return (unsigned long)i << (i % 50);
}

struct model {
	unsigned long index;
	void *entry;
	bool marked;
};

static int by_index(const void *a, const void *b)
{
	const struct model *left = a, *right = b;

	return left->index < right->index ? -1 : left->index > right->index;
}

/* No index twice. */
static unsigned int fill_model(struct model *model)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < NR; i++) {
		unsigned int j;

		for (j = 0; j < n && model[j].index != index_of(i); j++)
			;
		if (j == n)
			model[n++].index = index_of(i);
	}
	sort(model, n, sizeof(*model), by_index, NULL);
	return n;
}

static void compare_walks(struct kunit *test, struct xarray *xa, struct model *model,
			  unsigned int n)
{
	unsigned long index = 0;
	unsigned int i = 0;
	void *entry;

	xa_for_each(xa, index, entry) {
		while (i < n && !model[i].entry)
			i++;
		KUNIT_ASSERT_LT(test, i, n);
		KUNIT_ASSERT_EQ(test, index, model[i].index);
		KUNIT_ASSERT_PTR_EQ(test, entry, model[i].entry);
		i++;
	}
	while (i < n && !model[i].entry)
		i++;
	KUNIT_ASSERT_EQ(test, i, n);
	i = 0;
	xa_for_each_marked(xa, index, entry, XA_MARK_1) {
		while (i < n && !model[i].marked)
			i++;
		KUNIT_ASSERT_LT(test, i, n);
		KUNIT_ASSERT_EQ(test, index, model[i].index);
		i++;
	}
	while (i < n && !model[i].marked)
		i++;
	KUNIT_ASSERT_EQ(test, i, n);
}

static void step(struct kunit *test, struct xarray *xa, struct model *m, u32 what)
{
	void *entry = xa_mk_value(what), *old;

	switch (what % 6) {
	case 0:
	case 1:
		old = xa_store(xa, m->index, entry, GFP_KERNEL);
		KUNIT_ASSERT_PTR_EQ(test, old, m->entry);
		m->entry = entry;
		break;
	case 2:
		KUNIT_ASSERT_PTR_EQ(test, xa_erase(xa, m->index), m->entry);
		m->entry = NULL;
		m->marked = false;
		break;
	case 3:
		KUNIT_ASSERT_EQ(test, xa_insert(xa, m->index, entry, GFP_KERNEL),
				m->entry ? -EBUSY : 0);
		if (!m->entry)
			m->entry = entry;
		break;
	case 4:
		xa_set_mark(xa, m->index, XA_MARK_1);
		m->marked = m->entry != NULL;
		break;
	case 5:
		xa_clear_mark(xa, m->index, XA_MARK_1);
		m->marked = false;
		break;
	}
	KUNIT_ASSERT_PTR_EQ(test, xa_load(xa, m->index), m->entry);
	KUNIT_ASSERT_EQ(test, xa_get_mark(xa, m->index, XA_MARK_1), m->marked);
}

static void xarray_is_an_array(struct kunit *test)
{
	struct model *model = kunit_kzalloc(test, NR * sizeof(*model), GFP_KERNEL);
	unsigned int n = fill_model(model);
	struct rnd_state random;
	DEFINE_XARRAY(xa);

	prandom_seed_state(&random, 1);
	for (int i = 0; i < STEPS; i++) {
		step(test, &xa, &model[prandom_u32_state(&random) % n],
		     prandom_u32_state(&random));
		if (i % 500 == 0)
			compare_walks(test, &xa, model, n);
	}
	compare_walks(test, &xa, model, n);
	for (unsigned int i = 0; i < n; i++)
		xa_erase(&xa, model[i].index);
	KUNIT_EXPECT_TRUE(test, xa_empty(&xa));
	rcu_barrier();
}

static void xarray_conditional(struct kunit *test)
{
	DEFINE_XARRAY(xa);
	int a, b;

	KUNIT_EXPECT_NULL(test, xa_cmpxchg(&xa, 7, NULL, &a, GFP_KERNEL));
	KUNIT_EXPECT_PTR_EQ(test, xa_cmpxchg(&xa, 7, &b, NULL, GFP_KERNEL), (void *)&a);
	KUNIT_EXPECT_PTR_EQ(test, xa_cmpxchg(&xa, 7, &a, &b, GFP_KERNEL), (void *)&a);
	KUNIT_EXPECT_PTR_EQ(test, xa_load(&xa, 7), (void *)&b);
	KUNIT_EXPECT_EQ(test, xa_reserve(&xa, 9, GFP_KERNEL), 0);
	KUNIT_EXPECT_NULL(test, xa_load(&xa, 9));
	KUNIT_EXPECT_EQ(test, xa_insert(&xa, 9, &a, GFP_KERNEL), -EBUSY);
	xa_release(&xa, 9);
	KUNIT_EXPECT_EQ(test, xa_insert(&xa, 9, &a, GFP_KERNEL), 0);
	xa_destroy(&xa);
	KUNIT_EXPECT_TRUE(test, xa_empty(&xa));
	/* After an entry at a large index is erased, no node of the path to it is left. */
	xa_store(&xa, 1UL << 40, &a, GFP_KERNEL);
	xa_erase(&xa, 1UL << 40);
	KUNIT_EXPECT_TRUE(test, xa_empty(&xa));
	rcu_barrier();
}

/* The number is always the lowest free one. */
static void numbers_are_the_lowest(struct kunit *test)
{
	bool *taken = kunit_kzalloc(test, 2 * NR, GFP_KERNEL);
	struct rnd_state random;
	DEFINE_IDA(ida);
	DEFINE_IDR(idr);
	u32 next = 0, id;
	int low;

	prandom_seed_state(&random, 2);
	for (int i = 0; i < STEPS; i++) {
		unsigned int number = prandom_u32_state(&random) % NR;

		if (prandom_u32_state(&random) % 3) {
			for (low = (int)number; low < 2 * NR && taken[low]; low++)
				;
			if (low == 2 * NR)
				low = -ENOSPC;
			KUNIT_ASSERT_EQ(test, ida_alloc_range(&ida, number, 2 * NR - 1,
							      GFP_KERNEL), low);
			if (low >= 0)
				taken[low] = true;
		} else if (taken[number]) {
			ida_free(&ida, number);
			taken[number] = false;
		}
	}
	ida_destroy(&ida);

	KUNIT_EXPECT_EQ(test, idr_alloc(&idr, NULL, 5, 7, GFP_KERNEL), 5);
	KUNIT_EXPECT_EQ(test, idr_alloc(&idr, &low, 5, 7, GFP_KERNEL), 6);
	KUNIT_EXPECT_EQ(test, idr_alloc(&idr, &low, 5, 7, GFP_KERNEL), -ENOSPC);
	KUNIT_EXPECT_NULL(test, idr_find(&idr, 5));
	KUNIT_EXPECT_NULL(test, idr_replace(&idr, &id, 5));
	KUNIT_EXPECT_PTR_EQ(test, idr_find(&idr, 5), (void *)&id);
	KUNIT_EXPECT_PTR_EQ(test, idr_remove(&idr, 6), (void *)&low);
	for (int i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, idr_alloc_cyclic(&idr, &low, 0, 4, GFP_KERNEL), i);
	idr_remove(&idr, 1);
	KUNIT_EXPECT_EQ(test, idr_alloc_cyclic(&idr, &low, 0, 4, GFP_KERNEL), 1);
	idr_destroy(&idr);
	KUNIT_EXPECT_TRUE(test, idr_is_empty(&idr));

	{
		DEFINE_XARRAY_ALLOC1(xa);

		KUNIT_EXPECT_EQ(test, xa_alloc(&xa, &id, &low, XA_LIMIT(0, 1), GFP_KERNEL), 0);
		KUNIT_EXPECT_EQ(test, id, 1u);
		KUNIT_EXPECT_EQ(test, xa_alloc(&xa, &id, &low, XA_LIMIT(0, 1), GFP_KERNEL),
				-EBUSY);
		next = U32_MAX;
		KUNIT_EXPECT_EQ(test, xa_alloc_cyclic(&xa, &id, &low, xa_limit_32b, &next,
						      GFP_KERNEL), 0);
		KUNIT_EXPECT_EQ(test, id, U32_MAX);
		KUNIT_EXPECT_EQ(test, xa_alloc_cyclic(&xa, &id, &low, xa_limit_32b, &next,
						      GFP_KERNEL), 1);
		KUNIT_EXPECT_EQ(test, id, 2u);
		xa_destroy(&xa);
	}
	rcu_barrier();
}

static void radix_tree_walks(struct kunit *test)
{
	RADIX_TREE(tree, GFP_KERNEL);
	struct radix_tree_iter iter;
	static int values[100];
	void *found[200], **slot;
	int seen = 0;

	for (unsigned long i = 0; i < 100; i++)
		KUNIT_ASSERT_EQ(test, radix_tree_insert(&tree, i * i * i, &values[i]), 0);
	KUNIT_EXPECT_EQ(test, radix_tree_insert(&tree, 27, &values[0]), -EEXIST);
	KUNIT_EXPECT_EQ(test, radix_tree_gang_lookup(&tree, found, 2, 200), 98u);
	KUNIT_EXPECT_PTR_EQ(test, found[0], (void *)&values[2]);
	radix_tree_for_each_slot(slot, &tree, &iter, 0) {
		KUNIT_ASSERT_PTR_EQ(test, radix_tree_deref_slot(slot), (void *)&values[seen]);
		seen++;
	}
	KUNIT_EXPECT_EQ(test, seen, 100);
	for (unsigned long i = 0; i < 100; i++)
		KUNIT_ASSERT_PTR_EQ(test, radix_tree_delete(&tree, i * i * i),
				    (void *)&values[i]);
	KUNIT_EXPECT_TRUE(test, radix_tree_empty(&tree));
	rcu_barrier();
}

struct race {
	struct xarray xa;
	struct percpu_counter counter;
	unsigned long seen;
	atomic_t ready;
};

#define RACE_ENTRIES 300

static int reader(void *data)
{
	struct race *race = data;

	atomic_inc(&race->ready);
	while (!kthread_should_stop())
		for (unsigned long i = 0; i < RACE_ENTRIES; i++) {
			void *entry = xa_load(&race->xa, i * 97);

			if (entry && xa_to_value(entry) != i)
				return 1;
			percpu_counter_inc(&race->counter);
			WRITE_ONCE(race->seen, i);
		}
	return 0;
}

/* Nodes come and go under a reader. */
static void lookups_need_no_lock(struct kunit *test)
{
	struct race race = { .ready = ATOMIC_INIT(0) };
	struct task_struct *task;

	xa_init(&race.xa);
	KUNIT_ASSERT_EQ(test, percpu_counter_init(&race.counter, 0, GFP_KERNEL), 0);
	task = kthread_run(reader, &race, "reader");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	while (!atomic_read(&race.ready))
		cond_resched();
	for (int round = 0; round < 50; round++) {
		for (unsigned long i = 0; i < RACE_ENTRIES; i++)
			xa_store(&race.xa, i * 97, xa_mk_value(i), GFP_KERNEL);
		for (unsigned long i = 0; i < RACE_ENTRIES; i++)
			xa_erase(&race.xa, i * 97);
	}
	KUNIT_EXPECT_EQ(test, kthread_stop(task), 0);
	KUNIT_EXPECT_EQ(test, percpu_counter_sum(&race.counter) % RACE_ENTRIES, 0);
	percpu_counter_destroy(&race.counter);
	rcu_barrier();
}

static void add_here(void *counter)
{
	for (int i = 0; i < 1000; i++)
		percpu_counter_add(counter, 3);
}

static void counters_add_up(struct kunit *test)
{
	s64 expected = 3000LL * num_online_cpus();
	struct percpu_counter counter;

	KUNIT_ASSERT_EQ(test, percpu_counter_init(&counter, 0, GFP_KERNEL), 0);
	on_each_cpu(add_here, &counter, 1);
	KUNIT_EXPECT_EQ(test, percpu_counter_sum(&counter), expected);
	/* The part that each CPU has not added to the sum yet is less than a batch. */
	KUNIT_EXPECT_LT(test, expected - percpu_counter_read(&counter),
			(s64)percpu_counter_batch * num_online_cpus());
	KUNIT_EXPECT_EQ(test, percpu_counter_compare(&counter, expected), 0);
	KUNIT_EXPECT_EQ(test, percpu_counter_compare(&counter, expected + 1), -1);
	KUNIT_EXPECT_FALSE(test, percpu_counter_limited_add(&counter, expected, 1));
	KUNIT_EXPECT_TRUE(test, percpu_counter_limited_add(&counter, expected + 1, 1));
	KUNIT_EXPECT_EQ(test, percpu_counter_sum(&counter), expected + 1);
	percpu_counter_destroy(&counter);
}

static int tasklet_runs, tasklet_data;
static bool tasklet_in_softirq;

static void old_tasklet(unsigned long data)
{
	WRITE_ONCE(tasklet_data, (int)data);
	WRITE_ONCE(tasklet_in_softirq, in_serving_softirq());
	WRITE_ONCE(tasklet_runs, READ_ONCE(tasklet_runs) + 1);
}

static void new_tasklet(struct tasklet_struct *tasklet)
{
	(void)tasklet;
	WRITE_ONCE(tasklet_runs, READ_ONCE(tasklet_runs) + 1);
}

static void run_irq_work(struct irq_work *work)
{
	(void)work;
	WRITE_ONCE(tasklet_runs, READ_ONCE(tasklet_runs) + 1);
}

static void tasklets_run_once(struct kunit *test)
{
	struct tasklet_struct old, now;
	struct irq_work work;

	WRITE_ONCE(tasklet_runs, 0);
	tasklet_init(&old, old_tasklet, 77);
	tasklet_setup(&now, new_tasklet);
	init_irq_work(&work, run_irq_work);
	tasklet_disable(&old);
	tasklet_schedule(&old);
	tasklet_schedule(&old);
	msleep(20);
	KUNIT_EXPECT_EQ(test, READ_ONCE(tasklet_runs), 0);
	tasklet_enable(&old);
	while (READ_ONCE(tasklet_runs) < 1)
		msleep(1);
	tasklet_kill(&old);
	KUNIT_EXPECT_EQ(test, READ_ONCE(tasklet_runs), 1);
	KUNIT_EXPECT_EQ(test, READ_ONCE(tasklet_data), 77);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(tasklet_in_softirq));
	tasklet_schedule(&now);
	while (READ_ONCE(tasklet_runs) < 2)
		msleep(1);
	tasklet_kill(&now);
	KUNIT_EXPECT_TRUE(test, irq_work_queue(&work));
	irq_work_sync(&work);
	KUNIT_EXPECT_EQ(test, READ_ONCE(tasklet_runs), 3);
}

/* Longer than the first buffer. */
static int show_lines(struct seq_file *m, void *v)
{
	(void)v;
	for (int i = 0; i < 1000; i++)
		seq_printf(m, "line %d of %s\n", i, (const char *)m->private);
	return 0;
}

static void files_have_their_text(struct kunit *test)
{
	char *expected = kunit_kzalloc(test, 32768, GFP_KERNEL);
	char *text = kunit_kzalloc(test, 32768, GFP_KERNEL);
	struct file file = { 0 };
	size_t length = 0, got = 0;
	loff_t pos = 0;
	ssize_t n;

	for (int i = 0; i < 1000; i++)
		length += (size_t)sprintf(expected + length, "line %d of text\n", i);
	KUNIT_ASSERT_EQ(test, single_open(&file, show_lines, "text"), 0);
	while ((n = seq_read(&file, text + got, 1000, &pos)) > 0)
		got += (size_t)n;
	KUNIT_EXPECT_EQ(test, got, length);
	KUNIT_EXPECT_STREQ(test, text, expected);
	KUNIT_EXPECT_EQ(test, single_release(NULL, &file), 0);
}

/* Against one bit at a time, across words and up to a word's bits. */
static void bitmaps_as_numbers(struct kunit *test)
{
	enum { BITS = 4 * BITS_PER_LONG };
	DECLARE_BITMAP(map, BITS) = { 0 };
	DECLARE_BITMAP(other, BITS) = { 0 };
	u32 words[BITS / 32];
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < 20000; i++) {
		unsigned long nr = get_random_u32() % (BITS_PER_LONG + 1);
		unsigned long start = get_random_u32() % (BITS - BITS_PER_LONG);
		unsigned long value = get_random_long();

		bitmap_write(map, value, start, nr);
		for (unsigned long bit = 0; bit < nr; bit++)
			__assign_bit(start + bit, other, value >> bit & 1);
		wrong += !bitmap_equal(map, other, BITS);
		if (nr)
			wrong += bitmap_read(map, start, nr) !=
				 (value & BITMAP_LAST_WORD_MASK(nr));
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	for (unsigned int nr = 1; nr <= BITS; nr++) {
		bitmap_to_arr32(words, map, nr);
		bitmap_fill(other, BITS);
		bitmap_from_arr32(other, words, nr);
		wrong += !bitmap_equal(map, other, nr);
		wrong += nr % BITS_PER_LONG && other[nr / BITS_PER_LONG] >> nr % BITS_PER_LONG;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	bitmap_from_u64(other, 0x123456789abcdefULL);
	KUNIT_EXPECT_EQ(test, bitmap_get_value8(other, 8), 0xcdUL);
	bitmap_set_value8(other, 0x21, 60);
	KUNIT_EXPECT_EQ(test, bitmap_read(other, 56, 12), 0x211UL);
}

static struct kunit_case array_cases[] = {
	KUNIT_CASE(xarray_is_an_array),
	KUNIT_CASE(xarray_conditional),
	KUNIT_CASE(numbers_are_the_lowest),
	KUNIT_CASE(radix_tree_walks),
	KUNIT_CASE(lookups_need_no_lock),
	KUNIT_CASE(bitmaps_as_numbers),
	KUNIT_CASE(counters_add_up),
	KUNIT_CASE(tasklets_run_once),
	KUNIT_CASE(files_have_their_text),
	{}
};

static struct kunit_suite array_suite = {
	.name = "kernel_arrays",
	.test_cases = array_cases,
};
kunit_test_suite(array_suite);
