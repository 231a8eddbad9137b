/* SPDX-License-Identifier: MIT */
/* Heaps: blocks of any size from any thread; destroying the heap frees all of them. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/options.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

#define NR_THREADS 4
#define NR_SHELVES 64
#define NR_STEPS TEST_STEPS(20000)

static size_t in_use(void)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	return stats.slab_bytes + stats.mapped_bytes;
}

static struct usermm_heap *must_create(struct kunit *test)
{
	struct usermm_heap *heap = usermm_heap_create("test");

	KUNIT_ASSERT_NOT_NULL(test, heap);
	return heap;
}

static const size_t sizes[] = {
	0, 1, 16, 17, 100, 128, 129, 1024, 1728, 1729, 5000, 32768, 32769, 100000, 1 << 20,
	5 << 20,
};

static void test_heap_sizes(struct kunit *test)
{
	struct usermm_heap *heap = must_create(test);
	struct usermm_heap_stats stats;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned char *block = usermm_heap_alloc(heap, sizes[i]);
		unsigned char *zeroed = usermm_heap_zalloc(heap, sizes[i]);

		KUNIT_ASSERT_NOT_NULL(test, block);
		KUNIT_ASSERT_NOT_NULL(test, zeroed);
		KUNIT_EXPECT_EQ(test, (unsigned long)block % 16, 0);
		KUNIT_EXPECT_GE(test, usermm_heap_usable_size(heap, block), sizes[i]);
		memset(block, 0x5a, sizes[i]);
		for (size_t byte = 0; byte < sizes[i]; byte += 61)
			KUNIT_ASSERT_EQ(test, zeroed[byte], 0);
		if (i % 2)
			usermm_heap_free(heap, block);
	}
	usermm_heap_free(heap, NULL);
	usermm_heap_stats_read(heap, &stats);
	KUNIT_EXPECT_EQ(test, stats.blocks, ARRAY_SIZE(sizes) + ARRAY_SIZE(sizes) / 2);
	KUNIT_EXPECT_GE(test, stats.held_bytes, stats.bytes);
	usermm_heap_destroy(heap);
}

static void test_heap_alignments(struct kunit *test)
{
	struct usermm_heap *heap = must_create(test);

	for (size_t align = 1; align <= 64UL << 20; align *= align < PAGE_SIZE ? 2 : 8)
		for (size_t size = 1; size <= 100000; size *= 17) {
			void *block = usermm_heap_aligned_alloc(heap, align, size);

			KUNIT_ASSERT_NOT_NULL(test, block);
			KUNIT_EXPECT_EQ(test, (unsigned long)block % align, 0);
			memset(block, 1, size);
		}
	errno = 0;
	KUNIT_EXPECT_NULL(test, usermm_heap_aligned_alloc(heap, 24, 100));
	KUNIT_EXPECT_EQ(test, errno, EINVAL);
	usermm_heap_destroy(heap);
}

static void fill(unsigned char *block, size_t size, unsigned char seed)
{
	for (size_t i = 0; i < size; i += 7)
		block[i] = (unsigned char)(seed + i);
}

static bool is_filled(const unsigned char *block, size_t size, unsigned char seed)
{
	for (size_t i = 0; i < size; i += 7)
		if (block[i] != (unsigned char)(seed + i))
			return false;
	return true;
}

static void test_heap_realloc(struct kunit *test)
{
	struct usermm_heap *heap = must_create(test);
	size_t old_size = 0;
	unsigned char *block = NULL;
	struct prng prng = { 1 };

	for (unsigned int i = 0; i < 400; i++) {
		size_t size = prng_below(&prng, 1u << prng_range(&prng, 1, 23)) + 1;

		block = usermm_heap_realloc(heap, block, size);
		KUNIT_ASSERT_NOT_NULL(test, block);
		KUNIT_ASSERT_TRUE(test, is_filled(block, min(size, old_size), 3));
		fill(block, size, 3);
		old_size = size;
	}
	KUNIT_EXPECT_NULL(test, usermm_heap_realloc(heap, block, 0));
	usermm_heap_destroy(heap);
}

/* Many large blocks: their table grows. */
static void test_heap_destroy_frees_all(struct kunit *test)
{
	size_t before, during;
	struct usermm_heap *heap;

	usermm_heap_destroy(NULL);
	usermm_heap_destroy(must_create(test));
	before = in_use();
	heap = must_create(test);
	for (unsigned int i = 0; i < 2000; i++) {
		KUNIT_ASSERT_NOT_NULL(test, usermm_heap_alloc(heap, 40000));
		KUNIT_ASSERT_NOT_NULL(test, usermm_heap_alloc(heap, 1000 + i));
	}
	KUNIT_ASSERT_NOT_NULL(test, usermm_heap_alloc(heap, 64UL << 20));
	during = in_use();
	KUNIT_EXPECT_GT(test, during, before + (64UL << 20));
	usermm_heap_destroy(heap);
	KUNIT_EXPECT_LT(test, in_use(), before + (1UL << 20));
}

