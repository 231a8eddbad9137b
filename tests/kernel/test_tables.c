// SPDX-License-Identifier: MIT
/* Hash tables that resize themselves, and trees of ranges. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/maple_tree.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

struct item {
	u32 key, value;
	struct rhash_head node;
};

static const struct rhashtable_params params = {
	.key_len = sizeof(u32), .key_offset = offsetof(struct item, key),
	.head_offset = offsetof(struct item, node), .automatic_shrinking = true,
};

static void count_freed(void *item, void *count)
{
	(void)item;
	++*(int *)count;
}

static void test_table_has_what_was_inserted(struct kunit *test)
{
	struct item *items = kunit_kcalloc(test, 1000, sizeof(*items), GFP_KERNEL);
	struct item again = { .key = 7 };
	struct rhashtable table;
	int freed = 0;
	u32 key;

	KUNIT_ASSERT_EQ(test, rhashtable_init(&table, &params), 0);
	for (u32 i = 0; i < 1000; i++) {
		items[i].key = i;
		KUNIT_ASSERT_EQ(test, rhashtable_insert_fast(&table, &items[i].node, params), 0);
	}
	KUNIT_EXPECT_EQ(test, rhashtable_lookup_insert_fast(&table, &again.node, params), -EEXIST);
	KUNIT_EXPECT_PTR_EQ(test, rhashtable_lookup_get_insert_fast(&table, &again.node, params),
			    (void *)&items[7]);
	KUNIT_EXPECT_EQ(test, rhashtable_remove_fast(&table, &again.node, params), -ENOENT);
	/* Another object of the same key takes the place; one of another key may not. */
	KUNIT_EXPECT_EQ(test, rhashtable_replace_fast(&table, &items[7].node, &again.node, params),
			0);
	KUNIT_EXPECT_EQ(test, rhashtable_replace_fast(&table, &items[7].node, &again.node, params),
			-ENOENT);
	key = 7;
	KUNIT_EXPECT_PTR_EQ(test, rhashtable_lookup_fast(&table, &key, params), (void *)&again);
	KUNIT_EXPECT_EQ(test, rhashtable_remove_fast(&table, &again.node, params), 0);
	/* Most go: the table shrinks, and still has the rest. */
	for (u32 i = 8; i < 990; i++)
		KUNIT_ASSERT_EQ(test, rhashtable_remove_fast(&table, &items[i].node, params), 0);
	for (key = 0; key < 1000; key++) {
		void *expected = key < 7 || key >= 990 ? &items[key] : NULL;

		KUNIT_ASSERT_PTR_EQ(test, rhashtable_lookup_fast(&table, &key, params), expected);
	}
	rhashtable_free_and_destroy(&table, count_freed, &freed);
	KUNIT_EXPECT_EQ(test, freed, 17);
}

static void test_full_and_wrong_tables_are_refused(struct kunit *test)
{
	struct rhashtable_params few = params, none = { .head_offset = 0 };
	struct item items[9] = { 0 };
	struct rhashtable table;

	KUNIT_EXPECT_EQ(test, rhashtable_init(&table, &none), -EINVAL);
	few.max_size = 4;
	KUNIT_ASSERT_EQ(test, rhashtable_init(&table, &few), 0);
	for (u32 i = 0; i < 9; i++) {
		items[i].key = i;
		KUNIT_EXPECT_EQ(test, rhashtable_insert_fast(&table, &items[i].node, few),
				i < 8 ? 0 : -E2BIG);
	}
	rhashtable_destroy(&table);
}

struct listed {
	u32 key;
	struct rhlist_head node;
};

