/* SPDX-License-Identifier: MIT */
/*
 * The background thread is created when memory runs short and a shrinker could help, ends when it
 * has nothing to do, and is created again in a fork child.
 */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/background.h"
#include "os/os.h"
#include "page/reclaim/decay.h"
#include "page/reclaim/release.h"
#include "page/zone.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

#define BUDGET_PAGES (32UL << 20 >> PAGE_SHIFT)
/* In steps of a millisecond. */
#define PATIENCE 10000

#ifdef __SANITIZE_THREAD__
#define NO_THREADS_AFTER_FORK 1
#else
#define NO_THREADS_AFTER_FORK 0
#endif

/* A thread that starts has AddressSanitizer's lock for a moment, which stays taken in a child. */
#ifdef __SANITIZE_ADDRESS__
#define MAY_FORK_WHILE_STARTING 0
#else
#define MAY_FORK_WHILE_STARTING 1
#endif

static int set_small_budget(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	return usermm_set_options("limit=32M", &error);
}

/* Sync: a lock of the test's; the background thread evicts. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(cached);
static unsigned long nr_cached;
static bool seen_background_mask;
/* Sync: atomic; so many calls of the thread's are in vain */
static unsigned long background_refusals;

static unsigned long count_cached(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	return __atomic_load_n(&nr_cached, __ATOMIC_RELAXED);
}

static unsigned long scan_cached(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long freed = 0;
	sigset_t blocked;

	(void)shrinker;
	if (pthread_mutex_trylock(&lock))
		return SHRINK_STOP;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	if (sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGALRM) &&
	    sc->gfp_mask == GFP_KERNEL)
		__atomic_store_n(&seen_background_mask, true, __ATOMIC_RELAXED);
	for (; freed < sc->nr_to_scan && nr_cached; freed++) {
		struct page *page = list_last_entry(&cached, struct page, lru);

		list_del(&page->lru);
		__atomic_store_n(&nr_cached, nr_cached - 1, __ATOMIC_RELAXED);
		__free_page(page);
	}
	pthread_mutex_unlock(&lock);
	return freed;
}

static unsigned long scan_unless_refused(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long left = __atomic_load_n(&background_refusals, __ATOMIC_RELAXED);

	if (left && os_current_thread() != getpid()) {
		__atomic_store_n(&background_refusals, left - 1, __ATOMIC_RELAXED);
		return SHRINK_STOP;
	}
	return scan_cached(shrinker, sc);
}

static struct shrinker *register_cache(struct kunit *test)
{
	struct shrinker *shrinker = shrinker_alloc(0, "background-test");

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	shrinker->count_objects = count_cached;
	shrinker->scan_objects = scan_cached;
	shrinker_register(shrinker);
	return shrinker;
}

static bool cache_page(gfp_t gfp)
{
	struct page *page = alloc_page(gfp);

	if (!page)
		return false;
	pthread_mutex_lock(&lock);
	list_add(&page->lru, &cached);
	__atomic_store_n(&nr_cached, nr_cached + 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
	return true;
}

static void empty_cache(void)
{
	pthread_mutex_lock(&lock);
	while (nr_cached) {
		struct page *page = list_first_entry(&cached, struct page, lru);

		list_del(&page->lru);
		nr_cached--;
		__free_page(page);
	}
	pthread_mutex_unlock(&lock);
	drain_all_pages(NULL);
}

static bool is_background(const char *tid)
{
	char path[64], name[16] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm", tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	return !strcmp(name, "usermm\n");
}

/* Of the library; a sanitizer may have one of its own. */
static unsigned int nr_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	unsigned int nr = 0;

	while (tasks && (task = readdir(tasks)))
		nr += task->d_name[0] != '.' && is_background(task->d_name);
	if (tasks)
		closedir(tasks);
	return nr;
}

static bool has_started(unsigned long unused)
{
	(void)unused;
	return nr_threads() == 1;
}

static bool comes_true(bool (*condition)(unsigned long), unsigned long argument)
{
	bool is_true;

	for (unsigned int i = 0; !(is_true = condition(argument)) && i < PATIENCE; i++)
		usleep(1000);
	return is_true;
}

static bool is_above_high_mark(unsigned long unused)
{
	(void)unused;
	return __atomic_load_n(&budget_zone()->free_pages, __ATOMIC_RELAXED) >
	       budget_zone()->watermark[WMARK_HIGH];
}

