// SPDX-License-Identifier: MIT
/*
 * If a signal ends a module: prints a line that says where, and the stack. If the time is up and
 * the parent asks, each thread prints the same.
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

#include <linux/panic_notifier.h>

ATOMIC_NOTIFIER_HEAD(panic_notifier_list);

#define MAX_FRAMES 48
#define STACK_BYTES (64 * 1024)

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints one line on stderr, without stdio, whose locks the interrupted thread may hold. */
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
	int nr, first;		/* first: index of the interrupted frame */
};

static void take_trace(struct trace *trace, void *at)
{
	trace->nr = backtrace(trace->frames, MAX_FRAMES);
	trace->first = 0;
	for (int i = 0; i < trace->nr; i++)
		if (trace->frames[i] == at)
			trace->first = i;
}

/*
 * An address inside the frame's function: the return address itself may lie behind its end. The
 * interrupted frame has no return address.
 */
static const void *frame_address(const struct trace *trace, int i)
{
	return (char *)trace->frames[i] - (i > trace->first);
}

/* Opens the file that the parent reads; -1 if there is none. */
static int open_notes(void)
{
	const char *path = getenv(MODULE_TRACE_FILE);

	return path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
}

/*
 * Writes the stack's addresses for the parent, which looks them up in the program's debug
 * information. Only there are the calls that the compiler has inlined.
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

/* Writes an empty line: this thread's answer is complete. The parent waits for it. */
static void note_answer(void)
{
	int fd = open_notes();

	if (fd < 0)
		return;
	if (write(fd, "\n", 1) < 0)
		say("usermm module: cannot write to $" MODULE_TRACE_FILE "\n");
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

/*
 * Finds the innermost function of the module on the stack; the crash may be in a library it called.
 */
static void name_culprit(const struct trace *trace, void *at, char *text, size_t size)
{
	for (int i = trace->first; i < trace->nr; i++)
		if (symbol_is_program(frame_address(trace, i))) {
			symbol_text(frame_address(trace, i), text, size);
			return;
		}
	symbol_text(at, text, size);
}

/* Ends the process by the signal's default action, so that the parent sees the signal. */
static void end_by(int signal_nr)
{
	signal(signal_nr, SIG_DFL);
	raise(signal_nr);
}

/*
 * True for the first thread that crashes, which reports. Another thread that crashes meanwhile
 * waits here until the process ends. False if the reporter crashes again: the process must end now.
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

/* Sync: only the reporter uses them. */
static void *called_address;
static int called_signal;

/* Runs in place of a call to an address without code, so that the stack shows the caller. */
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

	/* The first call loads the unwinder, which must not happen in a signal handler. */
	backtrace(&frame, 1);
	watching = true;
	crash_stack_make();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	action.sa_sigaction = asked_for_stack;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
	sigaction(MODULE_STACK_SIGNAL, &action, NULL);
}