static void test_list_table_keeps_objects_of_one_key(struct kunit *test)
{
	struct rhashtable_params of_lists = {
		.key_len = sizeof(u32), .key_offset = offsetof(struct listed, key),
		.head_offset = offsetof(struct listed, node),
	};
	struct listed items[6] = { 0 }, *item;
	static const u32 keys[] = { 1, 2, 1, 3, 1, 4 };
	struct rhlist_head *list, *at;
	struct rhltable table;
	u32 key = 1;
	int seen = 0, freed = 0;

	KUNIT_ASSERT_EQ(test, rhltable_init(&table, &of_lists), 0);
	for (int i = 0; i < 6; i++)
		items[i].key = keys[i];
	for (int i = 0; i < 5; i++)
		KUNIT_ASSERT_EQ(test, rhltable_insert(&table, &items[i].node, of_lists), 0);
	rcu_read_lock();
	list = rhltable_lookup(&table, &key, of_lists);
	rhl_for_each_entry_rcu(item, at, list, node)	/* the newest first */
		KUNIT_EXPECT_PTR_EQ(test, item, &items[4 - 2 * seen++]);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, seen, 3);
	KUNIT_EXPECT_EQ(test, rhltable_remove(&table, &items[2].node, of_lists), 0);
	KUNIT_EXPECT_EQ(test, rhltable_remove(&table, &items[2].node, of_lists), -ENOENT);
	KUNIT_EXPECT_EQ(test, rhltable_remove(&table, &items[4].node, of_lists), 0);
	KUNIT_EXPECT_EQ(test, rhltable_remove(&table, &items[5].node, of_lists), -ENOENT);
	rcu_read_lock();
	list = rhltable_lookup(&table, &key, of_lists);
	KUNIT_EXPECT_PTR_EQ(test, list, &items[0].node);
	KUNIT_EXPECT_NULL(test, list->next);
	rcu_read_unlock();
	rhltable_free_and_destroy(&table, count_freed, &freed);
	KUNIT_EXPECT_EQ(test, freed, 3);
}

/* Each object that is walked past is removed; after a resize the walk begins anew. */
static void test_walk_meets_every_object(struct kunit *test)
{
	struct item *items = kunit_kcalloc(test, 200, sizeof(*items), GFP_KERNEL), *item;
	struct rhashtable_iter iter;
	struct rhashtable table;
	int seen = 0, resizes = 0;

	KUNIT_ASSERT_EQ(test, rhashtable_init(&table, &params), 0);
	for (u32 i = 0; i < 200; i++) {
		items[i].key = i;
		KUNIT_ASSERT_EQ(test, rhashtable_insert_fast(&table, &items[i].node, params), 0);
	}
	rhashtable_walk_enter(&table, &iter);
	rhashtable_walk_start(&iter);
	while ((item = rhashtable_walk_next(&iter))) {
		if (IS_ERR(item)) {
			KUNIT_EXPECT_EQ(test, PTR_ERR(item), -EAGAIN);
			resizes++;
			continue;
		}
		item->value++;
		KUNIT_EXPECT_EQ(test, rhashtable_remove_fast(&table, &item->node, params), 0);
		if (++seen % 3)
			continue;
		rhashtable_walk_stop(&iter);
		if (rhashtable_walk_start_check(&iter) == -EAGAIN)
			resizes++;
	}
	KUNIT_EXPECT_NULL(test, rhashtable_walk_next(&iter));
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
	KUNIT_EXPECT_EQ(test, seen, 200);
	KUNIT_EXPECT_GT(test, resizes, 1);
	for (u32 i = 0; i < 200; i++)
		KUNIT_EXPECT_EQ(test, items[i].value, 1U);
	rhashtable_destroy(&table);
}

/* The tables of the next tests call back in the middle of what they do. */
static struct {
	struct rhashtable table;
	struct item items[200];
	void (*callback)(u32 key);	/* of the key that is hashed or compared with; or NULL */
	int nr_looks, nr_misses, nr_compared;
} middle;

/* Nothing that the callback does calls it again. */
static void call_back(u32 key)
{
	void (*callback)(u32 key) = middle.callback;

	middle.callback = NULL;
	if (callback)
		callback(key);
	middle.callback = callback;
}

static u32 hash_in_the_middle(const void *key, u32 n, u32 seed)
{
	(void)n;
	(void)seed;
	call_back(*(const u32 *)key);
	return *(const u32 *)key;
}

static int compare_in_the_middle(struct rhashtable_compare_arg *arg, const void *object)
{
	const struct item *item = object;
	u32 key = item->key;

	middle.nr_compared++;
	call_back(key);
	return key != *(const u32 *)arg->key;
}

