/* SPDX-License-Identifier: MIT */
/*
 * A program that frees much memory and then does nothing gives it back. The library's thread is
 * created for this, ends afterwards, and does not disturb the program.
 */
#define _GNU_SOURCE
#include "child.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "stopping.h"
#include "support/prng.h"
#include "tasks.h"

#define PEAK_BYTES (256 * MIB)
/* Bytes that may stay after any peak; bytes that stay longer without the thread. */
#define KEPT_BYTES (8 * MIB)
#define KEPT_LONG_BYTES (64 * MIB)
#define WITHIN_SECONDS 10
/* The thread is called at most once in this time. */
#define CALL_MS 250
#define REST_MS 2000

static char **blocks;
static size_t nr_blocks;

/* Sizes up to most, and all of it is written to. The list is a mapping of its own. */
static void take(size_t bytes, size_t most)
{
	struct prng prng = { most };

	size_t most_blocks = bytes / 64 + 1;

	blocks = malloc(most_blocks * sizeof(*blocks));
	REQUIRE(blocks);
	for (nr_blocks = 0; bytes && nr_blocks < most_blocks; nr_blocks++) {
		size_t size = 16 + prng_below(&prng, most), usable;

		blocks[nr_blocks] = malloc(size);
		REQUIRE(blocks[nr_blocks]);
		memset(blocks[nr_blocks], 1, size);
		usable = malloc_usable_size(blocks[nr_blocks]);
		bytes -= usable < bytes ? usable : bytes;
	}
}

static void shuffle(void)
{
	struct prng prng = { nr_blocks };

	for (size_t i = nr_blocks - 1; i > 0; i--) {
		size_t other = prng_below(&prng, i + 1);
		char *block = blocks[i];

		blocks[i] = blocks[other];
		blocks[other] = block;
	}
}

static void give_all(void)
{
	for (size_t i = 0; i < nr_blocks; i++)
		free(blocks[i]);
	free(blocks);
}

static bool has_at_most(size_t bytes)
{
	return resident_bytes() <= bytes;
}

static bool comes_down_to(size_t bytes, double seconds)
{
	return comes_true(has_at_most, bytes, seconds);
}

static bool has_one_thread_within(double seconds)
{
	return comes_true(has_threads, 1, seconds);
}

/* Frees in random order, so that the last blocks, which CPUs keep, do not keep all slabs in use. */
static void peak_of(void *most)
{
	size_t before, peak, allowed;

	free(malloc(1000));
	before = resident_bytes();
	take(PEAK_BYTES, (size_t)most);
	peak = resident_bytes();
	CHECK(peak >= PEAK_BYTES / 10 * 9);
	shuffle();
	give_all();
	allowed = before + KEPT_BYTES + peak / 20;
	CHECK(comes_down_to(allowed, WITHIN_SECONDS),
	      "; sizes up to %zu: %zu MiB, after %u s %zu MiB", (size_t)most, peak / MIB,
	      WITHIN_SECONDS, resident_bytes() / MIB);
}

static void come_and_go(void *unused)
{
	char *block;

	(void)unused;
	CHECK(nr_threads() == 1);
	take(PEAK_BYTES, 100 * KIB);
	give_all();
	CHECK(nr_threads() == 2);
	CHECK(has_one_thread_within(15));
	/* Memory that went back is free, and reads as zero. */
	block = calloc(1, MIB);
	REQUIRE(block);
	for (size_t i = 0; i < MIB; i += 8)
		REQUIRE(!block[i]);
	free(block);
}

