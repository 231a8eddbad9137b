/* SPDX-License-Identifier: MIT */
/* Slots are made when a thread needs one; in this test there is one at first. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/os.h"
#include "percpu/percpu.h"
#include "percpu/slots.h"
#include "percpu/vfork.h"
#include "selftest/stepping.h"
#include "support/kernel.h"
#include "support/places.h"
#include "support/threads.h"

#define LIMIT 8
#define ARRAY_BYTES (sizeof(struct percpu_array) + LIMIT * sizeof(void *))

static struct percpu_array *array;

/*
 * The library's calls come here, since it is part of this program. Not under sanitizers,
 * which have functions of that name.
 */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define CAN_REFUSE 0
static bool refuses;
#else
#define CAN_REFUSE 1
static bool refuses;

int mprotect(void *addr, size_t length, int protection)
{
	if (refuses) {
		errno = ENOMEM;
		return -1;
	}
	return (int)syscall(SYS_mprotect, addr, length, protection);
}
#endif

/*
 * A thread looks for its slot while another one brings slots up. In a child, because slots come up
 * only once.
 */
static bool are_made_by_one(void)
{
	unsigned int nr;
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(percpu_slots_init(4, &nr) || percpu_slot_make(2) || percpu_nr_slots());
	return waitpid(pid, &status, 0) == pid && !status;
}

/* The slots are wanted in the order of these cases. */
static int start_with_one(struct kunit_suite *suite)
{
	(void)suite;
	percpu_first_slots = 1;
	if (percpu_nr_slots() || !are_made_by_one())
		return -1;
	array = percpu_alloc(ARRAY_BYTES, 64);
	return array && percpu_nr_slots() == 1 ? 0 : -1;
}

static int need_several(struct kunit *test)
{
	if (percpu_nr_cpus() < 2)
		kunit_skip(test, "there is one CPU");
	return 0;
}

static bool is_writable(unsigned int slot)
{
	int fds[2];
	bool writable;

	if (pipe(fds) || write(fds[1], "", 1) != 1)
		return true;
	writable = read(fds[0], percpu_ptr(array, slot), 1) == 1;
	close(fds[0]);
	close(fds[1]);
	return writable;
}

static void test_slots_are_few_at_first(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, percpu_nr_slots(), 1);
	KUNIT_EXPECT_TRUE(test, is_writable(0));
	KUNIT_EXPECT_FALSE(test, is_writable(1));
	KUNIT_EXPECT_FALSE(test, percpu_slot_make(percpu_nr_cpus()));
	KUNIT_EXPECT_FALSE(test, percpu_slot_make(~0u));
	KUNIT_EXPECT_TRUE(test, percpu_slot_make(0));
	KUNIT_EXPECT_EQ(test, percpu_nr_slots(), 1);
}

/* After a refusal the system is asked again, but not at once. */
static void test_slots_are_refused(struct kunit *test)
{
	uint64_t start = os_time_ms();
	bool is_made;

	if (!CAN_REFUSE)
		kunit_skip(test, "the system cannot be made to refuse");
	refuses = true;
	KUNIT_EXPECT_FALSE(test, percpu_slot_make(1));
	refuses = false;
	is_made = percpu_slot_make(1);
	if (os_time_ms() - start >= 1000)
		kunit_skip(test, "this machine took a second to get here");
	KUNIT_EXPECT_FALSE(test, is_made);
	KUNIT_EXPECT_EQ(test, percpu_nr_slots(), 1);
	usleep(1100 * 1000);
}

static void end_share(void *unused)
{
	(void)unused;
	percpu_share_end();
}

static void make_second(void)
{
	percpu_slot_make(1);
}

/* The second slot is made at this instruction of percpu_share_end(). In a child: only once. */
static bool opens_second_made_at(unsigned long place)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		percpu_share_begin();
		stepping_break_at(place, end_share, NULL, make_second);
		_exit(percpu.bound.children || percpu.bound.limit != percpu_nr_slots());
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

