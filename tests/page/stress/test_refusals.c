/* SPDX-License-Identifier: MIT */
/*
 * The system refuses memory calls: one of them, or each k-th. A request that cannot be served
 * returns NULL and has no other effect, and blocks that are known to be zero are zero.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mm/memmap.h"
#include "page/pcp/pcp.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/zones.h"

/*
 * The library's calls come here, since it is part of this program. Not under sanitizers,
 * which have functions of that name.
 */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define CAN_REFUSE 0
static unsigned long first_refused, refuse_each, nr_calls;
static size_t granted = SIZE_MAX;
#else
#define CAN_REFUSE 1
static unsigned long first_refused, refuse_each, nr_calls;
static size_t granted = SIZE_MAX;	/* bytes that may still become usable */

static bool is_refused(void)
{
	unsigned long call = __atomic_add_fetch(&nr_calls, 1, __ATOMIC_RELAXED);

	if (!first_refused || call < first_refused ||
	    (call != first_refused && (!refuse_each || (call - first_refused) % refuse_each)))
		return false;
	errno = ENOMEM;
	return true;
}

void *mmap(void *addr, size_t length, int protection, int flags, int fd, off_t offset)
{
	if (is_refused())
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, addr, length, protection, flags, fd, offset);
}

int munmap(void *addr, size_t length)
{
	return is_refused() ? -1 : (int)syscall(SYS_munmap, addr, length);
}

int mprotect(void *addr, size_t length, int protection)
{
	if (is_refused() || length > granted) {
		errno = ENOMEM;
		return -1;
	}
	/* Struct pages are less, and stay usable when the rest is refused. */
	if (granted != SIZE_MAX && length >= SECTION_BYTES)
		granted -= length;
	return (int)syscall(SYS_mprotect, addr, length, protection);
}

int madvise(void *addr, size_t length, int advice)
{
	return is_refused() ? -1 : (int)syscall(SYS_madvise, addr, length, advice);
}
#endif

static void check_zero(struct kunit *test, const struct page *page, unsigned int order)
{
	const unsigned long *word = page_address(page);

	for (unsigned long i = 0; i < PAGE_SIZE << order >> 3; i++)
		KUNIT_ASSERT_EQ(test, word[i], 0UL);
}

#define NR_BLOCKS 24

/*
 * Allocates and frees memory, in blocks large enough for the zone to grow and for memory to go
 * back.
 */
static void use_memory(struct kunit *test, void *arg)
{
	struct page *blocks[NR_BLOCKS];

	(void)arg;
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < NR_BLOCKS; i++) {
			blocks[i] = alloc_pages(GFP_NOWAIT | __GFP_ZERO | __GFP_NOWARN, i % 11);
			if (!blocks[i])
				continue;
			check_zero(test, blocks[i], i % 11);
			memset(page_address(blocks[i]), 0xee, PAGE_SIZE << i % 11);
		}
		for (unsigned int i = 0; i < NR_BLOCKS; i++)
			if (blocks[i])
				__free_pages(blocks[i], i % 11);
		usermm_trim(0);
	}
	if (!page_is_up())
		return;
	drain_all_pages(NULL);
	zones_check_lists(test);
	KUNIT_EXPECT_EQ(test, nodes_free_pages() + pcp_pages(), nodes_managed_pages());
}

static void refuse_from(struct kunit *test, void *arg)
{
	first_refused = *(unsigned long *)arg;
	nr_calls = 0;
	use_memory(test, NULL);
	/* Told to the parent by the exit of the case: was it reached? */
	KUNIT_EXPECT_GE_MSG(test, nr_calls, first_refused, "no such call");
}

static void test_refusals_one(struct kunit *test)
{
	struct child_result result = { 0 };
	unsigned long call;

	if (!CAN_REFUSE)
		kunit_skip(test, "the sanitizer has the functions");
	for (call = 1; call < 1000; call++) {
		child_run(test, refuse_from, &call, &result);
		if (result.status)
			break;
	}
	KUNIT_EXPECT_GT_MSG(test, call, 20, "%s", result.err);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(result.err, "no such call"), "call %lu: %s", call,
			      result.err);
}

static void refuse_often(struct kunit *test, void *arg)
{
	refuse_each = *(unsigned long *)arg;
	first_refused = refuse_each;
	use_memory(test, NULL);
}