/* How often the threads of a process have got a processor; how many they are. */
static unsigned long switches_of(pid_t pid, unsigned int *threads)
{
	unsigned long sum = 0, number;
	char path[300], line[256];
	struct dirent *task;
	FILE *status;
	DIR *tasks;

	*threads = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	REQUIRE(tasks);
	while ((task = readdir(tasks))) {
		if (task->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/status", (int)pid, task->d_name);
		status = fopen(path, "re");
		if (!status)
			continue;
		++*threads;
		while (fgets(line, sizeof(line), status))
			if (sscanf(line, "voluntary_ctxt_switches: %lu", &number) == 1 ||
			    sscanf(line, "nonvoluntary_ctxt_switches: %lu", &number) == 1)
				sum += number;
		fclose(status);
	}
	closedir(tasks);
	return sum;
}

/* Frees much, sees the thread off, says so, and sleeps. */
static void fall_asleep(int ready)
{
	take(PEAK_BYTES, 100 * KIB);
	give_all();
	CHECK(nr_threads() == 2);
	CHECK(has_one_thread_within(15));
	if (harness_status() || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* A process that has not run for a while has come to its sleep. */
static unsigned long switches_at_rest(pid_t pid)
{
	unsigned long before = 0, now = 0;
	unsigned int threads;

	CHECK(falls_asleep(pid, WITHIN_SECONDS));
	for (unsigned int i = 0; i < 20; i++) {
		now = switches_of(pid, &threads);
		if (now == before && is_asleep(pid))
			break;
		before = now;
		sleep_us(100000);
	}
	CHECK(threads == 1 && now, "; %u threads", threads);
	return now;
}

/* Nothing wakes a program at rest: the thread has ended, and nothing takes its place. */
static void sleep_on(void *unused)
{
	unsigned int threads;
	unsigned long before;
	int ready[2];
	char byte;
	pid_t pid;

	(void)unused;
	REQUIRE(!pipe(ready));
	pid = fork();
	REQUIRE(pid >= 0);
	if (!pid)
		fall_asleep(ready[1]);
	close(ready[1]);
	CHECK(read(ready[0], &byte, 1) == 1);
	before = switches_at_rest(pid);
	sleep_us(REST_MS * 1000);
	CHECK(switches_of(pid, &threads) == before && threads == 1, "; %lu, then %lu of %u",
	      before, switches_of(pid, &threads), threads);
	kill(pid, SIGKILL);
	child_wait(pid);
}

/* Most of their time they do nothing, so all of them do it at once. */
static void idle_programs_shrink(void)
{
	static const struct {
		void (*run)(void *arg);
		size_t most;
	} programs[] = {
		{ peak_of, 100 }, { peak_of, 32 * KIB }, { peak_of, 200 * KIB }, { come_and_go, 0 },
		{ sleep_on, 0 },
	};
	pid_t children[ARRAY_SIZE(programs)];

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		children[i] = fork();
		REQUIRE(children[i] >= 0);
		if (!children[i]) {
			programs[i].run((void *)programs[i].most);
			_exit(harness_status());
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		int status = child_wait(children[i]);

		CHECK(child_exited(status, 0), "; program %zu: wait status %#x", i, status);
	}
}

/* Blocks that wait on another CPU may have to stay there. */
static void stay_on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)sched_getcpu(), &set);
	REQUIRE(!sched_setaffinity(0, sizeof(set), &set));
}

/*
 * With hardened=1 freed blocks wait and are checked, but they do not keep a freed heap in memory.
 */
static int shrink_hardened(void)
{
	stay_on_one_cpu();
	peak_of((void *)KIB);
	return harness_status();
}

static void hardened_programs_shrink(void)
{
	child_expect_quiet("--hardened", "hardened=1");
}

/* A size that the programs above hardly use. */
#define WAITING_SIZE 200
#define FEW_BLOCKS 600
/*
 * A second without a free() counts as rest, and on a busy machine a second may pass between two
 * frees.
 */
#define LONG_SECONDS 0.8

static void *waiting;	/* it was freed; others of its slab are in use */

/* Nothing of that size is freed for it. */
static bool is_allocated_again(size_t blocks)
{
	while (blocks--)
		if (opaque(malloc(WAITING_SIZE)) == waiting)
			return true;
	return false;
}

/* The thread exists, and looks each second at the blocks that wait. */
static void call_thread(void)
{
	take(PEAK_BYTES, 20 * KIB);
	give_all();
	CHECK(nr_threads() == 2);
}

/*
 * A freed block waits as long as other blocks of its size are freed, however few, and else for a
 * while.
 */
static int wait_until_rest(void)
{
	double longest = 0;

	stay_on_one_cpu();
	for (size_t i = 0; i < FEW_BLOCKS; i++) {
		void *block = opaque(malloc(WAITING_SIZE));

		waiting = i == FEW_BLOCKS / 2 ? block : waiting;
	}
	call_thread();
	free(waiting);
	for (unsigned int i = 0; i < 12; i++) {
		double before = seconds_now();
		void *block;

		sleep_us(CALL_MS * 1000);
		block = opaque(malloc(WAITING_SIZE));
		longest = seconds_now() - before > longest ? seconds_now() - before : longest;
		CHECK(block != waiting || longest > LONG_SECONDS);
		free(block);
	}
	CHECK(!is_allocated_again(FEW_BLOCKS) || longest > LONG_SECONDS);
	call_thread();
	CHECK(nr_unstoppable_slots() || comes_true(is_allocated_again, 100, WITHIN_SECONDS));
	return harness_status();
}

