// SPDX-License-Identifier: MIT
/* Lists, trees, bitmaps, sorting, against simple models. */
#include <kunit/test.h>

#include <linux/bitmap.h>
#include <linux/crc32.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/list_sort.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/prandom.h>
#include <linux/rbtree_augmented.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>

struct item {
	struct list_head entry;
	struct hlist_node hash;
	struct llist_node lock_free;
	unsigned int value, order;
};

static void test_list_splice_and_cut(struct kunit *test)
{
	struct item items[6] = { 0 }, *item, *next;
	LIST_HEAD(list);
	LIST_HEAD(front);
	unsigned int expected = 0;

	for (unsigned int i = 0; i < 6; i++) {
		items[i].value = i;
		list_add_tail(&items[i].entry, &list);
	}
	list_cut_position(&front, &list, &items[2].entry);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&front), 3);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&list), 3);
	KUNIT_EXPECT_PTR_EQ(test, list_first_entry(&list, struct item, entry), &items[3]);
	list_splice_init(&front, &list);
	KUNIT_EXPECT_TRUE(test, list_empty(&front));
	list_for_each_entry(item, &list, entry)
		KUNIT_EXPECT_EQ(test, item->value, expected++);
	list_rotate_left(&list);
	KUNIT_EXPECT_TRUE(test, list_is_last(&items[0].entry, &list));
	list_swap(&items[1].entry, &items[0].entry);
	KUNIT_EXPECT_TRUE(test, list_is_first(&items[0].entry, &list));
	list_for_each_entry_safe_reverse(item, next, &list, entry)
		list_del(&item->entry);
	KUNIT_EXPECT_TRUE(test, list_empty(&list));
	KUNIT_EXPECT_PTR_EQ(test, items[0].entry.next, (struct list_head *)LIST_POISON1);
	KUNIT_EXPECT_NULL(test, list_first_entry_or_null(&list, struct item, entry));
}

static void test_hlist_table(struct kunit *test)
{
	struct item items[100] = { 0 }, *item;
	struct hlist_node *next;
	DEFINE_HASHTABLE(table, 4);
	unsigned int bucket, found = 0;

	for (unsigned int i = 0; i < 100; i++) {
		items[i].value = i;
		hash_add(table, &items[i].hash, i);
	}
	for (unsigned int key = 0; key < 100; key++)
		hash_for_each_possible(table, item, hash, key)
			found += item->value == key;
	KUNIT_EXPECT_EQ(test, found, 100);
	hash_for_each_safe(table, bucket, next, item, hash)
		hash_del(&item->hash);
	KUNIT_EXPECT_TRUE(test, hash_empty(table));
}

static void test_llist_order(struct kunit *test)
{
	struct item items[5] = { 0 }, *item;
	struct llist_node *first;
	LLIST_HEAD(list);
	unsigned int expected = 0;

	for (unsigned int i = 0; i < 5; i++) {
		items[i].value = i;
		KUNIT_EXPECT_EQ(test, llist_add(&items[i].lock_free, &list), i == 0);
	}
	KUNIT_EXPECT_PTR_EQ(test, llist_del_first(&list), &items[4].lock_free);
	first = llist_reverse_order(llist_del_all(&list));
	KUNIT_EXPECT_TRUE(test, llist_empty(&list));
	llist_for_each_entry(item, first, lock_free)
		KUNIT_EXPECT_EQ(test, item->value, expected++);
	KUNIT_EXPECT_EQ(test, expected, 4);
}

static int compare_items(void *priv, const struct list_head *a, const struct list_head *b)
{
	return (int)list_entry(a, struct item, entry)->value -
	       (int)list_entry(b, struct item, entry)->value + *(int *)priv;
}

static void test_list_sort_is_stable(struct kunit *test)
{
	struct item *items = kunit_kcalloc(test, 1000, sizeof(*items), GFP_KERNEL);
	struct item *item, *before = NULL;
	struct rnd_state random;
	LIST_HEAD(list);
	int nothing = 0;

	KUNIT_ASSERT_NOT_NULL(test, items);
	prandom_seed_state(&random, 3);
	for (unsigned int i = 0; i < 1000; i++) {
		items[i].value = prandom_u32_state(&random) % 50;
		items[i].order = i;
		list_add_tail(&items[i].entry, &list);
	}
	list_sort(&nothing, &list, compare_items);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&list), 1000);
	list_for_each_entry(item, &list, entry) {
		if (before)
			KUNIT_EXPECT_TRUE(test, before->value < item->value ||
					  (before->value == item->value &&
					   before->order < item->order));
		before = item;
	}
}

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void test_sort_array(struct kunit *test)
{
	u32 array[301];
	struct rnd_state random;

	prandom_seed_state(&random, 7);
	for (unsigned int n = 0; n < ARRAY_SIZE(array); n += 50) {
		for (unsigned int i = 0; i < n; i++)
			array[i] = prandom_u32_state(&random);
		sort(array, n, sizeof(array[0]), compare_u32, NULL);
		for (unsigned int i = 1; i < n; i++)
			KUNIT_EXPECT_LE(test, array[i - 1], array[i]);
	}
}

