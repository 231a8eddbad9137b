// SPDX-License-Identifier: MIT
/* Stops all threads of a live process for a moment, by ptrace(2). */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "target/live.h"

/* How long all threads may take to stop. One that waits for a disk does not stop at all. */
#define STOP_NS 10000000UL
#define PAUSED_PRIORITY (-20)
/* How often to look for new threads. A program may make them all the time. */
#define ROUNDS_MAX 64
/* Without a signal, how long to wait before looking again. */
#define MOMENT_NS 1000000UL
/* How long to wait for a late thread to stop, since only a stopped one can be let go. */
#define LATE_NS 1000000000UL

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000UL + (uint64_t)now.tv_nsec;
}

struct tracing {
	size_t new_ones;
	int error;		/* of ptrace() */
};

static bool is_traced(const struct live *live, pid_t id)
{
	for (size_t i = 0; i < live->nr_traced; i++)
		if (live->traced[i] == id)
			return true;
	return false;
}

/* 0, or what ptrace() says. The thread goes on. */
static int trace(struct target *target, pid_t id)
{
	struct live *live = target->own;
	pid_t *traced;

	/* A thread that stopped too late in an earlier try is still traced. */
	if (is_traced(live, id))
		return 0;
	traced = realloc(live->traced, (live->nr_traced + 1) * sizeof(*traced));
	if (!traced)
		return ENOMEM;
	live->traced = traced;
	if (ptrace(PTRACE_SEIZE, id, 0, 0))
		return live_thread_has_ended(target, id) ? ESRCH : errno;
	traced[live->nr_traced++] = id;
	return 0;
}

static bool trace_thread(struct target *target, pid_t id, void *arg)
{
	struct tracing *tracing = arg;
	int error;

	for (size_t i = 0; i < target->nr_threads; i++)
		if (target->threads[i].id == id)
			return true;
	error = trace(target, id);
	if (error == ESRCH)	/* it has ended meanwhile */
		return true;
	if (!error && !target_add_thread(target, id))
		error = ENOMEM;
	tracing->error = error;
	tracing->new_ones++;
	return !error;
}

static void take_registers(struct thread *thread)
{
	uint64_t words[THREAD_WORDS];
	struct iovec part = { words, sizeof(words) };

	if (!ptrace(PTRACE_GETREGSET, thread->id, NT_PRSTATUS, &part))
		registers_take(thread, words, part.iov_len);
}

/* A thread that does not stop is in the kernel. The system tells where its stack ends. */
static void take_from_system(struct target *target, struct thread *thread)
{
	char name[64], text[512], *last;
	unsigned long stack, counter;

	snprintf(name, sizeof(name), "task/%d/syscall", thread->id);
	if (!live_read_file(target, name, text, sizeof(text)))
		return;
	last = strstr(text, " 0x");
	for (char *next = last; next; next = strstr(next + 1, " 0x"))
		if (sscanf(next, " 0x%lx 0x%lx", &stack, &counter) == 2) {
			thread->stack_pointer = stack;
			thread->program_counter = counter;
		}
}

