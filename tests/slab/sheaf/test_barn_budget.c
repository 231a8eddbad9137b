/* SPDX-License-Identifier: MIT */
/*
 * The budget of all barns follows the memory that the process may have, which others change while
 * it runs. Also: when a barn looks at the clock. Which barns give way: slab/test_barn.
 */
#include "os/os.h"
#include "page/reclaim/limits.h"
#include "slab/cache.h"
#include "slab/sheaf/barn_budget.h"
#include "support/child.h"
#include "support/system/group.h"
#include "support/kernel.h"

#define BATCH 11
#define LIMIT_FILE GROUP_V2 "/job/memory.max"

static bool has_room(size_t bytes)
{
	bool granted = barn_budget_reserve(bytes);

	if (granted)
		barn_budget_unreserve(bytes);
	return granted;
}

static void set_limit(struct kunit *test, size_t bytes)
{
	group_write_number(test, LIMIT_FILE, bytes);
	limits_refresh();
}

/* A 64th of memory: from 1 MiB to 16 MiB and back. */
static void follows(struct kunit *test, void *arg)
{
	const char *option = arg, *error;

	KUNIT_ASSERT_EQ(test, usermm_set_options(option, &error), 0);
	limits_known_ms = 0;
	group_begin(test, "0::/job\n");
	group_write_number(test, LIMIT_FILE, 64 * MIB);
	KUNIT_ASSERT_EQ(test, slab_init(), 0);
	KUNIT_EXPECT_TRUE(test, has_room(MIB / 2));
	KUNIT_EXPECT_EQ(test, has_room(6 * MIB), *option != 0);
	set_limit(test, GIB);
	KUNIT_EXPECT_TRUE(test, has_room(6 * MIB));
	KUNIT_EXPECT_EQ(test, has_room(12 * MIB), !*option);
	set_limit(test, 64 * MIB);
	KUNIT_EXPECT_EQ(test, has_room(6 * MIB), *option != 0);
	group_end(test);
}

static void test_budget_follows_limit(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, follows, "");
	CHILD_EXPECT_SUCCESS(test, follows, "slab_cache_bytes=8M");
}

static void forget(struct barn *barn, void **objects, unsigned int n)
{
	(void)barn;
	(void)objects;
	(void)n;
}

/* Would a batch of such objects that comes back a while after the last one begin an epoch? */
static void expect_look(struct kunit *test, unsigned int object_bytes)
{
	static struct barn barns[2];
	struct barn *barn = &barns[object_bytes > PAGE_SIZE];
	void *objects[BATCH] = { NULL };
	uint32_t epoch;

	lock_acquire(&slab_caches_lock);
	barn_init(barn, BATCH, object_bytes, forget);
	lock_release(&slab_caches_lock);
	KUNIT_EXPECT_FALSE(test, barn_give(barn, objects, BATCH));
	epoch = barn_budget_epoch;
	os_sleep_us((BARN_EPOCH_MS + 50) * 1000);
	for (size_t bytes = 0; bytes < 512 * KIB; bytes += BATCH * object_bytes)
		KUNIT_EXPECT_FALSE(test, barn_give(barn, objects, BATCH));
	KUNIT_EXPECT_NE(test, barn_budget_epoch, epoch);
}

/* The barn refuses all batches. With a few large objects it has only few visits. */
static void looks(struct kunit *test, void *arg)
{
	(void)arg;
	KUNIT_ASSERT_EQ(test, slab_init(), 0);
	expect_look(test, 20000);
	expect_look(test, 2000);
}

static void test_barn_looks_by_bytes(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, looks, NULL);
}

static struct kunit_case barn_budget_cases[] = {
	KUNIT_CASE(test_budget_follows_limit),
	KUNIT_CASE(test_barn_looks_by_bytes),
	{ 0 },
};

static struct kunit_suite barn_budget_suite = {
	.name = "slab-barn-budget",
	.test_cases = barn_budget_cases,
};

kunit_test_suite(barn_budget_suite);