static void test_refusals_often(struct kunit *test)
{
	if (!CAN_REFUSE)
		kunit_skip(test, "the sanitizer has the functions");
	for (unsigned long each = 1; each < 40; each++)
		CHILD_EXPECT_SUCCESS(test, refuse_often, &each);
}

static unsigned long take_blocks(struct hoard *hoard, unsigned long nr)
{
	return hoard_take(hoard, GFP_NOWAIT | __GFP_NOWARN, MAX_PAGE_ORDER, -1, NULL, nr);
}

#define NR_BEFORE 64
#define NR_LEFT 5

/*
 * A large heap grows in large steps. If the system has less than a step, the heap gets this rest.
 */
static void grow_to_the_end(struct kunit *test)
{
	struct hoard before, after;

	hoard_init(&before);
	hoard_init(&after);
	KUNIT_ASSERT_EQ(test, take_blocks(&before, NR_BEFORE), NR_BEFORE);
	while (zone_at(0, ZONE_NORMAL)->free_area[MAX_PAGE_ORDER].nr_of_type[MIGRATE_MOVABLE])
		KUNIT_ASSERT_EQ(test, take_blocks(&before, 1), 1);
	granted = NR_LEFT * SECTION_BYTES;
	KUNIT_EXPECT_EQ(test, take_blocks(&after, NR_LEFT + 1), NR_LEFT);
	granted = SIZE_MAX;
	KUNIT_EXPECT_EQ_MSG(test, take_blocks(&after, 1), 1, "there is more again");
	hoard_give_all(&before);
	hoard_give_all(&after);
	zones_check_whole(test);
}

static void test_refusals_growth(struct kunit *test)
{
	if (!CAN_REFUSE)
		kunit_skip(test, "the sanitizer has the functions");
	zones_run(test, "limit=1G", grow_to_the_end);
}

#define NR_VACATED 40

static void limit_addresses(struct kunit *test, rlim_t bytes)
{
	struct rlimit limit;

	KUNIT_ASSERT_EQ(test, getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = min(bytes, limit.rlim_max);
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &limit), 0);
}

/*
 * Unmapped sections are mapped again until a limit refuses one, because it would refuse all others.
 * A section whose addresses something else has is only skipped.
 */
static void vacate_and_grow(struct kunit *test, void *arg)
{
	unsigned long online_bytes;
	struct hoard hoard;
	char *taken_place;

	(void)arg;
	limit_addresses(test, 4UL << 30);
	hoard_init(&hoard);
	KUNIT_ASSERT_EQ(test, take_blocks(&hoard, NR_VACATED), NR_VACATED);
	hoard_give_all(&hoard);
	online_bytes = mm_window.online_bytes;
	KUNIT_ASSERT_TRUE(test, page_make_address_space(SIZE_MAX));
	KUNIT_ASSERT_FALSE(test, page_make_address_space(SIZE_MAX));
	limit_addresses(test, 1);
	nr_calls = 0;
	KUNIT_EXPECT_EQ(test, take_blocks(&hoard, 1), 0);
	KUNIT_EXPECT_LE(test, nr_calls, NR_VACATED / 2);
	limit_addresses(test, 4UL << 30);
	/* Wherever in the list this section is. */
	taken_place = (char *)usermm_memmap.base + NR_VACATED / 2 * SECTION_BYTES;
	KUNIT_ASSERT_PTR_EQ(test, mmap(taken_place, PAGE_SIZE, PROT_NONE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
			    (void *)taken_place);
	KUNIT_EXPECT_EQ(test, take_blocks(&hoard, NR_VACATED - 1), NR_VACATED - 1);
	KUNIT_EXPECT_EQ_MSG(test, mm_window.online_bytes, online_bytes,
			    "it grew though there were such sections");
	hoard_give_all(&hoard);
}

static void test_refusals_vacated(struct kunit *test)
{
	if (!CAN_REFUSE)
		kunit_skip(test, "the sanitizer has the functions");
	CHILD_EXPECT_SUCCESS(test, vacate_and_grow, NULL);
}

static struct kunit_case refusals_cases[] = {
	KUNIT_CASE(test_refusals_one),
	KUNIT_CASE(test_refusals_often),
	KUNIT_CASE(test_refusals_growth),
	KUNIT_CASE(test_refusals_vacated),
	{ 0 },
};

static struct kunit_suite refusals_suite = {
	.name = "refusals",
	.test_cases = refusals_cases,
};

kunit_test_suite(refusals_suite);