static void hardened_blocks_wait_until_rest(void)
{
	child_expect_quiet("--rest", "hardened=1");
}

/* With a small budget, as in a small container, a process keeps less. */
#define SMALL_PEAK_BYTES (100 * MIB)
#define SMALL_KEPT_BYTES (8 * MIB)	/* blocks, and what CPUs have of all sizes */
/* Bytes that stay on each CPU that the program has used, if CPUs cannot be stopped. */
#define CPU_KEPT_BYTES (4 * MIB)

static int shrink_in_small_budget(void)
{
	static const size_t most[] = { 200 * KIB, 3000 };
	size_t allowed;

	free(malloc(1000));
	allowed = resident_bytes() + SMALL_KEPT_BYTES + SMALL_PEAK_BYTES / 20 +
		  nr_unstoppable_slots() * CPU_KEPT_BYTES;
	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		take(SMALL_PEAK_BYTES, most[i]);
		shuffle();
		give_all();
		CHECK(comes_down_to(allowed, WITHIN_SECONDS),
		      "; sizes up to %zu: still %zu MiB", most[i], resident_bytes() / MIB);
	}
	return harness_status();
}

static void small_budgets_keep_less(void)
{
	child_expect_quiet("--small-budget", "limit=256M");
}

/* One round. The thread is created for memory that is wanted again within a while. */
static void small_peak_of(void *most)
{
	CHECK(nr_threads() == 1);
	take(10 * MIB, (size_t)most);
	shuffle();
	give_all();
	CHECK(nr_threads() == 1);
}

static void small_programs_have_no_thread(void)
{
	static const size_t most[] = { 100 * KIB, 2000 };
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		child_run(&result, small_peak_of, (void *)most[i]);
		CHECK(child_exited(result.status, 0) && !*result.err,
		      "; sizes up to %zu: wait status %#x %s", most[i], result.status, result.err);
	}
}

