// SPDX-License-Identifier: MIT
/* The kernel's B+trees (lib/btree.c), whose nodes come from a mempool over a slab cache. */
#include <kunit/test.h>
#include <linux/btree.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>

enum { KEYS = 3000, STEPS = 60000 };

/* The value of each key; 0: not there. Trees hold neither NULL nor the key 0. */
static unsigned int model[KEYS];

static void *value_of(unsigned int number)
{
	return (void *)(unsigned long)number;
}

static unsigned int nr_in_model(void)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < KEYS; i++)
		nr += model[i] != 0;
	return nr;
}

/* From the last key to the first, all that is in the model and nothing else. */
static void expect_walk(struct kunit *test, struct btree_head64 *head)
{
	u64 key = 0, above = U64_MAX;
	unsigned int nr = 0;
	void *value;

	btree_for_each_safe64(head, key, value) {
		KUNIT_ASSERT_LT(test, key, (u64)KEYS);
		KUNIT_EXPECT_LT(test, key, above);
		KUNIT_EXPECT_PTR_EQ(test, value, value_of(model[key]));
		above = key;
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, nr_in_model());
}

static void step(struct kunit *test, struct btree_head64 *head, unsigned int number)
{
	u64 key = 1 + get_random_u32() % (KEYS - 1);

	switch (get_random_u32() % 4) {
	case 0:
	case 1:
		/* A key must not be there twice, which the tree does not check. */
		if (!model[key]) {
			KUNIT_ASSERT_EQ(test, btree_insert64(head, key, value_of(number),
							     GFP_ATOMIC), 0);
			model[key] = number;
		} else {
			KUNIT_EXPECT_EQ(test, btree_update64(head, key, value_of(number)), 0);
			model[key] = number;
		}
		break;
	case 2:
		KUNIT_EXPECT_PTR_EQ(test, btree_remove64(head, key), value_of(model[key]));
		model[key] = 0;
		break;
	default:
		KUNIT_EXPECT_PTR_EQ(test, btree_lookup64(head, key), value_of(model[key]));
	}
}

static void random_operations(struct kunit *test)
{
	struct btree_head64 head;

	memset(model, 0, sizeof(model));
	KUNIT_ASSERT_EQ(test, btree_init64(&head), 0);
	for (unsigned int i = 1; i <= STEPS; i++)
		step(test, &head, i);
	expect_walk(test, &head);
	for (unsigned int key = 1; key < KEYS; key++)
		KUNIT_EXPECT_PTR_EQ(test, btree_remove64(&head, key), value_of(model[key]));
	KUNIT_EXPECT_NULL(test, btree_remove64(&head, 1));
	btree_destroy64(&head);
}

static void count_and_sum(void *value, unsigned long sum, u64 key, size_t index)
{
	*(unsigned long *)sum += (unsigned long)value + key;
}

/* The visitor that frees nodes as it goes sees the same as the one that does not. */
static void visitors(struct kunit *test)
{
	unsigned long sum = 0, grim_sum = 0, expected = 0;
	struct btree_head64 head;

	KUNIT_ASSERT_EQ(test, btree_init64(&head), 0);
	for (unsigned int i = 1; i <= KEYS; i++) {
		KUNIT_ASSERT_EQ(test, btree_insert64(&head, i, value_of(2 * i), GFP_KERNEL), 0);
		expected += 3 * i;
	}
	KUNIT_EXPECT_EQ(test, btree_visitor64(&head, (unsigned long)&sum, count_and_sum),
			(size_t)KEYS);
	KUNIT_EXPECT_EQ(test, sum, expected);
	KUNIT_EXPECT_EQ(test, btree_grim_visitor64(&head, (unsigned long)&grim_sum,
						   count_and_sum), (size_t)KEYS);
	KUNIT_EXPECT_EQ(test, grim_sum, expected);
	btree_destroy64(&head);
}

/* Half of the keys in each of two trees: one gets the other's, which is empty then. */
static void merging(struct kunit *test)
{
	struct btree_headl target, victim;
	unsigned long key;

	KUNIT_ASSERT_EQ(test, btree_initl(&target), 0);
	KUNIT_ASSERT_EQ(test, btree_initl(&victim), 0);
	for (key = 1; key <= KEYS; key++)
		KUNIT_ASSERT_EQ(test, btree_insertl(key % 2 ? &target : &victim, key,
						    value_of(key), GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, btree_mergel(&target, &victim, GFP_KERNEL), 0);
	for (key = 1; key <= KEYS; key++) {
		KUNIT_EXPECT_NULL(test, btree_lookupl(&victim, key));
		KUNIT_EXPECT_PTR_EQ(test, btree_removel(&target, key), value_of(key));
	}
	btree_destroyl(&target);
	btree_destroyl(&victim);
}

static unsigned int nr_left;	/* of nodes that may be allocated; others fail */

static void *alloc_some(gfp_t gfp, void *unused)
{
	if (!nr_left)
		return NULL;
	nr_left--;
	return kmalloc(128, gfp);
}

static void free_node(void *node, void *unused)
{
	kfree(node);
}

/* A pool that ends: -ENOMEM, and the tree is what it was. */
static void without_memory(struct kunit *test)
{
	struct btree_head128 head;
	unsigned int nr = 0;
	mempool_t *pool;
	int error;

	nr_left = 20;
	pool = mempool_create(0, alloc_some, free_node, NULL);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	btree_init_mempool128(&head, pool);
	while (!(error = btree_insert128(&head, nr, nr + 1, value_of(nr + 1), GFP_NOWAIT)))
		KUNIT_ASSERT_LT(test, nr++, (unsigned int)KEYS);
	KUNIT_EXPECT_EQ(test, error, -ENOMEM);
	KUNIT_EXPECT_EQ(test, nr_left, 0U);
	KUNIT_EXPECT_GT(test, nr, 20U);
	for (unsigned int i = 0; i < nr; i++)
		KUNIT_EXPECT_PTR_EQ(test, btree_remove128(&head, i, i + 1), value_of(i + 1));
	btree_destroy128(&head);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(random_operations),
	KUNIT_CASE(visitors),
	KUNIT_CASE(merging),
	KUNIT_CASE(without_memory),
	{}
};

static struct kunit_suite suite = { .name = "client_btree", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