static const struct rhashtable_params middle_params = {
	.key_len = sizeof(u32), .key_offset = offsetof(struct item, key),
	.head_offset = offsetof(struct item, node), .hashfn = hash_in_the_middle,
	.obj_cmpfn = compare_in_the_middle,
};

static void fill_middle(struct kunit *test, u32 n, bool shrinks)
{
	struct rhashtable_params chosen = middle_params;

	chosen.automatic_shrinking = shrinks;
	middle.callback = NULL;
	middle.nr_looks = middle.nr_misses = 0;
	KUNIT_ASSERT_EQ(test, rhashtable_init(&middle.table, &chosen), 0);
	for (u32 i = 0; i < ARRAY_SIZE(middle.items); i++)
		middle.items[i].key = i;
	for (u32 i = 0; i < n; i++)
		KUNIT_ASSERT_EQ(test, rhashtable_insert_fast(&middle.table, &middle.items[i].node,
							     middle_params), 0);
}

static void look_for_the_first(u32 hashed)
{
	(void)hashed;
	for (u32 key = 0; key < 16; key++)
		middle.nr_misses += !rhashtable_lookup_fast(&middle.table, &key, middle_params);
	middle.nr_looks++;
}

/* Each object that moves is hashed: some that stay are in the old table then, some in the new. */
static void test_lookup_misses_nothing_in_the_middle_of_a_resize(struct kunit *test)
{
	const struct bucket_table *before;

	fill_middle(test, 48, true);
	before = middle.table.tbl;
	middle.callback = look_for_the_first;
	KUNIT_EXPECT_EQ(test, rhashtable_insert_fast(&middle.table, &middle.items[48].node,
						     middle_params), 0);
	KUNIT_EXPECT_PTR_NE(test, middle.table.tbl, before);
	KUNIT_EXPECT_GE(test, middle.nr_looks, 49);
	KUNIT_EXPECT_EQ(test, middle.nr_misses, 0);
	/* And as it shrinks. */
	middle.nr_looks = 0;
	before = middle.table.tbl;
	for (u32 i = 48; i > 16 && middle.table.tbl == before; i--)
		KUNIT_EXPECT_EQ(test, rhashtable_remove_fast(&middle.table, &middle.items[i].node,
							     middle_params), 0);
	KUNIT_EXPECT_PTR_NE(test, middle.table.tbl, before);
	KUNIT_EXPECT_EQ(test, middle.nr_misses, 0);
	middle.callback = NULL;
	rhashtable_destroy(&middle.table);
}

/* Puts the object with key 64, on which a reader stands, into another bucket. */
static void move_away(u32 key)
{
	struct item *item = &middle.items[64];

	if (key != 64)
		return;
	(void)rhashtable_remove_fast(&middle.table, &item->node, middle_params);
	item->key = 65;
	(void)rhashtable_insert_fast(&middle.table, &item->node, middle_params);
}

/* Objects of a cache with SLAB_TYPESAFE_BY_RCU may come back under a reader, elsewhere. */
static void test_lookup_that_went_astray_starts_again(struct kunit *test)
{
	u32 key = 0;

	fill_middle(test, 1, false);
	KUNIT_ASSERT_EQ(test, rhashtable_insert_fast(&middle.table, &middle.items[64].node,
						     middle_params), 0);
	middle.nr_compared = 0;
	middle.callback = move_away;
	KUNIT_EXPECT_PTR_EQ(test, rhashtable_lookup_fast(&middle.table, &key, middle_params),
			    (void *)&middle.items[0]);
	KUNIT_EXPECT_EQ(test, middle.items[64].key, 65U);
	KUNIT_EXPECT_EQ(test, middle.nr_compared, 2);	/* 64, which went, and 0 */
	middle.callback = NULL;
	rhashtable_destroy(&middle.table);
}

