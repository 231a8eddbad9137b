/* SPDX-License-Identifier: MIT */
/* Fork handlers that allocate, and fork() in a signal handler. */
#include "child.h"

#include <sys/time.h>

#include "hammer.h"

/* When handlers were registered: before any constructor ran, or by main(). */
enum { EARLY, LATE, NR_REGISTRATIONS };
#define NR_FORKS 60

static bool enabled[NR_REGISTRATIONS];
static unsigned int nr_calls[NR_REGISTRATIONS][3];
static void *from_prepare[NR_REGISTRATIONS];

static void allocate_in_handler(int registration, int stage)
{
	struct prng prng = { (unsigned long)nr_calls[registration][0] };

	if (!enabled[registration])
		return;
	nr_calls[registration][stage]++;
	mixed_work(&prng, 20);
	if (stage == 0) {
		from_prepare[registration] = malloc(1000);
	} else {
		free(from_prepare[registration]);
		free(realloc(malloc(100), 5 * MIB));
	}
}

static void early_prepare(void)	{ allocate_in_handler(EARLY, 0); }
static void early_parent(void)	{ allocate_in_handler(EARLY, 1); }
static void early_child(void)	{ allocate_in_handler(EARLY, 2); }
static void late_prepare(void)	{ allocate_in_handler(LATE, 0); }
static void late_parent(void)	{ allocate_in_handler(LATE, 1); }
static void late_child(void)	{ allocate_in_handler(LATE, 2); }

static void register_before_all(void)
{
	if (pthread_atfork(early_prepare, early_parent, early_child))
		abort();
}

__attribute__((__section__(".preinit_array"), __used__))
static void (*const preinit)(void) = register_before_all;

static void fork_with_handlers(void *arg)
{
	const int registration = *(int *)arg;
	const unsigned int *calls = nr_calls[registration];
	struct prng prng = { 1 };
	int status;

	enabled[registration] = true;
	start_hammers();
	for (unsigned int i = 1; i <= NR_FORKS; i++) {
		pid_t pid = fork();

		if (!pid) {
			CHECK(calls[0] == i && calls[1] == i - 1 && calls[2] == 1);
			mixed_work(&prng, 100);
			_exit(harness_status());
		}
		status = child_wait(pid);
		CHECK(child_exited(status, 0), "; child %u: wait status %#x", i, status);
	}
	CHECK(calls[0] == NR_FORKS && calls[1] == NR_FORKS && calls[2] == 0);
	_exit(harness_status());
}

/* In a child, since a fork() that hangs cannot be ended otherwise. */
static void expect_forks(int registration)
{
	struct child_result result;

	child_run(&result, fork_with_handlers, &registration);
	CHECK(child_exited(result.status, 0), "; wait status %#x", result.status);
}

static void late_handlers_allocate(void)
{
	REQUIRE(!pthread_atfork(late_prepare, late_parent, late_child));
	expect_forks(LATE);
}

/* Their prepare runs after, their child and parent before the library's own. */
static void early_handlers_allocate(void)
{
	if (skip_on_musl("musl does not run .preinit_array"))
		return;
	expect_forks(EARLY);
}

/* --- fork() in a signal handler --------------------------------------------------------- */

static volatile unsigned int nr_handled;

static void fork_in_handler(int signal)
{
	int saved_errno = errno;
	pid_t pid = fork();

	(void)signal;
	if (!pid)
		_exit(0);
	if (pid > 0 && child_exited(child_wait(pid), 0))
		nr_handled++;
	errno = saved_errno;
}

static void allocate_under_signals(void *arg)
{
	struct sigaction action = { .sa_handler = fork_in_handler };
	struct itimerval every = { { 0, 1500 }, { 0, 1500 } };
	struct prng prng = { 1 };

	(void)arg;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	while (nr_handled < 200)
		mixed_work(&prng, 1000);
	memset(&every, 0, sizeof(every));
	setitimer(ITIMER_PROF, &every, NULL);
}

/* Wherever in malloc() the signal arrives; with one thread fork() has to work. */
static void fork_in_signal_handler(void)
{
	struct child_result result;

	child_run(&result, allocate_under_signals, NULL);
	CHECK(child_exited(result.status, 0), "; wait status %#x", result.status);
}

TEST_MAIN({ "late_handlers_allocate", late_handlers_allocate, false },
	  { "early_handlers_allocate", early_handlers_allocate, false },
	  { "fork_in_signal_handler", fork_in_signal_handler, false })
