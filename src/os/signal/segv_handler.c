/* SPDX-License-Identifier: MIT */
/*
 * The program's handler is called as the kernel would have called it, once if it asks for that,
 * and with the signals blocked that it asks for; but on the alternate stack if there is one. Where
 * the program itself calls what it found in front, as handlers do that are set behind one
 * another, it is no more than that call.
 *
 * What a program finds in front it may put back later, in place of a handler that it has set for
 * a while: then what was behind it has to be behind it again. So there are several handlers
 * here, one for each of the program's that has been displaced; what lies behind one never changes.
 *
 * The program's handler may also call what it has found, which is one of these, with the same
 * siginfo: those that the signal has passed are marked in si_errno, which the kernel leaves at
 * 0. It passes none twice; what is left then is the default.
 */
#include "os/signal/segv_handler.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"
#include "os/clock.h"
#include "os/signal/context.h"
#include "os/signal/signals.h"
#include "os/thread.h"

typedef bool (*look_function)(const struct os_fault *fault);

static look_function looks;		/* Sync: atomic */
static bool settled;			/* Sync: atomic relaxed; handlers are left alone */
/* Programs have one handler, or two. When there are no more of these the library stays behind. */
#define FRONTS 8
/* What lies behind each. Sync: written before that handler is set; constant then */
static struct sigaction behind[FRONTS] __large_bss;
static void (*const fronts[FRONTS])(int number, siginfo_t *info, void *context);
static unsigned int nr_fronts;		/* Sync: changer */
/*
 * os_fork_generation + 1 of the process of which a thread sets a handler, or 0: in a child of
 * fork() that thread is not there. Sync: atomic
 */
static uint64_t changer;

/* What of a handler's flags matters for how it is called. */
#define CALL_FLAGS (SA_SIGINFO | (int)SA_RESETHAND | SA_NODEFER | SA_RESTART)
/* Of a sigset_t, which libc may have made longer. */
#define MASK_BYTES 8

/* So often the program may be setting handlers at the same time before it is left alone. */
#define TRIES_MAX 16

/*
 * A thread of the program's may set a handler for a moment, and put back what it has found: if we
 * came in front meanwhile, what it finds next time is ours with that handler behind it, for good.
 * So in programs with threads a handler is left alone until it was there at so many looks in a row,
 * so far apart: few, or such as follow each other closely, may see a moment each, or a thread that
 * was preempted in the midst of one.
 */
#define SETTLED_LOOKS 32
#define LOOKS_APART_MS 4

#define PASSED 0x66776400
#define PASSED_BITS ((1 << FRONTS) - 1)

/* Whatever its flags say. Both kinds of handlers are one address. */
static bool is_none(const struct sigaction *programs)
{
	return programs->sa_handler == SIG_DFL || programs->sa_handler == SIG_IGN;
}

/* An access that nobody handles is made again and ends the process; a sent signal is sent. */
static void take_default(int number, const siginfo_t *info, const struct sigaction *programs)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	if (info->si_code <= 0 && programs->sa_handler == SIG_IGN)
		return;
	os_sigaction(number, &action, NULL);
	if (info->si_code <= 0)
		kill(os_current_process(), number);
}

static void call(int number, siginfo_t *info, void *context, const struct sigaction *programs)
{
	if (programs->sa_flags & SA_SIGINFO)
		programs->sa_sigaction(number, info, context);
	else
		programs->sa_handler(number);
}

/* What the kernel does before and behind it; it may not come back. */
static void call_as_kernel(int number, siginfo_t *info, void *context,
			   const struct sigaction *programs)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t before, mask = programs->sa_mask, this_one;

	if (programs->sa_flags & (int)SA_RESETHAND)
		os_sigaction(number, &action, NULL);
	sigprocmask(SIG_BLOCK, &mask, &before);
	if ((programs->sa_flags & SA_NODEFER) && !sigismember(&mask, number)) {
		sigemptyset(&this_one);
		sigaddset(&this_one, number);
		sigprocmask(SIG_UNBLOCK, &this_one, NULL);
	}
	call(number, info, context, programs);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Or has the program called it? */