struct tree_node {
	struct rb_node rb;
	unsigned int key, largest;
	bool in_tree;
};

static unsigned int node_key(struct tree_node *node)
{
	return node->key;
}

RB_DECLARE_CALLBACKS_MAX(static, tree_augment, struct tree_node, rb, unsigned int, largest,
			 node_key)

static void tree_insert(struct rb_root_cached *root, struct tree_node *node)
{
	struct rb_node **link = &root->rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		struct tree_node *at = rb_entry(*link, struct tree_node, rb);

		parent = *link;
		at->largest = max(at->largest, node->key);
		if (node->key < at->key) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	node->largest = node->key;
	rb_link_node(&node->rb, parent, link);
	rb_insert_augmented_cached(&node->rb, root, leftmost, &tree_augment);
}

/* The black height; checks order of colours and the augmented value on the way. */
static int check_subtree(struct kunit *test, struct rb_node *rb)
{
	struct tree_node *node;
	unsigned int largest;
	int left, right;
	bool black;

	if (!rb)
		return 1;
	node = rb_entry(rb, struct tree_node, rb);
	left = check_subtree(test, rb->rb_left);
	right = check_subtree(test, rb->rb_right);
	KUNIT_ASSERT_EQ(test, left, right);
	black = rb->__rb_parent_color & 1;
	largest = node->key;
	for (int i = 0; i < 2; i++) {
		struct rb_node *child = i ? rb->rb_right : rb->rb_left;

		if (!child)
			continue;
		KUNIT_ASSERT_PTR_EQ(test, rb_parent(child), rb);
		KUNIT_ASSERT_TRUE(test, black || (child->__rb_parent_color & 1));
		largest = max(largest, rb_entry(child, struct tree_node, rb)->largest);
	}
	KUNIT_ASSERT_EQ(test, node->largest, largest);
	return left + black;
}

static void check_tree(struct kunit *test, struct rb_root_cached *root, unsigned int expected)
{
	unsigned int nr = 0, before = 0, postorder = 0;
	struct tree_node *node, *next;

	check_subtree(test, root->rb_root.rb_node);
	KUNIT_ASSERT_PTR_EQ(test, rb_first_cached(root), rb_first(&root->rb_root));
	for (struct rb_node *rb = rb_first(&root->rb_root); rb; rb = rb_next(rb), nr++) {
		KUNIT_ASSERT_LE(test, before, rb_entry(rb, struct tree_node, rb)->key);
		before = rb_entry(rb, struct tree_node, rb)->key;
	}
	KUNIT_ASSERT_EQ(test, nr, expected);
	rbtree_postorder_for_each_entry_safe(node, next, &root->rb_root, rb)
		postorder++;
	KUNIT_ASSERT_EQ(test, postorder, expected);
}

static void test_rbtree_random(struct kunit *test)
{
	struct tree_node *nodes = kunit_kcalloc(test, 200, sizeof(*nodes), GFP_KERNEL);
	struct rb_root_cached root = RB_ROOT_CACHED;
	struct rnd_state random;
	unsigned int nr = 0;

	KUNIT_ASSERT_NOT_NULL(test, nodes);
	prandom_seed_state(&random, 11);
	for (unsigned int step = 0; step < 4000; step++) {
		struct tree_node *node = &nodes[prandom_u32_state(&random) % 200];

		if (node->in_tree) {
			rb_erase_augmented_cached(&node->rb, &root, &tree_augment);
			nr--;
		} else {
			node->key = prandom_u32_state(&random) % 1000;
			tree_insert(&root, node);
			nr++;
		}
		node->in_tree = !node->in_tree;
		check_tree(test, &root, nr);
	}
}