struct shelf {
	unsigned char *block;
	size_t size;
};

struct shared {
	struct usermm_heap *heap;
	struct shelf *shelves[NR_SHELVES];	/* Sync: atomic exchange */
};

/* Threads free what others have allocated. */
static void exchange(struct test_thread *thread)
{
	struct shared *shared = thread->arg;

	for (unsigned int i = 0; i < NR_STEPS; i++) {
		size_t size = prng_below(&thread->prng, 1u << prng_range(&thread->prng, 4, 17)) +
			      sizeof(struct shelf);
		struct shelf *shelf = usermm_heap_alloc(shared->heap, size);
		unsigned int at = prng_below(&thread->prng, NR_SHELVES);

		KUNIT_ASSERT_NOT_NULL(thread->test, shelf);
		shelf->size = size;
		fill((unsigned char *)(shelf + 1), size - sizeof(*shelf), 9);
		shelf = __atomic_exchange_n(&shared->shelves[at], shelf, __ATOMIC_ACQ_REL);
		if (!shelf)
			continue;
		KUNIT_ASSERT_TRUE(thread->test, is_filled((unsigned char *)(shelf + 1),
							  shelf->size - sizeof(*shelf), 9));
		usermm_heap_free(shared->heap, shelf);
	}
}

static void test_heap_threads(struct kunit *test)
{
	struct shared shared = { .heap = must_create(test) };

	test_threads_run(test, NR_THREADS, exchange, &shared);
	usermm_heap_destroy(shared.heap);
}

/* --- Mistakes ----------------------------------------------------------------------------- */

/*
 * Expects a report that holds both texts and ends the process. It is one line, unless an option
 * asks for more. A cache with debugging flags may write Linux's report instead, and go on.
 */
static void expect_report(struct kunit *test, void (*fn)(struct kunit *test, void *arg), void *arg,
			  const char *text, const char *more)
{
	struct child_result result;

	if (!options.kfence_sample && !option_text(options.slab_debug)) {
		CHILD_EXPECT_DEATH(test, fn, arg, text, more);
		return;
	}
	child_run(test, fn, arg, &result);
	if (option_text(options.slab_debug) && !result.status) {
		KUNIT_EXPECT_NOT_NULL(test, strstr(result.err, "BUG test-"));
		return;
	}
	KUNIT_EXPECT_TRUE(test, WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGABRT);
	KUNIT_EXPECT_NOT_NULL(test, strstr(result.err, text));
}

enum mistake {
	OTHER_HEAP, NO_HEAP, INSIDE, TWICE, TWICE_LARGE, OTHER_LARGE, RESIZE_INSIDE, RESIZE_FREE,
	SIZE_OF_FREE, SIZE_INSIDE,
};

static void make_mistake(struct kunit *test, void *arg)
{
	struct usermm_heap *heap = must_create(test), *other = must_create(test);
	char *small = usermm_heap_alloc(heap, 100), *large = usermm_heap_alloc(heap, 1 << 20);

	KUNIT_ASSERT_NOT_NULL(test, usermm_heap_alloc(other, 100));
	switch (*(const enum mistake *)arg) {
	case OTHER_HEAP:
		usermm_heap_free(other, small);
		break;
	case NO_HEAP:
		usermm_heap_free(heap, kmalloc(100, GFP_KERNEL));
		break;
	case INSIDE:
		usermm_heap_free(heap, small + 16);
		break;
	case TWICE:
		usermm_heap_free(heap, small);
		usermm_heap_free(heap, small);
		break;
	case TWICE_LARGE:
		usermm_heap_free(heap, large);
		usermm_heap_free(heap, large);
		break;
	case OTHER_LARGE:
		KUNIT_EXPECT_NULL(test, usermm_heap_realloc(other, large, 2 << 20));
		break;
	case RESIZE_INSIDE:
		KUNIT_EXPECT_NULL(test, usermm_heap_realloc(heap, small + 16, 100));
		break;
	case RESIZE_FREE:
		usermm_heap_free(heap, small);
		KUNIT_EXPECT_NULL(test, usermm_heap_realloc(heap, small, 100));
		break;
	case SIZE_OF_FREE:
		usermm_heap_free(heap, small);
		KUNIT_EXPECT_EQ(test, usermm_heap_usable_size(heap, small), 0);
		break;
	case SIZE_INSIDE:
		KUNIT_EXPECT_EQ(test, usermm_heap_usable_size(heap, small + 16), 0);
		break;
	}
}

