// SPDX-License-Identifier: MIT
/* The kernel's allocator of special memory (lib/genalloc.c), over chunks of ordinary pages. */
#include <kunit/test.h>
#include <linux/device.h>
#include <linux/genalloc.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>

enum { ORDER = 5, GRAIN = 1 << ORDER, CHUNKS = 4, CHUNK_BYTES = 16384, STEPS = 20000,
       PIECES = 200 };

static struct gen_pool *pool;
static void *chunks[CHUNKS];

static int client_init(struct kunit *test)
{
	pool = gen_pool_create(ORDER, NUMA_NO_NODE);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	for (unsigned int i = 0; i < CHUNKS; i++) {
		chunks[i] = alloc_pages_exact(CHUNK_BYTES, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, chunks[i]);
		KUNIT_ASSERT_EQ(test, gen_pool_add_virt(pool, (unsigned long)chunks[i],
							virt_to_phys(chunks[i]), CHUNK_BYTES,
							NUMA_NO_NODE), 0);
	}
	return 0;
}

static void client_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, gen_pool_avail(pool), (size_t)CHUNKS * CHUNK_BYTES);
	gen_pool_destroy(pool);
	for (unsigned int i = 0; i < CHUNKS; i++)
		free_pages_exact(chunks[i], CHUNK_BYTES);
}

struct piece {
	unsigned char *memory;
	size_t size;
	unsigned char fill;
};

static void take(struct kunit *test, struct piece *piece, size_t *taken)
{
	dma_addr_t handle;

	piece->size = 1 + get_random_u32() % 2000;
	piece->memory = gen_pool_dma_alloc(pool, piece->size, &handle);
	if (!piece->memory)
		return;
	KUNIT_EXPECT_EQ(test, handle, (dma_addr_t)virt_to_phys(piece->memory));
	KUNIT_EXPECT_TRUE(test, gen_pool_has_addr(pool, (unsigned long)piece->memory,
						  piece->size));
	piece->fill = (unsigned char)get_random_u32();
	memset(piece->memory, piece->fill, piece->size);
	*taken += round_up(piece->size, GRAIN);
}

static void give_back(struct kunit *test, struct piece *piece, size_t *taken)
{
	if (!piece->memory)
		return;
	KUNIT_EXPECT_NULL(test, memchr_inv(piece->memory, piece->fill, piece->size));
	gen_pool_free(pool, (unsigned long)piece->memory, piece->size);
	*taken -= round_up(piece->size, GRAIN);
	piece->memory = NULL;
}

/* No two pieces share a byte, and what is available is what is not taken. */
static void random_pieces(struct kunit *test)
{
	struct piece *pieces = kcalloc(PIECES, sizeof(*pieces), GFP_KERNEL);
	size_t taken = 0;

	KUNIT_ASSERT_NOT_NULL(test, pieces);
	for (unsigned int i = 0; i < STEPS; i++) {
		struct piece *piece = &pieces[get_random_u32() % PIECES];

		if (i == STEPS / 2)
			gen_pool_set_algo(pool, gen_pool_best_fit, NULL);
		if (piece->memory)
			give_back(test, piece, &taken);
		else
			take(test, piece, &taken);
		KUNIT_ASSERT_EQ(test, gen_pool_avail(pool),
				(size_t)CHUNKS * CHUNK_BYTES - taken);
	}
	for (unsigned int i = 0; i < PIECES; i++)
		give_back(test, &pieces[i], &taken);
	kfree(pieces);
}

/* As much as a chunk in one piece, and not a byte more. */
static void exhaustion(struct kunit *test)
{
	unsigned long pieces[CHUNKS];

	KUNIT_EXPECT_EQ(test, gen_pool_alloc(pool, CHUNK_BYTES + 1), 0UL);
	for (unsigned int i = 0; i < CHUNKS; i++) {
		pieces[i] = gen_pool_alloc(pool, CHUNK_BYTES);
		KUNIT_EXPECT_NE(test, pieces[i], 0UL);
	}
	KUNIT_EXPECT_EQ(test, gen_pool_avail(pool), (size_t)0);
	KUNIT_EXPECT_EQ(test, gen_pool_alloc(pool, 1), 0UL);
	for (unsigned int i = 0; i < CHUNKS; i++)
		gen_pool_free(pool, pieces[i], CHUNK_BYTES);
}

static void alignment(struct kunit *test)
{
	dma_addr_t handle;
	void *odd = gen_pool_dma_zalloc(pool, 1, &handle), *aligned;

	KUNIT_ASSERT_NOT_NULL(test, odd);
	KUNIT_EXPECT_NULL(test, memchr_inv(odd, 0, 1));
	for (int align = GRAIN; align <= 4096; align *= 2) {
		aligned = gen_pool_dma_zalloc_align(pool, 40, &handle, align);
		KUNIT_ASSERT_NOT_NULL(test, aligned);
		KUNIT_EXPECT_EQ(test, (unsigned long)aligned % (unsigned long)align, 0UL);
		KUNIT_EXPECT_NULL(test, memchr_inv(aligned, 0, 40));
		gen_pool_free(pool, (unsigned long)aligned, 40);
	}
	gen_pool_free(pool, (unsigned long)odd, 1);
}

static void release(struct device *dev)
{
}

/* A pool that goes with its device, and that the device is asked for. */
static void of_a_device(struct kunit *test)
{
	static struct device dev = { .init_name = "client", .release = release };
	struct gen_pool *own;

	KUNIT_ASSERT_EQ(test, device_register(&dev), 0);
	KUNIT_EXPECT_NULL(test, gen_pool_get(&dev, "first"));
	own = devm_gen_pool_create(&dev, ORDER, NUMA_NO_NODE, "first");
	KUNIT_ASSERT_FALSE(test, IS_ERR(own));
	KUNIT_EXPECT_PTR_EQ(test, gen_pool_get(&dev, "first"), own);
	KUNIT_EXPECT_NULL(test, gen_pool_get(&dev, "second"));
	KUNIT_EXPECT_EQ(test, PTR_ERR(devm_gen_pool_create(&dev, ORDER, NUMA_NO_NODE, "first")),
			(long)-EINVAL);
	device_unregister(&dev);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(random_pieces),
	KUNIT_CASE(exhaustion),
	KUNIT_CASE(alignment),
	KUNIT_CASE(of_a_device),
	{}
};

static struct kunit_suite suite = {
	.name = "client_genalloc", .test_cases = cases, .init = client_init, .exit = client_exit
};
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