static void test_bitmap_against_array(struct kunit *test)
{
	DECLARE_BITMAP(map, 200) = { 0 };
	bool model[200] = { 0 };
	struct rnd_state random;
	unsigned int weight;
	unsigned long bit;

	prandom_seed_state(&random, 5);
	for (unsigned int step = 0; step < 500; step++) {
		unsigned int start = prandom_u32_state(&random) % 200;
		unsigned int nr = prandom_u32_state(&random) % (200 - start + 1);
		bool set = prandom_u32_state(&random) & 1;

		if (set)
			bitmap_set(map, start, nr);
		else
			bitmap_clear(map, start, nr);
		weight = 0;
		for (unsigned int i = 0; i < 200; i++) {
			if (i >= start && i < start + nr)
				model[i] = set;
			weight += model[i];
			KUNIT_ASSERT_EQ(test, test_bit(i, map), model[i]);
		}
		KUNIT_ASSERT_EQ(test, bitmap_weight(map, 200), weight);
		for_each_set_bit(bit, map, 200)
			weight -= model[bit];
		KUNIT_ASSERT_EQ(test, weight, 0);
	}
	bitmap_zero(map, 200);
	KUNIT_EXPECT_EQ(test, find_first_bit(map, 200), 200);
	bitmap_fill(map, 130);
	KUNIT_EXPECT_TRUE(test, bitmap_full(map, 130));
	KUNIT_EXPECT_EQ(test, find_next_zero_bit(map, 200, 0), 130);
	KUNIT_EXPECT_EQ(test, find_last_bit(map, 200), 129);
	KUNIT_EXPECT_EQ(test, bitmap_find_next_zero_area(map, 200, 0, 8, 15), 144);
	KUNIT_EXPECT_EQ(test, bitmap_find_free_region(map, 200, 4), 144);
	KUNIT_EXPECT_EQ(test, bitmap_parselist("1-3,7\n", map, 200), 0);
	KUNIT_EXPECT_EQ(test, map[0], 0x8eUL);
	KUNIT_EXPECT_EQ(test, bitmap_parselist("3-1", map, 200), -EINVAL);
	KUNIT_EXPECT_EQ(test, bitmap_parselist("0-10:2/4 , 20", map, 200), 0);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map, 200), 7u);
	KUNIT_EXPECT_TRUE(test, test_bit(9, map) && !test_bit(10, map) && test_bit(20, map));
	KUNIT_EXPECT_EQ(test, bitmap_parselist("100-N", map, 200), 0);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map, 200), 100u);
	KUNIT_EXPECT_EQ(test, bitmap_parselist("all:1/2", map, 200), 0);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map, 200), 100u);
	KUNIT_EXPECT_EQ(test, bitmap_parselist("1-4:2/0", map, 200), -EINVAL);
	KUNIT_EXPECT_EQ(test, bitmap_parselist("1x", map, 200), -EINVAL);
	KUNIT_EXPECT_EQ(test, bitmap_parselist("200", map, 200), -ERANGE);
}

/* Published values of the same functions. */
static void test_hashes(struct kunit *test)
{
#ifdef __LITTLE_ENDIAN
	/* As in Linux, it reads words in the machine's order. */
	KUNIT_EXPECT_EQ(test, jhash("Four score and seven years ago", 30, 0), 0x17770551u);
	KUNIT_EXPECT_EQ(test, jhash("Four score and seven years ago", 30, 1), 0xcd628161u);
#endif
	KUNIT_EXPECT_EQ(test, jhash("", 0, 0), 0xdeadbeefu);
	KUNIT_EXPECT_EQ(test, ~crc32_le(~0u, (const unsigned char *)"123456789", 9), 0xcbf43926u);
}

static void test_powers_and_sizes(struct kunit *test)
{
	size_t sum;

	KUNIT_EXPECT_EQ(test, ilog2(1), 0);
	KUNIT_EXPECT_EQ(test, ilog2(4096UL), 12);
	KUNIT_EXPECT_EQ(test, roundup_pow_of_two(33), 64UL);
	KUNIT_EXPECT_EQ(test, roundup_pow_of_two(64), 64UL);
	KUNIT_EXPECT_EQ(test, rounddown_pow_of_two(33), 32UL);
	KUNIT_EXPECT_EQ(test, order_base_2(1), 0);
	KUNIT_EXPECT_EQ(test, order_base_2(5), 3);
	KUNIT_EXPECT_EQ(test, fls(0), 0);
	KUNIT_EXPECT_EQ(test, fls(0x80000000u), 32);
	KUNIT_EXPECT_EQ(test, GENMASK(7, 4), 0xf0UL);
	KUNIT_EXPECT_EQ(test, round_up(13, 8), 16);
	KUNIT_EXPECT_EQ(test, roundup(13, 5), 15);
	KUNIT_EXPECT_EQ(test, DIV_ROUND_CLOSEST(-7, 2), -4);
	KUNIT_EXPECT_EQ(test, clamp(5, 7, 9), 7);
	KUNIT_EXPECT_EQ(test, min_not_zero(0, 4), 4);
	KUNIT_EXPECT_EQ(test, array3_size(SIZE_MAX, 2, 0 + 1), SIZE_MAX);
	KUNIT_EXPECT_TRUE(test, check_add_overflow(SIZE_MAX, (size_t)1, &sum));
	KUNIT_EXPECT_EQ(test, size_sub(1, 2), SIZE_MAX);
	KUNIT_EXPECT_EQ(test, int_sqrt(1UL << 40), 1UL << 20);
	KUNIT_EXPECT_EQ(test, int_sqrt((1UL << 40) - 1), (1UL << 20) - 1);
	KUNIT_EXPECT_EQ(test, lcm(4, 6), 12UL);
}

static struct kunit_case containers_cases[] = {
	KUNIT_CASE(test_list_splice_and_cut),
	KUNIT_CASE(test_hlist_table),
	KUNIT_CASE(test_llist_order),
	KUNIT_CASE(test_list_sort_is_stable),
	KUNIT_CASE(test_sort_array),
	KUNIT_CASE(test_rbtree_random),
	KUNIT_CASE(test_bitmap_against_array),
	KUNIT_CASE(test_hashes),
	KUNIT_CASE(test_powers_and_sizes),
	{ }
};

static struct kunit_suite containers_suite = {
	.name = "containers",
	.test_cases = containers_cases,
};
kunit_test_suite(containers_suite);