/* Processor time is counted, because the machine may be busy. */
static double seconds_used(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

static void trim_blocks(size_t most)
{
	size_t before = resident_bytes(), peak;
	double start;

	take(PEAK_BYTES, most);
	peak = resident_bytes();
	shuffle();
	give_all();
	start = seconds_used();
	malloc_trim(0);
	CHECK(seconds_used() - start < 1.0 * slowness());
	CHECK(resident_bytes() <= before + peak / 20, "; %zu MiB, then %zu, then %zu",
	      before / MIB, peak / MIB, resident_bytes() / MIB);
}

static void trim_is_quick(void)
{
	trim_blocks(32 * KIB);
}

static void expect_success(void (*fn)(void *arg), void *arg)
{
	struct child_result result;

	child_run(&result, fn, arg);
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

static void shrink_in_child(void *unused)
{
	size_t before = resident_bytes();

	(void)unused;
	give_all();
	CHECK(comes_down_to(before / 2, WITHIN_SECONDS), "; %zu MiB, still %zu", before / MIB,
	      resident_bytes() / MIB);
}

/* The parent's thread is not the child's, which gets its own. */
static void fork_children_shrink(void)
{
	take(PEAK_BYTES, 100 * KIB);
	expect_success(shrink_in_child, NULL);
	give_all();
	CHECK(nr_threads() == 2);
	take(PEAK_BYTES, 100 * KIB);
	expect_success(shrink_in_child, NULL);
	give_all();
}

static bool has_at_most_after_few_calls(size_t bytes)
{
	void *few[1000];

	for (size_t i = 0; i < ARRAY_SIZE(few); i++)
		few[i] = malloc(100);
	for (size_t i = 0; i < ARRAY_SIZE(few); i++)
		free(few[i]);
	return has_at_most(bytes);
}

/*
 * Memory that was free before the fork goes back in the child, too, when the child does some work.
 */
static void shrink_what_was_free(void *unused)
{
	size_t before = resident_bytes();
	/*
	 * At most so much is kept, however little of the peak had gone back when the process
	 * forked.
	 */
	const size_t allowed = KEPT_BYTES + PEAK_BYTES / 8;

	(void)unused;
	CHECK(comes_true(has_at_most_after_few_calls, allowed, WITHIN_SECONDS),
	      "; %zu MiB, still %zu", before / MIB, resident_bytes() / MIB);
	CHECK(has_one_thread_within(WITHIN_SECONDS));
}

static void fork_children_go_on(void)
{
	take(PEAK_BYTES, 100 * KIB);
	give_all();
	expect_success(shrink_what_was_free, NULL);
}

/* --- Children for which no handler runs --------------------------------------------------- */

static pid_t clone_bare(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

/*
 * The child's copy of the memory says that there is a thread, but the child has none, and does not
 * wait for one.
 */
static void bare_children_end(void)
{
	pid_t (*const ways[])(void) = { clone_bare, _Fork };

	take(PEAK_BYTES, 100 * KIB);
	give_all();
	CHECK(nr_threads() == 2);
	fflush(NULL);
	for (unsigned int i = 0; i < 4; i++) {
		int status = -1;
		pid_t child = ways[i / 2]();

		if (!child) {
			alarm(CHILD_SECONDS);
			if (i % 2)
				unshare(CLONE_NEWNS);
			exit(3);
		}
		REQUIRE(child > 0);
		REQUIRE(waitpid(child, &status, 0) == child);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3, "; way %u, status %#x", i,
		      status);
	}
}

/* --- Calls that demand a process with one thread ------------------------------------------- */

static void leave_namespace(void *unused)
{
	(void)unused;
	take(PEAK_BYTES, 100 * KIB);
	give_all();
	CHECK(nr_threads() == 2);
	CHECK(!unshare(CLONE_NEWUSER), "; errno is %d", errno);
	CHECK(nr_threads() == 1);
	sleep_us((CALL_MS + 20) * 1000);
	take(PEAK_BYTES, 100 * KIB);
	give_all();
	CHECK(nr_threads() == 2);
}

static void try_to_leave(void *unused)
{
	(void)unused;
	_exit(syscall(SYS_unshare, CLONE_NEWUSER) != 0);
}

static void unshare_is_possible(void)
{
	struct child_result result;

	child_run(&result, try_to_leave, NULL);
	if (result.status) {
		harness.skipped = "this process may not have a user namespace";
		return;
	}
	expect_success(leave_namespace, NULL);
}

static bool may_end;	/* Sync: atomic */

static void *end_when_told(void *unused)
{
	while (!__atomic_load_n(&may_end, __ATOMIC_ACQUIRE))
		continue;
	return unused;
}

/* The program's own thread is still ending, as the library's may be: unshare() asks again. */
static bool unshare_beside_a_thread_that_ends(void)
{
	pthread_t thread;
	bool accepted;

	__atomic_store_n(&may_end, false, __ATOMIC_RELAXED);
	REQUIRE(!pthread_create(&thread, NULL, end_when_told, NULL));
	errno = 0;
	CHECK(unshare(CLONE_THREAD) == -1 && errno == EINVAL);
	__atomic_store_n(&may_end, true, __ATOMIC_RELEASE);
	accepted = !unshare(CLONE_THREAD);
	pthread_join(thread, NULL);
	return accepted;
}

static void ask_again(void *unused)
{
	unsigned int left = 20;

	(void)unused;
	while (!unshare_beside_a_thread_that_ends() && --left)
		continue;
	CHECK(left);
}

static void unshare_asks_again(void)
{
	expect_success(ask_again, NULL);
}

/* A process in another user namespace; it ends when the other end of the pipe is closed. */
static pid_t start_other_namespace(int *end)
{
	int ready[2], life[2];
	char byte;
	pid_t pid;

	REQUIRE(!pipe(ready) && !pipe(life));
	pid = fork();
	REQUIRE(pid >= 0);
	if (!pid) {
		close(life[1]);
		byte = !syscall(SYS_unshare, CLONE_NEWUSER);
		if (write(ready[1], &byte, 1) == 1)
			_exit(read(life[0], &byte, 1) != 0);
		_exit(1);
	}
	close(ready[1]);
	close(life[0]);
	REQUIRE(read(ready[0], &byte, 1) == 1 && byte);
	close(ready[0]);
	*end = life[1];
	return pid;
}

static void enter_namespace(void *unused)
{
	char path[64];
	int end, fd;
	pid_t pid = start_other_namespace(&end);

	(void)unused;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	take(PEAK_BYTES, 100 * KIB);
	give_all();
	CHECK(nr_threads() == 2);
	CHECK(syscall(SYS_setns, fd, CLONE_NEWUSER) && errno == EINVAL);
	CHECK(!setns(fd, CLONE_NEWUSER), "; errno is %d", errno);
	CHECK(nr_threads() == 1);
	errno = 0;
	CHECK(setns(-1, CLONE_NEWUSER) == -1 && errno == EBADF);
	close(fd);
	close(end);
	CHECK(child_exited(child_wait(pid), 0));
	sleep_us((CALL_MS + 20) * 1000);
	take(PEAK_BYTES, 100 * KIB);
	give_all();
	CHECK(nr_threads() == 2);
}

static void setns_is_possible(void)
{
	struct child_result result;

	child_run(&result, try_to_leave, NULL);
	if (result.status) {
		harness.skipped = "this process may not have a user namespace";
		return;
	}
	expect_success(enter_namespace, NULL);
}

/* A filter that comes later may allow no thread any more. */
static void shut_off(void *unused)
{
	size_t before = resident_bytes();

	(void)unused;
	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	take(PEAK_BYTES, 100 * KIB);
	give_all();
	CHECK(nr_threads() == 1);
	malloc_trim(0);
	CHECK(resident_bytes() <= before + PEAK_BYTES / 20);
}

static void sandboxes_have_no_thread(void)
{
	/* This program may have been started in a sandbox already. */
	int before = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);

	expect_success(shut_off, NULL);
	CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == before);
	errno = 0;
	CHECK(prctl(-1, 0, 0, 0, 0) == -1 && errno == EINVAL);
}

