// SPDX-License-Identifier: MIT
/*
 * A process reads itself as `usermm inspect` reads another: what can be read is right, the rest is
 * told, and thousands of pieces that cannot be read cost little.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <kunit/test.h>

#include "target/target.h"

#define PIECES 5000
#define WORDS 1024
/* What one call of the kernel takes at most, as in tools/inspect/target/live.c. */
#define PARTS_MAX 512

static uint64_t words[WORDS], read_words[PIECES];
static struct piece pieces[PIECES];
static struct target *target;
static unsigned long calls, pieces_looked_at;

/* The program's own takes the place of libc's. The kernel looks at each piece of a call. */
ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long nr_local,
			 const struct iovec *remote, unsigned long nr_remote, unsigned long flags)
{
	calls++;
	pieces_looked_at += nr_remote;
	return syscall(SYS_process_vm_readv, pid, local, nr_local, remote, nr_remote, flags);
}

static int suite_init(struct kunit_suite *suite)
{
	char text[INSPECT_TEXT_BYTES], pid[16];
	enum inspect_status status;

	(void)suite;
	for (unsigned int i = 0; i < WORDS; i++)
		words[i] = i * 0x9e3779b97f4a7c15UL;
	snprintf(pid, sizeof(pid), "%d", getpid());
	target = target_open(pid, &status, text);
	if (!target)
		fprintf(stderr, "%s\n", text);
	return target ? 0 : -1;
}

static void suite_exit(struct kunit_suite *suite)
{
	(void)suite;
	target_close(target);
}

/* Pieces of a word each; `bad` of a hundred lie where nothing is mapped. */
static void make_pieces(uint64_t nowhere, unsigned int bad)
{
	for (unsigned int i = 0; i < PIECES; i++) {
		bool is_bad = (unsigned int)random() % 100 < bad;
		uint64_t good = (uint64_t)(uintptr_t)&words[i % WORDS];

		read_words[i] = 1;
		pieces[i] = (struct piece){
			.address = is_bad ? nowhere + i % 512 * 8 : good,
			.to = &read_words[i],
			.bytes = random() % 10 ? sizeof(uint64_t) : 0,
		};
	}
	calls = pieces_looked_at = 0;
}

static void expect_read(struct kunit *test, uint64_t nowhere)
{
	for (unsigned int i = 0; i < PIECES; i++) {
		bool is_bad = pieces[i].address >= nowhere && pieces[i].address < nowhere + 4096;

		if (!pieces[i].bytes)
			continue;
		KUNIT_ASSERT_EQ_MSG(test, pieces[i].failed, is_bad, "piece %u", i);
		KUNIT_ASSERT_EQ_MSG(test, read_words[i], is_bad ? 1 : words[i % WORDS],
				    "piece %u", i);
	}
}

/* The address of a page that is not mapped. */
static uint64_t unmapped(struct kunit *test)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	KUNIT_ASSERT_TRUE(test, page != MAP_FAILED);
	return (uint64_t)(uintptr_t)page;
}

static void each_piece_is_read_or_told(struct kunit *test)
{
	uint64_t nowhere = unmapped(test);

	srandom(1);
	for (unsigned int bad = 0; bad <= 100; bad += 10) {
		make_pieces(nowhere, bad);
		KUNIT_ASSERT_EQ(test, (int)target_read_pieces(target, pieces, PIECES), INSPECT_OK);
		expect_read(test, nowhere);
		make_pieces(nowhere, bad);
		target->ops->read_beside(target, pieces, PIECES);
		expect_read(test, nowhere);
	}
	munmap((void *)(uintptr_t)nowhere, 4096);
}

static void good_pieces_take_few_calls(struct kunit *test)
{
	make_pieces(0, 0);
	KUNIT_ASSERT_EQ(test, (int)target_read_pieces(target, pieces, PIECES), INSPECT_OK);
	KUNIT_EXPECT_LE(test, calls, (unsigned long)PIECES / PARTS_MAX + 1);
}

/* A damaged count of CPUs made a hundred thousand of them, and each call had 512. */
static void pieces_that_fail_are_looked_at_once(struct kunit *test)
{
	uint64_t nowhere = unmapped(test);

	make_pieces(nowhere, 100);
	KUNIT_ASSERT_EQ(test, (int)target_read_pieces(target, pieces, PIECES), INSPECT_OK);
	KUNIT_EXPECT_LE(test, pieces_looked_at, 3UL * PIECES + PARTS_MAX);
	make_pieces(nowhere, 100);
	target->ops->read_beside(target, pieces, PIECES);
	KUNIT_EXPECT_LE(test, pieces_looked_at, 3UL * PIECES + PARTS_MAX);
	munmap((void *)(uintptr_t)nowhere, 4096);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(each_piece_is_read_or_told),
	KUNIT_CASE(good_pieces_take_few_calls),
	KUNIT_CASE(pieces_that_fail_are_looked_at_once),
	{}
};

static struct kunit_suite suite = {
	.name = "live",
	.suite_init = suite_init,
	.suite_exit = suite_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);
