/* SPDX-License-Identifier: MIT */
/* The slots themselves: pieces of them, the mode, and fork(). */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "percpu/percpu.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/shadow.h"
#include "support/threads.h"

static void test_percpu_mode_follows_option(struct kunit *test)
{
	const char *text = getenv("USERMM_OPTIONS");
	enum percpu_mode mode = percpu_mode();

	KUNIT_ASSERT_NOT_NULL(test, percpu_mode_reason());
	kunit_info(test, "mode %d: %s", mode, percpu_mode_reason());
	if (text && strstr(text, "rseq=off"))
		KUNIT_EXPECT_EQ(test, mode, PERCPU_LOCKED);
	KUNIT_EXPECT_EQ(test, mode == PERCPU_LOCKED, percpu.index_field == 0);
	KUNIT_EXPECT_GE(test, percpu_nr_slots(), test_nr_cpus());
}

static void test_percpu_alloc_is_zero_and_aligned(struct kunit *test)
{
	static const size_t aligns[] = { 1, 8, 64, 128, 1024, 4096 };

	for (size_t i = 0; i < ARRAY_SIZE(aligns); i++) {
		void *piece = percpu_alloc(200, aligns[i]);

		KUNIT_ASSERT_NOT_NULL(test, piece);
		KUNIT_EXPECT_EQ(test, (unsigned long)percpu_ptr(piece, 0) % aligns[i], 0);
		for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
			char *mine = percpu_ptr(piece, slot);

			KUNIT_EXPECT_TRUE(test, shadow_all_bytes(mine, 200, 0));
			memset(mine, 0xa5, 200);
		}
		percpu_free(piece, 200);
	}
}

static void test_percpu_alloc_pieces_are_apart(struct kunit *test)
{
	enum { NR = 100 };
	void *pieces[NR];

	for (unsigned int i = 0; i < NR; i++) {
		pieces[i] = percpu_alloc(8 + i * 8, 8);
		KUNIT_ASSERT_NOT_NULL(test, pieces[i]);
		for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
			memset(percpu_ptr(pieces[i], slot), (int)i + 1, 8 + i * 8);
	}
	for (unsigned int i = 0; i < NR; i++) {
		for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
			for (unsigned int b = 0; b < 8 + i * 8; b++)
				KUNIT_ASSERT_EQ(test, ((char *)percpu_ptr(pieces[i], slot))[b],
						(char)(i + 1));
		percpu_free(pieces[i], 8 + i * 8);
	}
}

static void test_percpu_alloc_exhaustion(struct kunit *test)
{
	enum { BYTES = PERCPU_SLOT_BYTES / 16, MAX = 32 };
	void *pieces[MAX], *again;
	unsigned int nr = 0;

	while (nr < MAX && (pieces[nr] = percpu_alloc(BYTES, 64)))
		nr++;
	KUNIT_EXPECT_LT(test, nr, 16);
	KUNIT_ASSERT_GT_MSG(test, nr, 8, "a slot should be mostly free");
	KUNIT_EXPECT_NULL(test, percpu_alloc(PERCPU_SLOT_BYTES + 1, 64));
	percpu_free(pieces[nr / 2], BYTES);
	again = percpu_alloc(BYTES, 64);
	KUNIT_EXPECT_PTR_EQ(test, again, pieces[nr / 2]);
	while (nr--)
		percpu_free(pieces[nr], BYTES);
}

/* No byte of the piece has the offset in its page that the word has. */
static void test_percpu_alloc_apart_from_a_word(struct kunit *test)
{
	for (unsigned int offset = 0; offset < 4096; offset += 40) {
		const char *word = (char *)0x10000 + offset;
		void *piece = percpu_alloc_apart(520, 64, word, sizeof(long));
		unsigned long start;

		KUNIT_ASSERT_NOT_NULL(test, piece);
		start = (unsigned long)percpu_ptr(piece, 0);
		KUNIT_EXPECT_EQ(test, start % 64, 0);
		for (unsigned long byte = start; byte < start + 520; byte++)
			KUNIT_ASSERT_NE_MSG(test, byte % 4096 / 8, offset / 8, "offset %u", offset);
		percpu_free(piece, 520);
	}
}

struct fork_state {
	struct percpu_array *array;
	unsigned int stop;
};

/* Leaves slots held at any moment, if they can be held at all. */
static void keep_busy(struct test_thread *thread)
{
	struct fork_state *state = thread->arg;

	if (thread->index) {
		while (!__atomic_load_n(&state->stop, __ATOMIC_RELAXED)) {
			percpu_array_prepare(state->array, 8);
			percpu_push(state->array, state);
			percpu_pop(state->array);
		}
		return;
	}
	for (unsigned int round = 0; round < 30; round++) {
		int status = -1;
		pid_t pid;

		pid = fork();
		if (!pid) {
			unsigned int reached = 0;

			for (unsigned int cpu = 0; cpu < test_nr_cpus(); cpu++) {
				test_pin(cpu);
				percpu_array_prepare(state->array, 8);
				percpu_pop(state->array);
				reached += percpu_push(state->array, state);
			}
			_exit(reached == test_nr_cpus() ? 0 : 1);
		}
		waitpid(pid, &status, 0);
		KUNIT_EXPECT_EQ_MSG(thread->test, status, 0, "a slot was not usable");
	}
	__atomic_store_n(&state->stop, 1, __ATOMIC_RELAXED);
}

static void test_percpu_fork_leaves_slots_free(struct kunit *test)
{
	size_t bytes = sizeof(struct percpu_array) + 8 * sizeof(void *);
	struct fork_state state = { .array = percpu_alloc(bytes, 64) };

	KUNIT_ASSERT_NOT_NULL(test, state.array);
	test_threads_run(test, 4, keep_busy, &state);
	percpu_free(state.array, bytes);
}

static struct kunit_case percpu_cases[] = {
	KUNIT_CASE(test_percpu_mode_follows_option),
	KUNIT_CASE(test_percpu_alloc_is_zero_and_aligned),
	KUNIT_CASE(test_percpu_alloc_pieces_are_apart),
	KUNIT_CASE(test_percpu_alloc_exhaustion),
	KUNIT_CASE(test_percpu_alloc_apart_from_a_word),
	KUNIT_CASE(test_percpu_fork_leaves_slots_free),
	{ 0 },
};

static struct kunit_suite percpu_suite = {
	.name = "percpu",
	.suite_init = test_warm_up,
	.test_cases = percpu_cases,
};

kunit_test_suite(percpu_suite);
