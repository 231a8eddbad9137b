/* SPDX-License-Identifier: MIT */
/*
 * Threads are moved between CPUs while they allocate, and CPUs go away under them: every block
 * stays whole, and the objects of a CPU on which no thread runs any more are found again.
 *
 * CPUs are unplugged only where TEST_MAY_UNPLUG is in the environment: in a machine of the
 * test's own (tests/qemu).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "malloc_core/tested.h"
#include "os/os.h"
#include "page/zone.h"
#include "percpu/remote.h"
#include "support/kernel.h"
#include "support/threads.h"

#define NR_THREADS 6
#define NR_SHELVES 256
/* The pages that may stay on CPUs. */
#define STRANDED_PAGES ((1UL << 20) / PAGE_SIZE)

struct block {
	size_t bytes;
	struct block *self;
};

static struct block *shelves[NR_SHELVES];	/* Sync: atomic exchange */
static int numbers[NR_THREADS];			/* Sync: atomic; 0: not there yet */
static bool is_over;				/* Sync: atomic relaxed */

static void give_back(struct kunit *test, struct block *block)
{
	if (!block)
		return;
	KUNIT_EXPECT_PTR_EQ(test, block->self, block);
	KUNIT_EXPECT_EQ(test, ((unsigned char *)block)[block->bytes - 1],
			(unsigned char)(block->bytes | 1));
	block->self = NULL;
	tested_free(block);
}

static void exchange_a_block(struct test_thread *thread)
{
	unsigned int place = prng_below(&thread->prng, NR_SHELVES);
	size_t bytes = sizeof(struct block) + 1 +
		       (prng_below(&thread->prng, 64 * 1024) >> prng_below(&thread->prng, 12));
	struct block *block = tested_malloc(bytes);

	KUNIT_ASSERT_NOT_NULL(thread->test, block);
	block->bytes = bytes;
	block->self = block;
	((unsigned char *)block)[bytes - 1] = (unsigned char)(bytes | 1);
	give_back(thread->test, __atomic_exchange_n(&shelves[place], block, __ATOMIC_ACQ_REL));
}

static void clear_shelves(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_SHELVES; i++) {
		give_back(test, shelves[i]);
		shelves[i] = NULL;
	}
}

/* The first thread moves CPUs or threads, the others allocate. */
static void allocate_or_move(struct test_thread *thread)
{
	void (*move)(struct test_thread *thread) = thread->arg;

	if (!thread->index) {
		move(thread);
		__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
		return;
	}
	__atomic_store_n(&numbers[thread->index], os_current_thread(), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		exchange_a_block(thread);
}

static unsigned long pages_after_trim(void)
{
	tested_malloc_trim(0);
	return nodes_free_pages();
}

static void allocate_under(struct kunit *test, void (*move)(struct test_thread *thread))
{
	unsigned long before, after;

	tested_free(tested_malloc(1));
	before = pages_after_trim();
	memset(numbers, 0, sizeof(numbers));
	__atomic_store_n(&is_over, false, __ATOMIC_RELAXED);
	test_threads_run(test, NR_THREADS, allocate_or_move, move);
	clear_shelves(test);
	after = pages_after_trim();
	/* If slots cannot be stopped, each CPU keeps its objects. */
	if (percpu_can_stop())
		KUNIT_EXPECT_GE_MSG(test, after + STRANDED_PAGES, before, "fewer pages are free");
}

/* --- Threads -------------------------------------------------------------------------- */

/* All CPUs, or one of them. */
static void choose_cpus(struct prng *prng, const cpu_set_t *all, cpu_set_t *chosen)
{
	unsigned int cpu = prng_below(prng, CPU_SETSIZE);

	*chosen = *all;
	if (prng_one_in(prng, 3))
		return;
	while (!CPU_ISSET(cpu, all))
		cpu = (cpu + 1) % CPU_SETSIZE;
	CPU_ZERO(chosen);
	CPU_SET(cpu, chosen);
}

static void move_threads(struct test_thread *thread)
{
	cpu_set_t all, chosen;

	sched_getaffinity(0, sizeof(all), &all);
	for (unsigned int step = 0; step < TEST_STEPS(800); step++) {
		for (unsigned int i = 1; i < NR_THREADS; i++) {
			int number = __atomic_load_n(&numbers[i], __ATOMIC_ACQUIRE);

			choose_cpus(&thread->prng, &all, &chosen);
			if (number)
				KUNIT_EXPECT_EQ(thread->test,
						sched_setaffinity(number, sizeof(chosen), &chosen),
						0);
		}
		usleep(500);
	}
}

static void test_malloc_moved_threads(struct kunit *test)
{
	allocate_under(test, move_threads);
}

/* --- CPUs ------------------------------------------------------------------------------ */

static bool plug(unsigned int cpu, bool in)
{
	char path[64];
	bool good;
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	good = fd >= 0 && write(fd, in ? "1" : "0", 1) == 1;
	if (fd >= 0)
		close(fd);
	return good;
}

/*
 * One CPU after the other is taken offline; its objects are taken back; then it comes online again.
 */
static void move_cpus(struct test_thread *thread)
{
	unsigned int nr = (unsigned int)sysconf(_SC_NPROCESSORS_CONF);

	for (unsigned int step = 0; step < TEST_STEPS(40); step++) {
		unsigned int cpu = 1 + step % (nr - 1);

		KUNIT_ASSERT_TRUE_MSG(thread->test, plug(cpu, false), "CPU %u", cpu);
		usleep(2000);
		tested_malloc_trim(0);
		usleep(2000);
		KUNIT_ASSERT_TRUE_MSG(thread->test, plug(cpu, true), "CPU %u", cpu);
		usleep(2000);
	}
}

/* The objects of the offline CPU, which no thread on that CPU can free. */
static void leave_a_cpu(struct kunit *test)
{
	static void *blocks[20000];
	unsigned long before;

	before = pages_after_trim();
	test_pin(1);
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		blocks[i] = tested_malloc(16 + i % 4000);
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		tested_free(blocks[i]);
	KUNIT_ASSERT_TRUE(test, plug(1, false));
	KUNIT_EXPECT_GE(test, pages_after_trim() + STRANDED_PAGES, before);
	KUNIT_ASSERT_TRUE(test, plug(1, true));
	test_unpin();
}

static void test_malloc_unplugged_cpus(struct kunit *test)
{
	if (!getenv("TEST_MAY_UNPLUG") || sysconf(_SC_NPROCESSORS_CONF) < 2)
		kunit_skip(test, "this machine's CPUs are not the test's alone");
	allocate_under(test, move_cpus);
	leave_a_cpu(test);
}

static struct kunit_case cpus_cases[] = {
	KUNIT_CASE(test_malloc_moved_threads),
	KUNIT_CASE(test_malloc_unplugged_cpus),
	{ 0 },
};

static struct kunit_suite cpus_suite = { .name = "malloc_cpus", .test_cases = cpus_cases };

kunit_test_suite(cpus_suite);