/* Takes the threads that have stopped, or ended, since the last call. Returns how many. */
static size_t take_stopped(struct target *target)
{
	size_t nr = 0;
	int status;
	pid_t id;

	while ((id = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		for (size_t i = 0; i < target->nr_threads; i++) {
			struct thread *thread = &target->threads[i];

			if (thread->id != id || thread->stands)
				continue;
			thread->stands = true;
			nr++;
			if (WIFSTOPPED(status))
				take_registers(thread);
		}
	return nr;
}

/*
 * Sleeps until a thread has stopped, at most `ns` nanoseconds. A thread that waits for a processor
 * must run to stop, so this one must not.
 */
static void wait_for_child(uint64_t ns)
{
	struct timespec limit = { .tv_nsec = (long)(ns < MOMENT_NS ? ns : MOMENT_NS) };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &limit);
}

/* Stops the threads from number `first` on. Those that do not stand by then are left out. */
static void stop_threads(struct target *target, size_t first, uint64_t deadline)
{
	size_t left = target->nr_threads - first;
	uint64_t now;

	for (size_t i = first; i < target->nr_threads; i++)
		ptrace(PTRACE_INTERRUPT, target->threads[i].id, 0, 0);
	for (;;) {
		left -= take_stopped(target);
		now = now_ns();
		if (!left || now >= deadline)
			break;
		wait_for_child(deadline - now);
	}
	for (size_t i = first; i < target->nr_threads && left; i++)
		if (!target->threads[i].stands)
			take_from_system(target, &target->threads[i]);
}

/* Only a thread that has stopped can be let go. Waits for one that is late. */
static bool let_late_one_go(pid_t id, uint64_t deadline)
{
	int status;

	while (waitpid(id, &status, __WALL | WNOHANG) == 0) {
		if (now_ns() > deadline)
			return false;
		wait_for_child(MOMENT_NS);
	}
	ptrace(PTRACE_DETACH, id, 0, 0);
	return true;
}

/* Until end_pause(), SIGCHLD waits to be taken, and this program has priority: all wait for it. */
static void begin_pause(struct live *live)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaction(SIGCHLD, &usual, &live->action);
	sigprocmask(SIG_BLOCK, &set, &live->signals);
	/* Only root may raise a priority. */
	live->priority = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, PAUSED_PRIORITY);
	live->is_pausing = true;
}

static void end_pause(struct live *live)
{
	if (!live->is_pausing)
		return;
	setpriority(PRIO_PROCESS, 0, live->priority);
	wait_for_child(0);	/* takes a signal that still waits */
	sigprocmask(SIG_SETMASK, &live->signals, NULL);
	sigaction(SIGCHLD, &live->action, NULL);
	live->is_pausing = false;
}

void live_resume(struct target *target)
{
	struct live *live = target->own;
	size_t late = 0;

	for (size_t i = 0; i < live->nr_traced; i++)
		if (ptrace(PTRACE_DETACH, live->traced[i], 0, 0))
			live->traced[late++] = live->traced[i];
	if (live->paused_at)
		target->paused_ns = now_ns() - live->paused_at;
	live->paused_at = 0;
	live->nr_traced = 0;
	for (size_t i = 0; i < late; i++)
		if (!let_late_one_go(live->traced[i], now_ns() + LATE_NS))
			live->traced[live->nr_traced++] = live->traced[i];
	end_pause(live);
}

static enum inspect_status fail_trace(struct target *target, int error)
{
	long tracer = live_read_status(target, "\nTracerPid:");

	live_resume(target);
	if (error == ENOMEM)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory");
	if (tracer > 0)
		return target_fail(target, INSPECT_TRACED, "process %d cannot be paused: "
				   "process %ld traces it, as a debugger does; let that one "
				   "detach first", target->pid, tracer);
	return target_fail(target, INSPECT_NO_PERMISSION, "process %d cannot be paused: %s",
			   target->pid, strerror(error));
}

/*
 * Traces all threads before it stops the first one: tracing takes time, and they run meanwhile. New
 * threads may appear until all others stand.
 */
enum inspect_status live_pause(struct target *target)
{
	struct live *live = target->own;
	size_t nr_stopped = 0;

	target->paused_ns = 0;
	begin_pause(live);
	for (unsigned int round = 0; round < ROUNDS_MAX; round++) {
		struct tracing tracing = { 0 };

		if (!live_for_each_thread(target, trace_thread, &tracing) && tracing.error)
			return fail_trace(target, tracing.error);
		/* The second round sees most threads that were new in the first one. */
		if (!round)
			continue;
		if (target->nr_threads == nr_stopped)
			break;
		if (!live->paused_at)
			live->paused_at = now_ns();
		stop_threads(target, nr_stopped, live->paused_at + STOP_NS);
		nr_stopped = target->nr_threads;
	}
	return target->nr_threads ? INSPECT_OK : live_fail_ended(target);
}
