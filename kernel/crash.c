// SPDX-License-Identifier: MIT
/*
 * What a module that ends by a signal leaves behind: a line that says where, and the
 * stack. The same for each thread when the runner asks because the time is up.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "module_run.h"
#include "os/signal/context.h"

#define MAX_FRAMES 48
#define STACK_BYTES (64 * 1024)

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line on stderr, without stdio's locks. */
static void say(const char *format, ...)
{
	char line[512];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (length > 0 && write(STDERR_FILENO, line, strnlen(line, sizeof(line))) < 0)
		return;
}

struct trace {
	void *frames[MAX_FRAMES];
	int nr, first;		/* first: the interrupted one */
};

static void take_trace(struct trace *trace, void *at)
{
	trace->nr = backtrace(trace->frames, MAX_FRAMES);
	trace->first = 0;
	for (int i = 0; i < trace->nr; i++)
		if (trace->frames[i] == at)
			trace->first = i;
}

/* A return address may lie behind the function that made the call. */
static const void *frame_address(const struct trace *trace, int i)
{
	return (char *)trace->frames[i] - (i > trace->first);
}

/* What the runner reads; -1 if there is none. */
static int open_notes(void)
{
	const char *path = getenv(MODULE_TRACE_FILE);

	return path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
}

/*
 * The stack for the runner, which looks them up in the program's debug information: calls
 * that the compiler has inlined stand there only.
 */
static void note_trace(const struct trace *trace)
{
	char line[32];
	int fd = open_notes();

	for (int i = trace->first; fd >= 0 && i < trace->nr; i++) {
		const void *address = frame_address(trace, i);
		int length = snprintf(line, sizeof(line), "0x%lx\n", symbol_offset(address));

		if (symbol_is_program(address) && write(fd, line, (size_t)length) < 0)
			break;
	}
	if (fd >= 0)
		close(fd);
}

/* An empty line: this thread has said all. The runner waits for it. */
static void note_answer(void)
{
	int fd = open_notes();

	if (fd < 0)
		return;
	if (write(fd, "\n", 1) < 0)
		say("usermm module: the runner is not told that this is all\n");
	close(fd);
}

static void print_trace(const struct trace *trace)
{
	char text[256];

	say("Call Trace:\n");
	for (int i = trace->first; i < trace->nr; i++) {
		symbol_text(frame_address(trace, i), text, sizeof(text));
		say("  %s\n", text);
	}
	note_trace(trace);
}

/* The module's function that it happened in, maybe some calls below the top. */
static void name_culprit(const struct trace *trace, void *at, char *text, size_t size)
{
	for (int i = trace->first; i < trace->nr; i++)
		if (symbol_is_program(frame_address(trace, i))) {
			symbol_text(frame_address(trace, i), text, size);
			return;
		}
	symbol_text(at, text, size);
}

/* The default action ends the process, so that the parent knows why. */
static void end_by(int signal_nr)
{
	signal(signal_nr, SIG_DFL);
	raise(signal_nr);
}

/*
 * Only one thread reports. Another that crashes meanwhile waits for the end, and
 * a crash of the report itself is the end.
 */
static bool is_reporter(void)
{
	static pid_t reporter;		/* Sync: atomic */
	pid_t self = (pid_t)syscall(SYS_gettid), nobody = 0;

	if (__atomic_compare_exchange_n(&reporter, &nobody, self, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return true;
	while (nobody != self)
		pause();
	return false;
}

static void report(const struct trace *trace, void *at, int signal, const void *address)
{
	char text[256], task[16] = "";

	usermm_printk_flush_crashed();
	name_culprit(trace, at, text, sizeof(text));
	prctl(PR_GET_NAME, task);
	if (signal == SIGSEGV || signal == SIGBUS)
		say("BUG: unable to handle access to address %p in %s, thread %s\n", address,
		    text, task);
	else
		say("BUG: %s in %s, thread %s\n", strsignal(signal), text, task);
	print_trace(trace);
}

/* Sync: the reporter's. */
static void *called_address;
static int called_signal;

/* Stands in for a function that is none, so that its caller is found on the stack. */
static void called_nowhere(void)
{
	struct trace trace;

	take_trace(&trace, called_address);
	trace.first = trace.nr > 1;
	report(&trace, trace.frames[trace.first], called_signal, called_address);
	end_by(called_signal);
}

static void crashed(int signal, siginfo_t *info, void *context)
{
	void *at = (void *)*os_context_code(context);
	struct trace trace;

	if (!is_reporter()) {
		end_by(signal);
		return;
	}
	if (signal == SIGSEGV && info->si_addr == at && !symbol_is_known(at)) {
		called_address = at;
		called_signal = signal;
		os_context_go_to(context, called_nowhere);
		return;
	}
	take_trace(&trace, at);
	report(&trace, at, signal, info->si_addr);
	end_by(signal);
}

static void asked_for_stack(int signal, siginfo_t *info, void *context)
{
	void *at = (void *)*os_context_code(context);
	char text[256], task[16] = "";
	struct trace trace;

	(void)signal, (void)info;
	take_trace(&trace, at);
	name_culprit(&trace, at, text, sizeof(text));
	prctl(PR_GET_NAME, task);
	say("INFO: thread %s is in %s\n", task, text);
	print_trace(&trace);
	note_answer();
}

static bool watching;		/* Sync: written before there are threads */
static __thread void *handler_stack;

void crash_stack_make(void)
{
	void *stack;

	if (!watching || handler_stack)
		return;
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stack == MAP_FAILED)
		return;
	handler_stack = stack;
	sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = STACK_BYTES }, NULL);
}

void crash_stack_drop(void)
{
	if (!handler_stack)
		return;
	sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
	munmap(handler_stack, STACK_BYTES);
	handler_stack = NULL;
}

void module_watch_crashes(void)
{
	static const int signals[] = {
		SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS,
	};
	struct sigaction action = {
		.sa_sigaction = crashed,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	void *frame;

	/* The first call loads the unwinder, which no handler should. */
	backtrace(&frame, 1);
	watching = true;
	crash_stack_make();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	action.sa_sigaction = asked_for_stack;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
	sigaction(MODULE_STACK_SIGNAL, &action, NULL);
}