/* A thread that was just created has no name yet; one that has just ended still has its name. */
static bool is_none(unsigned long unused)
{
	(void)unused;
	return !background_is_running() && !nr_threads();
}

static void balance_in_background(struct kunit *test, void *arg)
{
	struct shrinker *shrinker = register_cache(test);

	(void)arg;
	KUNIT_EXPECT_TRUE_MSG(test, is_none(0), "no work yet");
	while (cache_page(GFP_NOWAIT) &&
	       __atomic_load_n(&nr_cached, __ATOMIC_RELAXED) < 4 * BUDGET_PAGES)
		;
	KUNIT_EXPECT_TRUE_MSG(test, comes_true(is_above_high_mark, 0), "nobody made room");
	KUNIT_EXPECT_TRUE_MSG(test, __atomic_load_n(&seen_background_mask, __ATOMIC_RELAXED),
			      "not by a thread of its own");
	KUNIT_EXPECT_TRUE(test, cache_page(GFP_NOWAIT));
	KUNIT_EXPECT_TRUE_MSG(test, comes_true(is_none, 0), "it stays for ever");
	shrinker_free(shrinker);
	empty_cache();
}

static void test_background_balances(struct kunit *test)
{
	balance_in_background(test, NULL);
	/* The thread has come and gone; in a child it comes again. */
	if (!NO_THREADS_AFTER_FORK)
		CHILD_EXPECT_SUCCESS(test, balance_in_background, NULL);
	balance_in_background(test, NULL);
}

static bool is_helpful(unsigned long unused)
{
	(void)unused;
	return !__atomic_load_n(&background_refusals, __ATOMIC_RELAXED);
}

/* A cache that cannot help just now is asked again, even without a further request. */
static void test_background_after_nap(struct kunit *test)
{
	struct shrinker *shrinker = register_cache(test);

	shrinker->scan_objects = scan_unless_refused;
	/* Several runs, each of which asks a dozen times at most. */
	__atomic_store_n(&background_refusals, 40, __ATOMIC_RELAXED);
	while (cache_page(GFP_NOWAIT | __GFP_NOWARN))
		;
	KUNIT_EXPECT_TRUE_MSG(test, comes_true(is_helpful, 0), "asked once only");
	KUNIT_EXPECT_TRUE(test, comes_true(is_above_high_mark, 0));
	KUNIT_EXPECT_TRUE_MSG(test, comes_true(is_none, 0), "it stays for ever");
	shrinker_free(shrinker);
	empty_cache();
}

static void fork_under_reclaim(struct kunit *test, void *arg)
{
	struct shrinker *shrinker = arg;

	pthread_mutex_unlock(&lock);
	while (cache_page(GFP_NOWAIT) &&
	       __atomic_load_n(&nr_cached, __ATOMIC_RELAXED) < 4 * BUDGET_PAGES)
		;
	KUNIT_EXPECT_TRUE(test, comes_true(is_above_high_mark, 0));
	shrinker_free(shrinker);	/* whatever the parent's threads were doing */
}

/* While the thread is at work the process forks; the child goes on as a whole. */
static void test_background_fork(struct kunit *test)
{
	struct shrinker *shrinker;

	if (NO_THREADS_AFTER_FORK)
		kunit_skip(test, "ThreadSanitizer starts no threads in a fork child");
	shrinker = register_cache(test);
	for (unsigned int i = 0; i < TEST_STEPS(40); i++) {
		while (cache_page(GFP_NOWAIT) &&
		       __atomic_load_n(&nr_cached, __ATOMIC_RELAXED) < 4 * BUDGET_PAGES)
			;
		if (!MAY_FORK_WHILE_STARTING)
			KUNIT_ASSERT_TRUE(test, comes_true(has_started, 0));
		usleep(i * 20 % 200);
		pthread_mutex_lock(&lock);	/* the test's own list has to be whole */
		CHILD_EXPECT_SUCCESS(test, fork_under_reclaim, shrinker);
		pthread_mutex_unlock(&lock);
	}
	shrinker_free(shrinker);
	empty_cache();
}