static void test_heap_mistakes(struct kunit *test)
{
	for (enum mistake mistake = OTHER_HEAP; mistake <= SIZE_INSIDE; mistake++)
		expect_report(test, make_mistake, &mistake, "usermm_heap_", NULL);
}

/* --- A cache names its heap --------------------------------------------------------------- */

/* Both heaps have the class, so a cache that named no heap, or any heap, would take the block. */
static void free_to_other(struct kunit *test, void *arg)
{
	struct usermm_heap *heap = must_create(test), *other = must_create(test);
	size_t size = *(const size_t *)arg;
	char *block = usermm_heap_alloc(heap, size);

	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_ASSERT_NOT_NULL(test, usermm_heap_alloc(other, size));
	usermm_heap_free(other, block);
}

static void ask_other_for_bytes(struct kunit *test, void *arg)
{
	struct usermm_heap *heap = must_create(test), *other = must_create(test);
	size_t size = *(const size_t *)arg;

	KUNIT_ASSERT_NOT_NULL(test, usermm_heap_alloc(other, size));
	usermm_heap_usable_size(other, usermm_heap_alloc(heap, size));
}

/* The new heap mostly lies at the old one's address, but has none of its caches. */
static void free_to_later_heap(struct kunit *test, void *arg)
{
	struct usermm_heap *heap = must_create(test);
	char *block = usermm_heap_alloc(heap, *(const size_t *)arg);

	KUNIT_ASSERT_NOT_NULL(test, block);
	usermm_heap_destroy(heap);
	usermm_heap_free(must_create(test), block);
}

static void test_heap_owners(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t size = sizes[i];

		expect_report(test, free_to_other, &size, "usermm_heap_free", "\"test\"");
		expect_report(test, ask_other_for_bytes, &size, "usermm_heap_usable_size",
			      "\"test\"");
		expect_report(test, free_to_later_heap, &size, "usermm_heap_free", "\"test\"");
	}
}

/* NULL is no heap: neither malloc's blocks nor a heap's belong to it. */
static void free_to_none(struct kunit *test, void *arg)
{
	void *block = usermm_malloc(*(const size_t *)arg);

	KUNIT_ASSERT_NOT_NULL(test, block);
	usermm_heap_free(NULL, block);
}

static void free_kmalloc_to_none(struct kunit *test, void *arg)
{
	void *block = kmalloc(*(const size_t *)arg, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, block);
	usermm_heap_free(NULL, block);
}

static void ask_none_for_bytes(struct kunit *test, void *arg)
{
	void *block = usermm_malloc(*(const size_t *)arg);

	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_EQ(test, usermm_heap_usable_size(NULL, block), 0);
}

static void test_heap_none(struct kunit *test)
{
	static const size_t blocks[] = { 100, 5000, 1 << 20 };

	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++) {
		size_t size = blocks[i];

		expect_report(test, free_to_none, &size, "usermm_heap_free", "\"NULL\"");
		expect_report(test, free_kmalloc_to_none, &size, "usermm_heap_free", "\"NULL\"");
		expect_report(test, ask_none_for_bytes, &size, "usermm_heap_usable_size",
			      "\"NULL\"");
	}
	usermm_heap_free(NULL, NULL);
	KUNIT_EXPECT_EQ(test, usermm_heap_usable_size(NULL, NULL), 0);
}

/* The heap keeps the sheaf of its class; a request that is to fail must not be served from it. */
static void test_heap_faults(struct kunit *test)
{
	struct usermm_heap *heap = must_create(test);

	for (size_t size = 16; size <= 4096; size *= 4) {
		void *block = usermm_heap_alloc(heap, size);

		KUNIT_ASSERT_NOT_NULL(test, block);
		usermm_heap_free(heap, block);
		usermm_failslab.ignore_gfp_reclaim = false;
		usermm_fail_nth(1);
		KUNIT_EXPECT_NULL(test, usermm_heap_alloc(heap, size));
		KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 0);
		usermm_failslab.ignore_gfp_reclaim = true;
		KUNIT_EXPECT_NOT_NULL(test, usermm_heap_alloc(heap, size));
	}
	usermm_heap_destroy(heap);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_heap_sizes),
	KUNIT_CASE(test_heap_alignments),
	KUNIT_CASE(test_heap_realloc),
	KUNIT_CASE(test_heap_destroy_frees_all),
	KUNIT_CASE(test_heap_threads),
	KUNIT_CASE(test_heap_mistakes),
	KUNIT_CASE(test_heap_owners),
	KUNIT_CASE(test_heap_none),
	KUNIT_CASE(test_heap_faults),	/* arms fault injection for good */
	{ 0 },
};

static struct kunit_suite suite = { .name = "malloc-heap", .test_cases = cases };

kunit_test_suite(suite);