static int expect_no_thread(void)
{
	take(PEAK_BYTES, 100 * KIB);
	give_all();
	CHECK(nr_threads() == 1);
	return harness_status();
}

/*
 * A program that frees now and then gives back the memory that it freed before, however much that
 * is.
 */
#define FREES_BYTES (768 * MIB)

static bool has_at_most_after_a_free(size_t bytes)
{
	free(opaque(malloc(MIB)));
	return has_at_most(bytes);
}

static int free_from_time_to_time(void)
{
	take(FREES_BYTES, 2 * MIB);
	give_all();
	CHECK(comes_true(has_at_most_after_a_free, KEPT_LONG_BYTES + FREES_BYTES / 2,
			 WITHIN_SECONDS),
	      "; %zu MiB", resident_bytes() / MIB);
	CHECK(nr_threads() == 1);
	return harness_status();
}

static int trim_without_thread(void)
{
	trim_is_quick();
	trim_blocks(KIB);
	CHECK(nr_threads() == 1);
	return harness_status();
}

static void option_forbids_the_thread(void)
{
	static const struct child_again again[] = {
		{ "--no-thread", NULL, "background=off", 0 },
		{ "--frees", NULL, "background=off", 0 },
		{ "--trim", NULL, "background=off", 0 },
		/* Blocks that wait keep slabs in use, but malloc_trim() gives these back, too. */
		{ "--trim", NULL, "background=off:hardened=1", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(again); i++)
		expect_success(child_exec_again, (void *)&again[i]);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "small_programs_have_no_thread", small_programs_have_no_thread, false },
		{ "idle_programs_shrink", idle_programs_shrink, true },
		{ "hardened_programs_shrink", hardened_programs_shrink, true },
		{ "hardened_blocks_wait_until_rest", hardened_blocks_wait_until_rest, true },
		{ "small_budgets_keep_less", small_budgets_keep_less, true },
		{ "fork_children_shrink", fork_children_shrink, true },
		{ "fork_children_go_on", fork_children_go_on, true },
		{ "bare_children_end", bare_children_end, true },
		{ "trim_is_quick", trim_is_quick, true },
		{ "unshare_is_possible", unshare_is_possible, true },
		{ "unshare_asks_again", unshare_asks_again, true },
		{ "setns_is_possible", setns_is_possible, true },
		{ "sandboxes_have_no_thread", sandboxes_have_no_thread, true },
		{ "option_forbids_the_thread", option_forbids_the_thread, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--no-thread"))
		return expect_no_thread();
	if (argc > 1 && !strcmp(argv[1], "--hardened"))
		return shrink_hardened();
	if (argc > 1 && !strcmp(argv[1], "--rest"))
		return wait_until_rest();
	if (argc > 1 && !strcmp(argv[1], "--small-budget"))
		return shrink_in_small_budget();
	if (argc > 1 && !strcmp(argv[1], "--frees"))
		return free_from_time_to_time();
	if (argc > 1 && !strcmp(argv[1], "--trim"))
		return trim_without_thread();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