static void run_short(struct kunit *test, const char *where)
{
	while (cache_page(GFP_NOWAIT) &&
	       __atomic_load_n(&nr_cached, __ATOMIC_RELAXED) < 4 * BUDGET_PAGES)
		;
	KUNIT_EXPECT_TRUE_MSG(test, cache_page(GFP_KERNEL), "%s: it helps itself", where);
}

/* The answer of the machine's unwinder; without one, the signal mask decides. */
#ifdef USERMM_UNWINDER
#define STACK_TELLS 1
#else
#define STACK_TELLS 0
#endif

static void run_short_with_blocked(struct kunit *test, const sigset_t *blocked)
{
	struct shrinker *shrinker;
	sigset_t old;

	KUNIT_ASSERT_TRUE(test, comes_true(is_none, 0));
	shrinker = register_cache(test);
	__atomic_store_n(&seen_background_mask, false, __ATOMIC_RELAXED);
	sigprocmask(SIG_BLOCK, blocked, &old);
	run_short(test, "with signals blocked");
	if (STACK_TELLS)
		KUNIT_EXPECT_TRUE(test, comes_true(is_above_high_mark, 0));
	else
		KUNIT_EXPECT_TRUE(test, is_none(0));
	sigprocmask(SIG_SETMASK, &old, NULL);
	shrinker_free(shrinker);
	empty_cache();
}

/* As all threads of a program do that uses signalfd(2). */
static void test_background_with_blocked_signals(struct kunit *test)
{
	const int signals[] = { SIGUSR1, SIGRTMAX };
	sigset_t blocked;

	for (unsigned int i = 0; i < ARRAY_SIZE(signals); i++) {
		sigemptyset(&blocked);
		sigaddset(&blocked, signals[i]);
		run_short_with_blocked(test, &blocked);
	}
	sigfillset(&blocked);
	run_short_with_blocked(test, &blocked);
}

static struct kunit *handlers_test;
static const char *handlers_kind;

static void handle(int signal)
{
	struct kunit *test = handlers_test;

	(void)signal;
	run_short(test, handlers_kind);
	KUNIT_EXPECT_FALSE_MSG(test, background_is_running(), "%s", handlers_kind);
}

static char alternative_stack[1 << 18];

static void run_short_in_handler(struct kunit *test, struct sigaction *action)
{
	struct shrinker *shrinker = register_cache(test);

	handlers_test = test;
	action->sa_handler = handle;
	sigaction(SIGUSR1, action, NULL);
	/* Work that the last thread left may have created another one since. */
	KUNIT_ASSERT_TRUE(test, comes_true(is_none, 0));
	raise(SIGUSR1);
	shrinker_free(shrinker);
	empty_cache();
}

/* A handler creates no threads, whatever is blocked in it and wherever its stack is. */
static void test_background_not_from_handlers(struct kunit *test)
{
	stack_t stack = { .ss_sp = alternative_stack, .ss_size = sizeof(alternative_stack) }, old;
	static const struct {
		const char *name;
		int flags;
	} kinds[] = {
		{ "a plain handler", 0 },
		{ "on its stack", SA_ONSTACK },
		{ "on its stack, nothing blocked", SA_ONSTACK | SA_NODEFER },
		{ "nothing blocked", SA_NODEFER },
	};

	KUNIT_ASSERT_EQ(test, sigaltstack(&stack, &old), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct sigaction action = { .sa_flags = kinds[i].flags };

		if (!STACK_TELLS && kinds[i].flags == SA_NODEFER)
			continue;
		handlers_kind = kinds[i].name;
		run_short_in_handler(test, &action);
		sigfillset(&action.sa_mask);
		run_short_in_handler(test, &action);
	}
	signal(SIGUSR1, SIG_DFL);
	sigaltstack(&old, NULL);
}

static bool is_asked, may_go_on;	/* atomic */

static unsigned long count_and_wait(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	__atomic_store_n(&is_asked, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&may_go_on, __ATOMIC_ACQUIRE))
		usleep(1000);
	return 0;
}

static bool was_asked(unsigned long unused)
{
	(void)unused;
	return __atomic_load_n(&is_asked, __ATOMIC_ACQUIRE);
}

static void expect_no_reclaim(struct kunit *test, void *arg)
{
	(void)arg;
	KUNIT_EXPECT_FALSE(test, zone_test_flag(budget_zone(), ZONE_RECLAIM_ACTIVE));
}