/* All in one bucket, in which the place of what was removed is not skipped again. */
static void test_walk_goes_on_behind_what_was_removed(struct kunit *test)
{
	struct rhashtable_iter iter;
	int seen = 0;

	fill_middle(test, 0, false);
	for (u32 i = 0; i < 6; i++) {
		middle.items[i].key = 64 * i;
		KUNIT_ASSERT_EQ(test, rhashtable_insert_fast(&middle.table, &middle.items[i].node,
							     middle_params), 0);
	}
	rhashtable_walk_enter(&middle.table, &iter);
	for (; seen < 6; seen++) {
		struct item *item;

		rhashtable_walk_start(&iter);
		item = rhashtable_walk_next(&iter);
		KUNIT_EXPECT_PTR_EQ(test, item, &middle.items[5 - seen]);
		if (item)
			(void)rhashtable_remove_fast(&middle.table, &item->node, middle_params);
		rhashtable_walk_stop(&iter);
	}
	rhashtable_walk_exit(&iter);
	rhashtable_destroy(&middle.table);
}

struct looking {
	struct rhashtable table;
	struct completion started;
	atomic_t misses, looks;
};

static int look_for_kept(void *argument)
{
	struct looking *looking = argument;

	complete(&looking->started);
	while (!kthread_should_stop()) {
		for (u32 key = 0; key < 16; key++)
			if (!rhashtable_lookup_fast(&looking->table, &key, params))
				atomic_inc(&looking->misses);
		atomic_inc(&looking->looks);
		cond_resched();
	}
	return 0;
}

/* A reader finds what stays at each moment, however often the table grows and shrinks. */
static void test_reader_misses_nothing_while_resizing(struct kunit *test)
{
	struct item *items = kunit_kcalloc(test, 600, sizeof(*items), GFP_KERNEL);
	struct looking looking = { .misses = ATOMIC_INIT(0), .looks = ATOMIC_INIT(0) };
	struct task_struct *reader;

	init_completion(&looking.started);
	KUNIT_ASSERT_EQ(test, rhashtable_init(&looking.table, &params), 0);
	for (u32 i = 0; i < 600; i++)
		items[i].key = i;
	for (u32 i = 0; i < 16; i++)
		rhashtable_insert_fast(&looking.table, &items[i].node, params);
	reader = kthread_run(look_for_kept, &looking, "looks");
	KUNIT_ASSERT_FALSE(test, IS_ERR(reader));
	wait_for_completion(&looking.started);
	for (int round = 0; round < 200; round++) {
		for (u32 i = 16; i < 600; i++)
			rhashtable_insert_fast(&looking.table, &items[i].node, params);
		for (u32 i = 16; i < 600; i++)
			rhashtable_remove_fast(&looking.table, &items[i].node, params);
	}
	while (!atomic_read(&looking.looks))
		msleep(1);
	kthread_stop(reader);
	KUNIT_EXPECT_EQ(test, atomic_read(&looking.misses), 0);
	rhashtable_destroy(&looking.table);
}