/* A slot that is made while the last child ends is open afterwards. */
static void test_slots_open_when_made_at_the_end(struct kunit *test)
{
	if (!STEPPING_SINGLE || RSEQ_IN_C || !stepping_works())
		kunit_skip(test, "no single steps");
	percpu_share_begin();
	nr_places = 0;
	stepping_run(end_share, NULL, place_note);
	KUNIT_EXPECT_GT(test, nr_places, 10);
	KUNIT_ASSERT_LT(test, nr_places, NR_PLACES);
	for (unsigned int i = 0; i < nr_places; i++)
		KUNIT_EXPECT_TRUE(test, opens_second_made_at(places[i]));
	KUNIT_EXPECT_EQ(test, percpu_nr_slots(), 1);
}

static void test_slots_stay_closed_to_children(struct kunit *test)
{
	percpu_share_begin();
	KUNIT_EXPECT_TRUE(test, percpu_slot_make(1));
	KUNIT_EXPECT_EQ(test, percpu_nr_slots(), 2);
	KUNIT_EXPECT_EQ(test, percpu.bound.limit, 0);
	percpu_share_end();
	KUNIT_EXPECT_EQ(test, percpu.bound.limit, 2);
	KUNIT_EXPECT_TRUE(test, is_writable(1));
	percpu_free(array, ARRAY_BYTES);	/* what was written to see that */
	array = percpu_alloc(ARRAY_BYTES, 64);
	KUNIT_EXPECT_NOT_NULL(test, array);
}

/* Nothing is lost on the way from no slot to one. */
static void come_and_go(struct test_thread *thread)
{
	void *objects[50];

	for (unsigned int i = 0; i < TEST_STEPS(200); i++) {
		if (i % 20 == 0)
			test_pin(thread->index + i / 20);
		for (unsigned int j = 0; j < ARRAY_SIZE(objects); j++) {
			objects[j] = kmalloc(16 << j % 8, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(thread->test, objects[j]);
			memset(objects[j], (int)thread->index, 16 << j % 8);
		}
		for (unsigned int j = 0; j < ARRAY_SIZE(objects); j++) {
			KUNIT_EXPECT_EQ(thread->test, ((u8 *)objects[j])[(16 << j % 8) - 1],
					thread->index);
			kfree(objects[j]);
		}
	}
	percpu_array_prepare(array, LIMIT);
}

static void test_slots_come_with_threads(struct kunit *test)
{
	unsigned int nr = min(percpu_nr_cpus(), 8u);

	test_threads_run(test, 8, come_and_go, NULL);
	KUNIT_EXPECT_GE(test, percpu_nr_slots(), 2);
	KUNIT_EXPECT_LE(test, percpu_nr_slots(), percpu_nr_cpus());
	if (percpu_mode() == PERCPU_LOCKED)
		for (unsigned int slot = 0; slot < nr; slot++) {
			KUNIT_EXPECT_TRUE(test, percpu_bind_slot(slot));
			KUNIT_EXPECT_EQ(test, percpu_current_slot(), (int)slot);
		}
	percpu_unbind_slot();
}

/* Slots that do not exist yet are not counted, but can be made later. */
static void test_slots_without_reservation(struct kunit *test)
{
	unsigned int next = percpu_nr_slots();

	if (next == percpu_nr_cpus())
		kunit_skip(test, "all slots are there");
	KUNIT_EXPECT_TRUE(test, percpu_slots_give_up_reservation());
	KUNIT_EXPECT_FALSE(test, percpu_slots_give_up_reservation());
	KUNIT_EXPECT_TRUE(test, percpu_slot_make(next));
	KUNIT_EXPECT_TRUE(test, is_writable(next));
	KUNIT_EXPECT_EQ(test, percpu_nr_slots(), next + 1);
}

static struct kunit_case slots_cases[] = {
	KUNIT_CASE(test_slots_are_few_at_first),
	KUNIT_CASE(test_slots_are_refused),
	KUNIT_CASE(test_slots_open_when_made_at_the_end),
	KUNIT_CASE(test_slots_stay_closed_to_children),
	KUNIT_CASE(test_slots_come_with_threads),
	KUNIT_CASE(test_slots_without_reservation),
	{ 0 },
};

static struct kunit_suite slots_suite = {
	.name = "percpu_slots",
	.suite_init = start_with_one,
	.init = need_several,
	.test_cases = slots_cases,
};

kunit_test_suite(slots_suite);
