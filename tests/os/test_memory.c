/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include "os/memory.h"
#include "support/kernel.h"
#include "support/shadow.h"

/* Can the kernel read a byte there? Asked without touching it. */
static bool readable(const void *addr)
{
	int fds[2], saved_errno = errno;
	bool ok;

	if (pipe(fds))
		return false;
	ok = write(fds[1], addr, 1) == 1;
	close(fds[0]);
	close(fds[1]);
	errno = saved_errno;
	return ok;
}

static void test_os_page_bytes(struct kunit *test)
{
	size_t bytes = os_page_bytes();

	KUNIT_EXPECT_EQ(test, bytes, (size_t)sysconf(_SC_PAGESIZE));
	KUNIT_EXPECT_GE(test, bytes, 4096);
	KUNIT_EXPECT_EQ(test, bytes & (bytes - 1), 0);
}

static void test_os_reserve_and_commit(struct kunit *test)
{
	size_t page = os_page_bytes(), bytes = 64 * MIB;
	char *addr = NULL;

	errno = 55;
	KUNIT_ASSERT_EQ(test, os_reserve(bytes, 4 * MIB, (void **)&addr), 0);
	KUNIT_ASSERT_NOT_NULL(test, addr);
	KUNIT_EXPECT_EQ(test, (unsigned long)addr % (4 * MIB), 0);
	KUNIT_EXPECT_FALSE(test, readable(addr));
	KUNIT_EXPECT_FALSE(test, readable(addr + bytes - 1));
	KUNIT_EXPECT_EQ(test, os_commit(addr + MIB, 2 * MIB), 0);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(addr + MIB, 2 * MIB, 0));
	memset(addr + MIB, 0xff, 2 * MIB);
	KUNIT_EXPECT_FALSE(test, readable(addr + MIB - 1));
	KUNIT_EXPECT_FALSE(test, readable(addr + 3 * MIB));
	KUNIT_EXPECT_EQ(test, os_discard(addr + MIB, page), 0);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(addr + MIB, page, 0));
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(addr + MIB + page, page, 0xff));
	KUNIT_EXPECT_EQ(test, os_unmap(addr, bytes), 0);
	KUNIT_EXPECT_EQ_MSG(test, errno, 55, "errno is the caller's");
}

static void test_os_map(struct kunit *test)
{
	static const size_t aligns[] = { 4096, 65536, 1UL << 20, 1UL << 24, 1UL << 30 };

	for (unsigned int i = 0; i < ARRAY_SIZE(aligns); i++)
		for (unsigned int lazily = 0; lazily < 2; lazily++) {
			size_t bytes = 3 * MIB;
			char *addr = NULL;
			int error = lazily ? os_map_lazily(bytes, aligns[i], (void **)&addr) :
				    os_map(bytes, aligns[i], (void **)&addr);

			KUNIT_ASSERT_EQ(test, error, 0);
			KUNIT_EXPECT_EQ(test, (unsigned long)addr % aligns[i], 0);
			KUNIT_EXPECT_TRUE(test, shadow_all_bytes(addr, bytes, 0));
			memset(addr, 1, bytes);
			/* The parts cut off for the alignment are gone. */
			KUNIT_EXPECT_EQ(test, os_unmap(addr, bytes), 0);
			KUNIT_EXPECT_FALSE(test, readable(addr));
		}
}

static void test_os_remap(struct kunit *test)
{
	char *addr = NULL, *moved = NULL;

	KUNIT_ASSERT_EQ(test, os_map(MIB, os_page_bytes(), (void **)&addr), 0);
	memset(addr, 0x21, MIB);
	KUNIT_ASSERT_EQ(test, os_remap(addr, MIB, 8 * MIB, (void **)&moved), 0);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(moved, MIB, 0x21));
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(moved + MIB, 7 * MIB, 0));
	KUNIT_ASSERT_EQ(test, os_remap(moved, 8 * MIB, MIB / 2, (void **)&addr), 0);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(addr, MIB / 2, 0x21));
	KUNIT_EXPECT_EQ(test, os_unmap(addr, MIB / 2), 0);
}

static void test_os_remap_in_place(struct kunit *test)
{
	unsigned char *addr;

	/* The rest of the mapping follows the part. */
	KUNIT_ASSERT_EQ(test, os_map(8 * MIB, MIB, (void **)&addr), 0);
	addr[0] = 7;
	addr[4 * MIB] = 8;
	errno = 77;
	KUNIT_EXPECT_NE(test, os_remap_in_place(addr, MIB, 2 * MIB), 0);
	KUNIT_EXPECT_EQ(test, addr[4 * MIB], 8);
	KUNIT_ASSERT_EQ(test, os_remap_in_place(addr, 8 * MIB, MIB), 0);
	KUNIT_ASSERT_EQ(test, os_remap_in_place(addr, MIB, 8 * MIB), 0);
	KUNIT_EXPECT_EQ(test, addr[0], 7);
	KUNIT_EXPECT_EQ(test, addr[4 * MIB], 0);
	KUNIT_EXPECT_EQ(test, errno, 77);
	KUNIT_EXPECT_EQ(test, os_unmap(addr, 8 * MIB), 0);
}

/* A request that is refused gives an error, and *addr and errno stay as they were. */
static void test_os_failures(struct kunit *test)
{
	char *addr = NULL;
	void *untouched = &addr;

	errno = 66;
	KUNIT_EXPECT_EQ(test, os_reserve(1UL << 62, 4096, &untouched), -ENOMEM);
	KUNIT_EXPECT_EQ(test, os_map(1UL << 62, 4096, &untouched), -ENOMEM);
	KUNIT_EXPECT_EQ(test, os_map_lazily(1UL << 62, 4096, &untouched), -ENOMEM);
	KUNIT_ASSERT_EQ(test, os_map(MIB, os_page_bytes(), (void **)&addr), 0);
	KUNIT_EXPECT_LT(test, os_remap(addr, MIB, 1UL << 62, &untouched), 0);
	memset(addr, 1, MIB);
	KUNIT_EXPECT_EQ(test, os_unmap(addr, MIB), 0);
	KUNIT_EXPECT_LT(test, os_unmap(addr + 1, 4096), 0);
	KUNIT_EXPECT_LT(test, os_commit(addr, MIB), 0);
	KUNIT_EXPECT_EQ(test, errno, 66);
}

static struct kunit_case memory_cases[] = {
	KUNIT_CASE(test_os_page_bytes),
	KUNIT_CASE(test_os_reserve_and_commit),
	KUNIT_CASE(test_os_map),
	KUNIT_CASE(test_os_remap),
	KUNIT_CASE(test_os_remap_in_place),
	KUNIT_CASE(test_os_failures),
	{ 0 },
};

static struct kunit_suite memory_suite = { .name = "memory", .test_cases = memory_cases };

kunit_test_suite(memory_suite);
