// SPDX-License-Identifier: MIT
/* Compressed pages by twos in one page: mm/zbud.c as mm/zpool.c hands it out. */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/zpool.h>

enum { BUDDIES = 500, STEPS = 20000 };

struct buddy {
	unsigned long handle;
	size_t size;
	unsigned char fill;
};

static struct zpool *pool;
static struct buddy buddies[BUDDIES];

static int client_init(struct kunit *test)
{
	pool = zpool_create_pool("zbud", "client", GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	memset(buddies, 0, sizeof(buddies));
	return 0;
}

static void client_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, zpool_get_total_pages(pool), (u64)0);
	zpool_destroy_pool(pool);
}

static void store(struct kunit *test, struct buddy *buddy)
{
	void *memory;

	buddy->size = 1 + get_random_u32() % 3900;
	KUNIT_ASSERT_EQ(test, zpool_malloc(pool, buddy->size, GFP_NOIO, &buddy->handle), 0);
	buddy->fill = (unsigned char)get_random_u32();
	memory = zpool_map_handle(pool, buddy->handle, ZPOOL_MM_WO);
	memset(memory, buddy->fill, buddy->size);
	zpool_unmap_handle(pool, buddy->handle);
}

static void drop(struct kunit *test, struct buddy *buddy)
{
	void *memory = zpool_map_handle(pool, buddy->handle, ZPOOL_MM_RO);

	KUNIT_EXPECT_NULL(test, memchr_inv(memory, buddy->fill, buddy->size));
	zpool_unmap_handle(pool, buddy->handle);
	zpool_free(pool, buddy->handle);
	buddy->handle = 0;
}

static void random_sizes(struct kunit *test)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < STEPS; i++) {
		struct buddy *buddy = &buddies[get_random_u32() % BUDDIES];

		if (buddy->handle) {
			drop(test, buddy);
			nr--;
		} else {
			store(test, buddy);
			nr++;
		}
		/* One or two in each page. */
		KUNIT_ASSERT_LE(test, zpool_get_total_pages(pool), (u64)nr);
		KUNIT_ASSERT_GE(test, zpool_get_total_pages(pool), (u64)(nr + 1) / 2);
	}
	for (unsigned int i = 0; i < BUDDIES; i++)
		if (buddies[i].handle)
			drop(test, &buddies[i]);
}

/* Two halves share a page. */
static void pairs(struct kunit *test)
{
	unsigned long handles[20];

	for (unsigned int i = 0; i < ARRAY_SIZE(handles); i++)
		KUNIT_ASSERT_EQ(test, zpool_malloc(pool, 1800, GFP_KERNEL, &handles[i]), 0);
	KUNIT_EXPECT_EQ(test, zpool_get_total_pages(pool), (u64)ARRAY_SIZE(handles) / 2);
	for (unsigned int i = 0; i < ARRAY_SIZE(handles); i++)
		zpool_free(pool, handles[i]);
}

static void what_is_refused(struct kunit *test)
{
	unsigned long handle;

	KUNIT_EXPECT_STREQ(test, zpool_get_type(pool), "zbud");
	KUNIT_EXPECT_EQ(test, zpool_malloc(pool, 0, GFP_KERNEL, &handle), -EINVAL);
	KUNIT_EXPECT_EQ(test, zpool_malloc(pool, PAGE_SIZE + 1, GFP_KERNEL, &handle), -ENOSPC);
	KUNIT_EXPECT_EQ(test, zpool_malloc(pool, 10, GFP_KERNEL | __GFP_HIGHMEM, &handle),
			-EINVAL);
	KUNIT_EXPECT_NULL(test, zpool_create_pool("none", "client", GFP_KERNEL));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(random_sizes),
	KUNIT_CASE(pairs),
	KUNIT_CASE(what_is_refused),
	{}
};

static struct kunit_suite suite = {
	.name = "client_zpool", .test_cases = cases, .init = client_init, .exit = client_exit
};
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
