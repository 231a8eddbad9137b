/* SPDX-License-Identifier: MIT */
/*
 * fork() while other threads allocate: the child finds a heap that works, and
 * neither side hangs.
 */
#include "child.h"

#include <spawn.h>

#include "hammer.h"

#define NR_FORKS 500

extern char **environ;

static void expect_success(pid_t pid, const char *what, unsigned int number)
{
	int status = child_wait(pid);

	CHECK(child_exited(status, 0), "; %s %u: wait status %#x", what, number, status);
}

static void *work_in_thread(void *prng)
{
	mixed_work(prng, 100);
	return NULL;
}

/* Does something that a child may do, chosen by number; does not return. */
static void child_main(unsigned int number)
{
	struct prng prng = { number };
	char name[32], value[256];
	pthread_t thread;

	mixed_work(&prng, 300);
	snprintf(name, sizeof(name), "USERMM_TEST_%u", number);
	snprintf(value, sizeof(value), "%0200d and %.30f", (int)number, 1.0 / number);
	REQUIRE(!setenv(name, value, 1) && !strcmp(getenv(name), value));
	if (number % 10 == 1 && !keep_preload_to_oneself())
		execl("/bin/true", "true", (char *)NULL);
	if (number % 10 == 2)
		exit(0);
	if (number % 10 == 3) {
		pid_t pid = fork();

		if (!pid) {
			mixed_work(&prng, 100);
			_exit(0);
		}
		REQUIRE(child_exited(child_wait(pid), 0));
	}
	if (number % 10 == 4) {
		REQUIRE(!pthread_create(&thread, NULL, work_in_thread, &prng));
		mixed_work(&prng, 100);
		pthread_join(thread, NULL);
	}
	_exit(number % 10 == 1 ? 127 : 0);
}

static void fork_under_load(void)
{
	double start, longest = 0;

	start_hammers();
	for (unsigned int i = 1; i <= NR_FORKS / test_divisor(); i++) {
		pid_t pid;

		start = seconds_now();
		pid = fork();
		REQUIRE(pid >= 0);
		if (!pid)
			child_main(i);
		longest = seconds_now() - start > longest ? seconds_now() - start : longest;
		expect_success(pid, "child", i);
	}
	stop_hammers();
	dprintf(STDOUT_FILENO, "# the longest fork() took %.1f ms\n", longest * 1000);
}

static void *fork_often(void *arg)
{
	for (unsigned int i = 0; i < 60 / test_divisor(); i++) {
		pid_t pid = fork();

		REQUIRE(pid >= 0);
		if (!pid)
			child_main(10 * i + 5);
		expect_success(pid, "child of a thread", i);
	}
	return arg;
}

static void fork_in_several_threads(void)
{
	pthread_t forkers[3];

	start_hammers();
	for (unsigned int i = 0; i < ARRAY_SIZE(forkers); i++)
		REQUIRE(!pthread_create(&forkers[i], NULL, fork_often, NULL));
	for (unsigned int i = 0; i < ARRAY_SIZE(forkers); i++)
		pthread_join(forkers[i], NULL);
	stop_hammers();
}

static void programs_under_load(void)
{
	static char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"exit 0", NULL };
	char line[64];
	pid_t pid;

	keep_preload_to_oneself();
	start_hammers();
	for (unsigned int i = 0; i < 25 / test_divisor() + 1; i++) {
		FILE *pipe = popen("echo hello; exit 3", "r");

		REQUIRE(pipe);
		CHECK(fgets(line, sizeof(line), pipe) && !strcmp(line, "hello\n"));
		CHECK(child_exited(pclose(pipe), 3));
		CHECK(child_exited(system("exit 5"), 5));
		REQUIRE(!posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ));
		expect_success(pid, "posix_spawn", i);
	}
	stop_hammers();
}

static bool streams_done;	/* Sync: atomic relaxed */

/* Allocates with a stream's lock held: each time a line of another length. */
static void *read_lines(void *arg)
{
	while (!__atomic_load_n(&streams_done, __ATOMIC_RELAXED)) {
		FILE *file = fmemopen(arg, strlen((char *)arg), "r");
		size_t room = 0;
		char *line = NULL;

		REQUIRE(file);
		CHECK(getline(&line, &room, file) > 0);
		free(line);
		fclose(file);
	}
	return arg;
}

/* Holds the lock of the list of streams, and waits for each of them. */
static void *flush_all(void *arg)
{
	while (!__atomic_load_n(&streams_done, __ATOMIC_RELAXED))
		fflush(NULL);
	return arg;
}

/* fork() takes that lock as well: neither may wait for the other. */
static void fork_with_streams(void)
{
	static char text[40 * KIB];
	pthread_t readers[6], flusher;
	double end = seconds_now() + 1.5 / test_divisor();

	if (skip_on_musl("fork() takes musl's lock of the streams' list behind all others"))
		return;
	memset(text, 'x', sizeof(text) - 2);
	text[sizeof(text) - 2] = '\n';
	for (unsigned int i = 0; i < ARRAY_SIZE(readers); i++)
		REQUIRE(!pthread_create(&readers[i], NULL, read_lines, text));
	REQUIRE(!pthread_create(&flusher, NULL, flush_all, NULL));
	for (unsigned int i = 0; seconds_now() < end; i++) {
		pid_t pid = fork();

		REQUIRE(pid >= 0);
		if (!pid) {
			FILE *file = fmemopen(text, sizeof(text) - 1, "r");

			_exit(!file || fflush(NULL) || fgetc(file) != 'x' || fclose(file));
		}
		expect_success(pid, "child beside streams", i);
	}
	__atomic_store_n(&streams_done, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < ARRAY_SIZE(readers); i++)
		pthread_join(readers[i], NULL);
	pthread_join(flusher, NULL);
}

TEST_MAIN({ "fork_under_load", fork_under_load, false },
	  { "fork_in_several_threads", fork_in_several_threads, false },
	  { "fork_with_streams", fork_with_streams, false },
	  { "programs_under_load", programs_under_load, false })