static void test_tree_cuts_what_is_stored_over(struct kunit *test)
{
	static DEFINE_MTREE(tree);
	struct { unsigned long first, last; long value; } expected[] = {
		{ 10, 14, 1 }, { 15, 16, 2 }, { 17, 20, 1 }, { 30, 30, 3 },
	};
	MA_STATE(mas, &tree, 0, 0);
	unsigned long index = 0;
	int seen = 0;
	void *entry;

	KUNIT_EXPECT_TRUE(test, mtree_empty(&tree));
	KUNIT_ASSERT_EQ(test, mtree_store_range(&tree, 10, 20, xa_mk_value(1), GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, mtree_store_range(&tree, 20, 10, xa_mk_value(1), GFP_KERNEL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, mtree_insert_range(&tree, 20, 40, xa_mk_value(9), GFP_KERNEL),
			-EEXIST);
	KUNIT_ASSERT_EQ(test, mtree_store_range(&tree, 15, 16, xa_mk_value(2), GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, mtree_insert(&tree, 30, xa_mk_value(3), GFP_KERNEL), 0);
	mas_lock(&mas);
	mas_for_each(&mas, entry, ULONG_MAX) {
		KUNIT_ASSERT_LT(test, seen, 4);
		KUNIT_EXPECT_EQ(test, mas.index, expected[seen].first);
		KUNIT_EXPECT_EQ(test, mas.last, expected[seen].last);
		KUNIT_EXPECT_PTR_EQ(test, entry, xa_mk_value((unsigned long)expected[seen].value));
		seen++;
	}
	mas_unlock(&mas);
	KUNIT_EXPECT_EQ(test, seen, 4);
	mt_for_each(&tree, entry, index, 29)
		seen--;
	KUNIT_EXPECT_EQ(test, seen, 1);
	KUNIT_EXPECT_PTR_EQ(test, mtree_load(&tree, 16), xa_mk_value(2));
	KUNIT_EXPECT_NULL(test, mtree_load(&tree, 29));
	KUNIT_EXPECT_PTR_EQ(test, mt_next(&tree, 16, ULONG_MAX), xa_mk_value(1));
	KUNIT_EXPECT_PTR_EQ(test, mt_prev(&tree, 30, 0), xa_mk_value(1));
	KUNIT_EXPECT_NULL(test, mt_next(&tree, 30, ULONG_MAX));
	/* NULL over several ranges: what sticks out stays. */
	KUNIT_ASSERT_EQ(test, mtree_store_range(&tree, 12, 18, NULL, GFP_KERNEL), 0);
	mas_set(&mas, 15);
	KUNIT_EXPECT_NULL(test, mas_walk(&mas));
	KUNIT_EXPECT_EQ(test, mas.index, 12UL);
	KUNIT_EXPECT_EQ(test, mas.last, 18UL);
	KUNIT_EXPECT_PTR_EQ(test, mtree_erase(&tree, 11), xa_mk_value(1));
	KUNIT_EXPECT_NULL(test, mtree_load(&tree, 10));
	mtree_destroy(&tree);
	KUNIT_EXPECT_TRUE(test, mtree_empty(&tree));
}

static void test_tree_finds_free_areas(struct kunit *test)
{
	unsigned long start, next = 0;
	struct maple_tree tree;
	char item;

	mt_init_flags(&tree, MT_FLAGS_ALLOC_RANGE);
	KUNIT_ASSERT_EQ(test, mtree_store_range(&tree, 5, 9, &item, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, mtree_alloc_range(&tree, &start, &item, 5, 0, 31, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, start, 0UL);
	KUNIT_EXPECT_EQ(test, mtree_alloc_rrange(&tree, &start, &item, 4, 0, 31, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, start, 28UL);
	KUNIT_EXPECT_EQ(test, mtree_alloc_range(&tree, &start, &item, 19, 0, 31, GFP_KERNEL),
			-EBUSY);
	KUNIT_EXPECT_EQ(test, mtree_alloc_range(&tree, &start, &item, 33, 0, 31, GFP_KERNEL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, mtree_alloc_range(&tree, &start, &item, 17, 7, 31, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, start, 10UL);
	/* 27 alone is free. */
	next = 28;
	KUNIT_EXPECT_EQ(test, mtree_alloc_cyclic(&tree, &start, &item, 0, 31, &next, GFP_KERNEL),
			1);
	KUNIT_EXPECT_EQ(test, start, 27UL);
	KUNIT_EXPECT_EQ(test, next, 28UL);
	KUNIT_EXPECT_EQ(test, mtree_alloc_cyclic(&tree, &start, &item, 0, 31, &next, GFP_KERNEL),
			-EBUSY);
	mtree_destroy(&tree);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(test_table_has_what_was_inserted),
	KUNIT_CASE(test_full_and_wrong_tables_are_refused),
	KUNIT_CASE(test_list_table_keeps_objects_of_one_key),
	KUNIT_CASE(test_walk_meets_every_object),
	KUNIT_CASE(test_lookup_misses_nothing_in_the_middle_of_a_resize),
	KUNIT_CASE(test_lookup_that_went_astray_starts_again),
	KUNIT_CASE(test_walk_goes_on_behind_what_was_removed),
	KUNIT_CASE(test_reader_misses_nothing_while_resizing),
	KUNIT_CASE(test_tree_cuts_what_is_stored_over),
	KUNIT_CASE(test_tree_finds_free_areas),
	{}
};

static struct kunit_suite table_suite = { .name = "tables", .test_cases = table_cases };
kunit_test_suite(table_suite);