static bool is_set(int number, unsigned int front)
{
	struct sigaction now = { 0 };

	return !os_sigaction(number, NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
	       now.sa_sigaction == fronts[front];
}

static void forward(int number, siginfo_t *info, void *context, unsigned int front)
{
	const struct sigaction *programs = &behind[front];
	int before = info->si_errno;
	int passed = (before & ~PASSED_BITS) == PASSED ? before & PASSED_BITS : 0;

	if (passed >> front & 1 || is_none(programs)) {
		take_default(number, info, programs);
		return;
	}
	info->si_errno = PASSED | passed | 1 << front;
	if (is_set(number, front))
		call_as_kernel(number, info, context, programs);
	else
		call(number, info, context, programs);
	info->si_errno = before;
}

static void on_fault(int number, siginfo_t *info, void *context, unsigned int front)
{
	struct os_fault fault = {
		.address = info->si_addr,
		.code = (const void *)*os_context_code(context),
		.is_write = os_context_is_write(context),
	};
	int saved_errno = errno;
	look_function look = atomic_load_acquire(&looks);

	if (info->si_code > 0 && look && look(&fault)) {
		errno = saved_errno;
		return;
	}
	errno = saved_errno;
	forward(number, info, context, front);
}

#define DEFINE_FRONT(n) \
	static void front_##n(int number, siginfo_t *info, void *context) \
	{ \
		on_fault(number, info, context, n); \
	}
DEFINE_FRONT(0)
DEFINE_FRONT(1)
DEFINE_FRONT(2)
DEFINE_FRONT(3)
DEFINE_FRONT(4)
DEFINE_FRONT(5)
DEFINE_FRONT(6)
DEFINE_FRONT(7)

static void (*const fronts[FRONTS])(int number, siginfo_t *info, void *context) = {
	front_0, front_1, front_2, front_3, front_4, front_5, front_6, front_7,
};

static bool is_front(const struct sigaction *action)
{
	for (unsigned int i = 0; i < FRONTS; i++)
		if ((action->sa_flags & SA_SIGINFO) && action->sa_sigaction == fronts[i])
			return true;
	return false;
}

/* The one with that handler behind it; FRONTS if there are no more. */
static unsigned int front_of(const struct sigaction *programs)
{
	for (unsigned int i = 0; i < nr_fronts; i++)
		if (behind[i].sa_handler == programs->sa_handler &&
		    !((behind[i].sa_flags ^ programs->sa_flags) & CALL_FLAGS) &&
		    !memcmp(&behind[i].sa_mask, &programs->sa_mask, MASK_BYTES))
			return i;
	if (nr_fronts == FRONTS)
		return FRONTS;
	behind[nr_fronts] = *programs;
	return nr_fronts++;
}

/* What is to be set so that the library comes first and *programs second. */
static struct sigaction in_front_of(const struct sigaction *programs)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
	unsigned int front = is_front(programs) ? FRONTS : front_of(programs);

	if (front == FRONTS)
		return *programs;
	action.sa_sigaction = fronts[front];
	/* A signal that nobody handles interrupts no call. */
	action.sa_flags |= is_none(programs) ? SA_RESTART : programs->sa_flags & SA_RESTART;
	sigemptyset(&action.sa_mask);
	return action;
}

/*
 * The kernel compares nothing: what it says was set before may be what another thread of the
 * program's has set since we looked. Then that one was meant to last, and comes next.
 */
static void come_in_front(const struct sigaction *programs)
{
	struct sigaction expected = *programs, action = in_front_of(programs), old = { 0 };

	for (unsigned int tries = 0; tries < TRIES_MAX; tries++) {
		if (os_sigaction(SIGSEGV, &action, &old) || old.sa_handler == expected.sa_handler)
			return;
		expected = action;
		action = in_front_of(&old);
	}
	os_sigaction(SIGSEGV, &old, NULL);
}

/* Sync: changer; the handler that was found instead of ours, at how many looks, and the last one */
static void (*found)(int number);
static unsigned int found_looks;
static uint64_t found_ms;

/* Of musl it is not known. */
extern char __libc_single_threaded __attribute__((__weak__));

static bool has_settled(const struct sigaction *programs)
{
	uint64_t now = os_time_ms();

	if (!nr_fronts || !&__libc_single_threaded || __libc_single_threaded)
		return true;
	if (found != programs->sa_handler) {
		found = programs->sa_handler;
		found_looks = 0;
		found_ms = now;
	}
	if (now - found_ms >= LOOKS_APART_MS) {
		found_looks++;
		found_ms = now;
	}
	return found_looks >= SETTLED_LOOKS;
}

static bool begin_change(void)
{
	uint64_t own = (uint64_t)os_fork_generation + 1, now = atomic_load_relaxed(&changer);

	return now != own && atomic_cas_acquire(&changer, &now, own);
}

void os_fault_watch(bool (*look)(const struct os_fault *fault))
{
	struct sigaction programs = { 0 };
	int saved_errno = errno;

	atomic_store_release(&looks, look);
	if (!atomic_load_relaxed(&settled) && !os_sigaction(SIGSEGV, NULL, &programs) &&
	    begin_change()) {
		if (is_front(&programs)) {
			found = NULL;
			found_looks = 0;	/* that is also SIG_DFL */
		} else if (has_settled(&programs)) {
			come_in_front(&programs);
		}
		atomic_store_release(&changer, 0UL);
	}
	errno = saved_errno;
}

void os_fault_settle(void)
{
	atomic_store_relaxed(&settled, true);
}
