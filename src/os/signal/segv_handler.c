/* SPDX-License-Identifier: MIT */
/*
 * The library's handlers of SIGSEGV, and how they call the program's.
 *
 * If the kernel calls ours, the program's handler is called as the kernel would have called it:
 * once if it asks for that (SA_RESETHAND), and with the signals blocked that it asks for. There is
 * one difference: it runs on the alternate stack if there is one. If a handler of the program's
 * calls ours, as chained handlers do, then no signals are blocked and nothing is reset.
 *
 * Each of our handlers is a "front": it stands in front of one handler of the program's and passes
 * signals on to it. A program may find a front, set a handler of its own for a while, and put the
 * front back. The front must then still pass signals to the handler from before. So there is one
 * front for each handler of the program's that was displaced, and what lies behind a front never
 * changes.
 *
 * If the program's handler calls a front with the same siginfo, a signal might go round for ever.
 * So the fronts that a signal has passed are marked in si_errno, which the kernel leaves at 0. When
 * a signal comes to a front for the second time, the front takes the default action.
 */
#include "os/signal/segv_handler.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/system_call.h"
#include "base/text.h"
#include "base/upward_hooks.h"
#include "os/clock.h"
#include "os/signal/context.h"
#include "os/signal/signals.h"
#include "os/thread.h"

typedef bool (*look_function)(const struct os_fault *fault);

static look_function looks;		/* Sync: atomic */
static bool settled;			/* no handler is set any more. Sync: atomic relaxed */
/*
 * Programs set one handler, or two, so these fronts suffice. When all are used, no front is set
 * before the program's next handler.
 */
#define FRONTS 8
/* What lies behind each front. Sync: written before that front is set; constant then */
static struct sigaction behind[FRONTS] __large_bss;
static void (*const fronts[FRONTS])(int number, siginfo_t *info, void *context);
static unsigned int nr_fronts;		/* Sync: changer */
/*
 * os_fork_generation + 1 of the process in which a thread is setting a handler, or 0. A child of
 * fork() does not have that thread, and sees another value. Sync: atomic
 */
static uint64_t changer;

/* The flags that matter for how a handler is called. */
#define CALL_FLAGS (SA_SIGINFO | (int)SA_RESETHAND | SA_NODEFER | SA_RESTART)
/* The part of sigset_t that the kernel has; libc's may be longer. */
#define MASK_BYTES 8

/* How often to try while the program sets handlers at the same time. */
#define TRIES_MAX 16

/*
 * How long a handler must stay before a front is set before it. A thread of the program may set a
 * handler for a moment and then put back the one that it found. If a front were set in that moment,
 * the thread would next find this front, with the momentary handler behind it, and keep it for
 * good. So in a program with threads this many looks in a row, this far apart, must find the same
 * handler. Fewer or closer looks may all fall into such moments, or see a thread that was preempted
 * between its two calls.
 */
#define SETTLED_LOOKS 32
#define LOOKS_APART_MS 4

/* The mark in si_errno; its last byte has a bit for each front that the signal has passed. */
#define PASSED 0x66776400
#define PASSED_BITS ((1 << FRONTS) - 1)

/* The flags do not matter: sa_handler and sa_sigaction are one word. */
static bool is_none(const struct sigaction *programs)
{
	return programs->sa_handler == SIG_DFL || programs->sa_handler == SIG_IGN;
}

/*
 * Takes the default action. A wrong access is made again, which ends the process. A signal that was
 * sent is sent again.
 */
static void take_default(int number, const siginfo_t *info, const struct sigaction *programs)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	if (info->si_code <= 0 && programs->sa_handler == SIG_IGN)
		return;
	os_sigaction(number, &action, NULL);
	if (info->si_code <= 0)
		system_call(SYS_kill, os_current_process(), number);
}

static void call(int number, siginfo_t *info, void *context, const struct sigaction *programs)
{
	if (programs->sa_flags & SA_SIGINFO)
		programs->sa_sigaction(number, info, context);
	else
		programs->sa_handler(number);
}

/* Does what the kernel does before and after a handler. The handler may leave by siglongjmp(). */
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

/*
 * Is this front the handler that is set? If so, the kernel has called it; if not, the program has.
 */
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
	/* pairs with os_fault_watch(): what look() relies on */
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

/* The front with that handler behind it, made if needed; FRONTS if there are no more. */
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

/* The handler to set so that the library comes first and *programs second. */
static struct sigaction front_action(const struct sigaction *programs)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
	unsigned int front = is_front(programs) ? FRONTS : front_of(programs);

	if (front == FRONTS)
		return *programs;
	action.sa_sigaction = fronts[front];
	/* A signal that nobody handles interrupts no system call. */
	action.sa_flags |= is_none(programs) ? SA_RESTART : programs->sa_flags & SA_RESTART;
	sigemptyset(&action.sa_mask);
	return action;
}

/*
 * Sets the front, and checks what it has replaced. sigaction(2) does not compare: the program may
 * have set another handler since we looked. That handler was meant to last, so it goes behind the
 * next front.
 */
static void set_front(const struct sigaction *programs)
{
	struct sigaction expected = *programs, action = front_action(programs), old = { 0 };

	for (unsigned int tries = 0; tries < TRIES_MAX; tries++) {
		if (os_sigaction(SIGSEGV, &action, &old) || old.sa_handler == expected.sa_handler)
			return;
		expected = action;
		action = front_action(&old);
	}
	os_sigaction(SIGSEGV, &old, NULL);
}

/*
 * Sync: changer; the handler found instead of ours, how many looks found it, and when the last did
 */
static void (*found)(int number);
static unsigned int found_looks;
static uint64_t found_ms;

/* musl does not have this variable. */
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

	/* pairs with os_fault_watch(): the variables that the last changer wrote */
	return now != own && atomic_cas_acquire(&changer, &now, own);
}

void os_fault_watch(bool (*look)(const struct os_fault *fault))
{
	struct sigaction programs = { 0 };
	int saved_errno = errno;

	/* pairs with on_fault(): what look() relies on */
	atomic_store_release(&looks, look);
	if (!atomic_load_relaxed(&settled) && !os_sigaction(SIGSEGV, NULL, &programs) &&
	    begin_change()) {
		if (is_front(&programs)) {
			found = NULL;
			found_looks = 0;	/* NULL is also SIG_DFL */
		} else if (has_settled(&programs)) {
			set_front(&programs);
		}
		/* pairs with begin_change(): the variables of `changer` */
		atomic_store_release(&changer, 0UL);
	}
	errno = saved_errno;
}

void os_fault_settle(void)
{
	atomic_store_relaxed(&settled, true);
}
