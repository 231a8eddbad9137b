/* SPDX-License-Identifier: MIT */
/*
 * Threads come to usermm by whichever call is their first, and leave it when libc
 * takes their stack. Where usermm registers threads itself (registration.h) each of
 * these calls has to see to it.
 */
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "percpu/percpu.h"
#include "percpu/vfork.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "usermm/quicklist.h"

#define DETACHED TEST_STEPS(4000)
#define AT_ONCE 16

static int start_library(struct kunit_suite *suite)
{
	kfree(kmalloc(8, GFP_KERNEL));
	(void)suite;
	return percpu_init();
}

/* --- The first call ------------------------------------------------------------------- */

/* The object that the thread has to free; the object that it hands over. */
static void *given;

static void first_alloc_page(void)	{ given = alloc_page(GFP_KERNEL); }
static void first_free_page(void)	{ __free_page(given); }
static void first_kmalloc(void)		{ given = kmalloc(100, GFP_KERNEL); }
static void first_kfree(void)		{ kfree(given); }
static void first_quick_alloc(void)	{ given = quicklist_alloc(0, GFP_KERNEL, NULL); }
static void first_quick_free(void)	{ quicklist_free(0, NULL, given); }

static void first_bulk(void)
{
	struct page *pages[4] = { NULL };
	unsigned long nr = alloc_pages_bulk_array(GFP_KERNEL, 4, pages);

	for (unsigned long i = 0; i < nr; i++)
		__free_page(pages[i]);
}

static void in_handler_kmalloc(void *arg)
{
	(void)arg;
	given = kmalloc(100, GFP_KERNEL);
}

/* In a handler, before the thread itself has asked for anything. */
static void first_in_handler(void)
{
	run_in_handler(in_handler_kmalloc, NULL);
}

static const struct first {
	const char *name;
	void (*call)(void);
} firsts[] = {
	/* in this order: each second one frees what the one before got */
	{ "alloc_page", first_alloc_page },
	{ "free_page", first_free_page },
	{ "kmalloc", first_kmalloc },
	{ "kfree", first_kfree },
	{ "quicklist_alloc", first_quick_alloc },
	{ "quicklist_free", first_quick_free },
	{ "bulk", first_bulk },
	{ "kmalloc in a handler", first_in_handler },
	{ "kfree", first_kfree },
};

static bool has_slot(void)
{
	return rseq_index() < percpu.nr_slots;
}

static void call_first(struct test_thread *thread)
{
	const struct first *first = thread->arg;

	first->call();
	KUNIT_EXPECT_TRUE_MSG(thread->test, has_slot(), "after %s", first->name);
}

static void test_life_first_call_registers(struct kunit *test)
{
	if (percpu_mode() == PERCPU_LOCKED || RSEQ_IN_C)
		kunit_skip(test, "no thread is registered here");
	for (unsigned int i = 0; i < ARRAY_SIZE(firsts); i++)
		test_threads_run(test, 1, call_first, (void *)(uintptr_t)&firsts[i]);
}

/* --- The end -------------------------------------------------------------------------- */

static struct {
	sem_t room;
	unsigned int wrong;	/* Sync: atomic */
	unsigned int ended;	/* Sync: atomic */
	pthread_key_t key;
	bool use_key;
} crowd;

/*
 * The test's key is newer than the library's, so this destructor may run after the thread was
 * unregistered.
 */
static void free_late(void *object)
{
	kfree(object);
	object = kmalloc(64, GFP_KERNEL);
	if (!object)
		__atomic_fetch_add(&crowd.wrong, 1, __ATOMIC_RELAXED);
	kfree(object);
	quicklist_free(0, NULL, quicklist_alloc(0, GFP_KERNEL, NULL));
}

static void *detached_main(void *arg)
{
	unsigned char *objects[8];

	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
		objects[i] = kmalloc(32 << i % 4, GFP_KERNEL);
		memset(objects[i], (int)i, 32);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
		if (objects[i][31] != i)
			__atomic_fetch_add(&crowd.wrong, 1, __ATOMIC_RELAXED);
		kfree(objects[i]);
	}
	if (crowd.use_key)
		pthread_setspecific(crowd.key, kmalloc(48, GFP_KERNEL));
	__atomic_fetch_add(&crowd.ended, 1, __ATOMIC_RELAXED);
	sem_post(&crowd.room);
	return arg;
}

/* A thread whose stack libc unmaps while the kernel still has its area would die. */
static void run_crowd(struct kunit *test, unsigned int nr)
{
	pthread_attr_t detached;
	pthread_t thread;

	crowd.wrong = crowd.ended = 0;
	sem_init(&crowd.room, 0, AT_ONCE);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (unsigned int i = 0; i < nr; i++) {
		while (sem_wait(&crowd.room))
			continue;
		while (pthread_create(&thread, &detached, detached_main, NULL))
			usleep(1000);
	}
	for (unsigned int i = 0; i < AT_ONCE; i++)
		while (sem_wait(&crowd.room))
			continue;
	KUNIT_EXPECT_EQ(test, crowd.ended, nr);
	KUNIT_EXPECT_EQ(test, crowd.wrong, 0);
	pthread_attr_destroy(&detached);
}

static void test_life_detached_threads(struct kunit *test)
{
	crowd.use_key = false;
	run_crowd(test, DETACHED);
}

static void test_life_key_destructors(struct kunit *test)
{
	crowd.use_key = true;
	KUNIT_ASSERT_EQ(test, pthread_key_create(&crowd.key, free_late), 0);
	run_crowd(test, DETACHED / 4);
	usleep(10000);	/* the last of them may still be in free_late() */
	KUNIT_EXPECT_EQ(test, __atomic_load_n(&crowd.wrong, __ATOMIC_RELAXED), 0);
}

/* --- Children ------------------------------------------------------------------------- */

static bool child_works(void)
{
	unsigned char *object = kmalloc(200, GFP_KERNEL);
	struct page *page = alloc_page(GFP_KERNEL);

	if (!object || !page)
		return false;
	memset(object, 1, 200);
	kfree(object);
	__free_page(page);
	return true;
}

static void expect_exit_0(struct kunit *test, pid_t pid)
{
	int status = -1;

	KUNIT_ASSERT_GT(test, pid, 0);
	waitpid(pid, &status, 0);
	KUNIT_EXPECT_EQ(test, status, 0);
}

/* The child of a fork keeps its parent's registration. */
static void test_life_fork(struct kunit *test)
{
	for (unsigned int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(child_works() && (percpu_mode() == PERCPU_LOCKED || RSEQ_IN_C ||
						has_slot()) ? 0 : 1);
		expect_exit_0(test, pid);
	}
}

static void test_life_vfork(struct kunit *test)
{
	for (unsigned int i = 0; i < 20; i++) {
		pid_t pid = percpu_vfork();

		/* Without sequences it is libc's, and closes nothing. */
		if (!pid)
			_exit(child_works() &&
			      (percpu_current_slot() < 0) == RSEQ_SUPPORTED ? 0 : 1);
		expect_exit_0(test, pid);
		KUNIT_EXPECT_GE(test, percpu_current_slot(), 0);
	}
}

static struct kunit_case life_cases[] = {
	KUNIT_CASE(test_life_first_call_registers),
	KUNIT_CASE(test_life_detached_threads),
	KUNIT_CASE(test_life_key_destructors),
	KUNIT_CASE(test_life_fork),
	KUNIT_CASE(test_life_vfork),
	{ 0 },
};

static struct kunit_suite life_suite = {
	.name = "percpu_thread_life",
	.suite_init = start_library,
	.test_cases = life_cases,
};

kunit_test_suite(life_suite);