/*
 * The thread is in the middle of its work when the process forks; in the child there is no such
 * thread.
 */
static void test_background_fork_under_way(struct kunit *test)
{
	struct shrinker *shrinker;

	/*
	 * A thread that is about to end does not notice a request, and creates no thread in its
	 * place.
	 */
	KUNIT_ASSERT_TRUE(test, comes_true(is_none, 0));
	shrinker = register_cache(test);
	shrinker->count_objects = count_and_wait;
	while (cache_page(GFP_NOWAIT | __GFP_NOWARN))
		;
	KUNIT_EXPECT_TRUE(test, comes_true(was_asked, 0));
	KUNIT_EXPECT_TRUE(test, zone_test_flag(budget_zone(), ZONE_RECLAIM_ACTIVE));
	CHILD_EXPECT_SUCCESS(test, expect_no_reclaim, NULL);
	__atomic_store_n(&may_go_on, true, __ATOMIC_RELEASE);
	shrinker_free(shrinker);
	empty_cache();
}

static int policy_seen = -1;	/* atomic; of the background thread, or -1 */

static unsigned long count_with_policy(struct shrinker *shrinker, struct shrink_control *sc)
{
	char name[16] = "";

	(void)shrinker;
	(void)sc;
	prctl(PR_GET_NAME, name, 0, 0, 0);
	if (!strcmp(name, "usermm"))
		/* The system call itself, because musl's function does not ask the kernel. */
		__atomic_store_n(&policy_seen, (int)syscall(SYS_sched_getscheduler, 0),
				 __ATOMIC_RELAXED);
	return 0;
}

static void *run_short_in_realtime(void *arg)
{
	struct sched_param priority = { .sched_priority = 1 };

	*(bool *)arg = !pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
	if (!*(bool *)arg)
		return NULL;
	while (cache_page(GFP_NOWAIT | __GFP_NOWARN))
		;
	return NULL;
}

static bool has_policy(unsigned long policy)
{
	return __atomic_load_n(&policy_seen, __ATOMIC_RELAXED) == (int)policy;
}

/* Even if a realtime thread created it, it must not keep ordinary threads from a CPU. */
static void test_background_is_ordinary(struct kunit *test)
{
	bool may_be_realtime = false;
	struct shrinker *shrinker;
	pthread_t thread;

	KUNIT_ASSERT_TRUE(test, comes_true(is_none, 0));
	shrinker = register_cache(test);
	shrinker->count_objects = count_with_policy;
	KUNIT_ASSERT_EQ(test, pthread_create(&thread, NULL, run_short_in_realtime,
					     &may_be_realtime), 0);
	pthread_join(thread, NULL);
	if (may_be_realtime)
		KUNIT_EXPECT_TRUE_MSG(test, comes_true(has_policy, SCHED_OTHER), "policy %d",
				      policy_seen);
	shrinker_free(shrinker);
	empty_cache();
	if (!may_be_realtime)
		kunit_skip(test, "this process may not have real-time threads");
}

/*
 * If no thread can be created, the library does not try at each free: finding out whether the
 * caller is a signal handler means a walk of the stack.
 */
static void ask_in_vain(struct kunit *test, void *arg)
{
	uint64_t before;

	(void)arg;
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	background_forbid();
	decay_inherited_ms = os_time_ms() - DECAY_INHERITED_MS;
	before = os_time_ms();
	decay_tick();
	KUNIT_EXPECT_GE_MSG(test, decay_inherited_ms, before, "it would ask again at once");
	KUNIT_EXPECT_EQ(test, nr_threads(), 0);
}

static void test_background_asked_in_vain(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, ask_in_vain, NULL);
}

static struct kunit_case background_cases[] = {
	KUNIT_CASE(test_background_balances),
	KUNIT_CASE(test_background_after_nap),
	KUNIT_CASE(test_background_fork),
	KUNIT_CASE(test_background_fork_under_way),
	KUNIT_CASE(test_background_with_blocked_signals),
	KUNIT_CASE(test_background_not_from_handlers),
	KUNIT_CASE(test_background_is_ordinary),
	KUNIT_CASE(test_background_asked_in_vain),
	{ 0 },
};

static struct kunit_suite background_suite = {
	.name = "background",
	.suite_init = set_small_budget,
	.test_cases = background_cases,
};

kunit_test_suite(background_suite);
