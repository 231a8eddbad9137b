/* SPDX-License-Identifier: MIT */
/*
 * States: NONE -> STARTING (one thread won the right to create it) -> RUNNING -> NONE.
 *
 * A request for work adds one to background_requests, on which the thread sleeps. Before the thread
 * ends, it sets NONE and reads the word once more. Either the waker's addition comes before that
 * read, and the thread goes on; or the waker sees NONE and creates another thread. The variables
 * below describe one thread, so the next thread begins by waiting until the last one is gone.
 *
 * NONE alone does not mean that the last thread is gone: it still has instructions of usermm to
 * run, and on a busy machine it may run them much later. libc tells when they are over: the
 * destructor of the thread's key is sem_post() itself, which libc calls after run() has returned.
 * After that only libc's and the kernel's instructions are left. is_ending() also waits for the
 * kernel's, but only for ENDING_MS: by then another thread could have the thread's number.
 */
#include "os/background.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/atomic.h"
#include "base/system_call.h"
#include "base/upward_hooks.h"
#include "os/clock.h"
#include "os/lock.h"
#include "os/rights.h"
#include "os/signal/signals.h"
#include "os/stack.h"
#include "os/thread.h"

/* How long a thread without work stays. */
#define LINGER_MS 1000
/* How often fork() looks whether the thread has ended: at most 20 ms. */
#define FORK_POLLS 200
/* How long to sleep before looking again whether the last thread has ended. */
#define ENDING_POLL_US 100
/* So long after it has left run() a thread is gone, and another may have its number. */
#define ENDING_MS 1000
/* When to try again after the system has refused a thread. */
#define REFUSED_MS 1000

enum { NONE, STARTING, RUNNING };

static uint32_t state;		/* Sync: atomic; see above */
uint32_t background_requests;	/* Sync: atomic; see above */
uint32_t background_sleeping;	/* Sync: atomic; the thread is in futex(2), or about to be */
static int thread;		/* Sync: atomic; the last one's number, or 0 */
static uint64_t ended_ms;	/* Sync: atomic relaxed; when it was last known to be in run() */
static sem_t left;		/* Sync: made anew in STARTING, posted after run() */
static pthread_key_t left_key;	/* Sync: set in STARTING, once; see has_key */
static bool has_key;		/* Sync: STARTING */
static uint64_t refused_ms;	/* Sync: atomic relaxed; when the system refused a thread, or 0 */
static int owner;		/* Sync: atomic relaxed; the process that made the thread */
static uint32_t endings;	/* Sync: atomic; how many callers forbid a thread now */
static bool forbidden;		/* Sync: atomic relaxed; no new thread, for good */
/* Did the program have threads when the first one was made? Sync: atomic relaxed */
static enum { NOT_KNOWN, ONE_THREAD, MORE_THREADS } program_had;
static unsigned int (*do_work)(void);	/* Sync: constant after background_set_work() */
static void (*do_forget)(void);		/* Sync: constant after background_set_work() */
/*
 * If this is not NULL, the thread calls it at each wake, and stays when it has nothing to do. Sync:
 * constant after background_stay(), before there are other threads
 */
static void (*do_at_wake)(void);

void background_set_work(unsigned int (*work)(void), void (*forget)(void))
{
	do_work = work;
	do_forget = forget;
}

void background_stay(void (*at_wake)(void))
{
	do_at_wake = at_wake;
}

/*
 * Does this process have the thread that the state describes? A child of clone(2) or _Fork(), for
 * which no handler runs, inherits the state without the thread. A vfork child has its parent's
 * state.
 */
static bool is_own(void)
{
	return atomic_load_relaxed(&owner) == os_current_process();
}

bool background_is_running(void)
{
	return atomic_load_relaxed(&state) != NONE && is_own();
}

/*
 * Sleeps until there is a new request (background_requests is no longer `seen`), or the time is
 * over; 0: without a limit.
 */
static void wait_for_request(uint32_t seen, unsigned int milliseconds)
{
	struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };

	/* pairs with wake(): it sees this flag, or the kernel sees its request */
	atomic_exchange_acq_rel(&background_sleeping, 1);
	system_call(SYS_futex, &background_requests, FUTEX_WAIT_PRIVATE, seen,
		    milliseconds ? &time : NULL);
	atomic_store_relaxed(&background_sleeping, 0);
}

/* There is nothing to do: may the thread end? */
static bool can_end(uint32_t seen)
{
	uint32_t none = NONE;

	/* pairs with start_blocked() and has_ended(): `thread` and ended_ms */
	atomic_store_relaxed(&ended_ms, os_time_ms());
	atomic_store_release(&state, NONE);
	/* pairs with background_wake(): we see its request, or it sees our NONE */
	if (atomic_add_acq_rel(&background_requests, 0) == seen)
		return true;
	/* Relaxed, as in take_over(). */
	return !atomic_cas_relaxed(&state, &none, RUNNING);
}

static bool has_left(void)
{
	int posts;

	return !sem_getvalue(&left, &posts) && posts;
}

/*
 * Is the thread that left run() last still there? The kernel knows its number until it has run its
 * last instruction. A child of clone(2) never had the thread, so nothing posts `left` there and the
 * kernel's answer decides. Once the thread is gone this does not ask again, because a seccomp
 * filter that is set later may forbid tgkill(2).
 */
static bool is_ending(int number)
{
	uint64_t now = os_time_ms();

	if (!number)
		return false;
	if (!has_left() && system_call(SYS_tgkill, os_current_process(), number, 0) != -ESRCH) {
		atomic_store_relaxed(&ended_ms, now);
		return true;
	}
	if (now - atomic_load_relaxed(&ended_ms) < ENDING_MS &&
	    !system_call(SYS_tgkill, os_current_process(), number, 0))
		return true;
	/* No effect if there is another thread by now. */
	atomic_cas_relaxed(&thread, &number, 0);
	return false;
}

/*
 * Makes libc post `left` after run() has returned. Without a key this posts `left` now, a few
 * instructions too early.
 */
static void post_left_at_exit(void)
{
	if (!has_key || pthread_setspecific(left_key, &left))
		sem_post(&left);
}

/*
 * The state is still STARTING. Waits until the last thread is gone. Then `thread` and `left`
 * describe the calling thread.
 */
static void take_over(void)
{
	while (is_ending(atomic_load_relaxed(&thread)))
		os_sleep_us(ENDING_POLL_US);
	sem_init(&left, 0, 0);
	post_left_at_exit();
	/* pairs with has_ended(): the state STARTING */
	atomic_store_release(&thread, os_current_thread());
	/* Relaxed: a thread that sees RUNNING reads nothing that this thread has written. */
	atomic_store_relaxed(&state, RUNNING);
}

static void *run(void *unused)
{
	system_call(SYS_prctl, PR_SET_NAME, "usermm");
	os_thread_make_ordinary();	/* a thread inherits its creator's policy */
	rights_give_up();
	take_over();
	for (;;) {
		/* pairs with background_wake(), here and twice below: what there is to do */
		uint32_t seen = atomic_load_acquire(&background_requests);
		unsigned int again_ms;

		/* The load above pairs with request_end(): `endings`, if `seen` has its request. */
		if (atomic_load_relaxed(&endings)) {
			if (do_forget)
				do_forget();
			atomic_store_relaxed(&ended_ms, os_time_ms());
			/* pairs with start_blocked() and has_ended(): `thread` and ended_ms */
			atomic_store_release(&state, NONE);
			return unused;
		}
		if (do_at_wake)
			do_at_wake();
		again_ms = do_work();
		if (atomic_load_acquire(&background_requests) != seen)
			continue;
		wait_for_request(seen, again_ms || do_at_wake ? again_ms : LINGER_MS);
		if (!again_ms && !do_at_wake && atomic_load_acquire(&background_requests) == seen &&
		    can_end(seen))
			return unused;
	}
}

/* Are signals blocked, as in most signal handlers? */
static bool blocks_signals(void)
{
	os_signals blocked;

	os_block_signals(0, &blocked);
	return blocked;
}

static bool on_alternative_stack(void)
{
	stack_t stack;

	return system_call(SYS_sigaltstack, NULL, &stack) || (stack.ss_flags & SS_ONSTACK);
}

/*
 * Might this be a signal handler? A handler must not create a thread: it may have interrupted
 * pthread_create() itself. A program may also block its signals for good (signalfd(2), sigwait(3),
 * or by inheritance), so blocked signals count only if the stack does not tell.
 */
static bool may_be_handler(void)
{
	switch (os_in_signal_handler()) {
	case OS_NO:
		return false;
	case OS_YES:
		return true;
	default:
		return blocks_signals() || on_alternative_stack();
	}
}

/*
 * Did the system refuse a thread lately? A filter or a limit stays for a while, so asking at every
 * request would not help.
 */
static bool was_refused(void)
{
	uint64_t refused = atomic_load_relaxed(&refused_ms);

	return refused && os_time_ms() - refused < REFUSED_MS;
}

/*
 * Has the last thread ended? The number is read twice, so that the state belongs to the thread with
 * this number.
 */
static bool has_ended(void)
{
	/* pairs with take_over(): a thread that sees its number sees STARTING, or later */
	int number = atomic_load_acquire(&thread);

	/* pairs with run(), can_end() and start_blocked(): `thread`, ended_ms and refused_ms */
	return atomic_load_acquire(&state) == NONE && atomic_load_relaxed(&thread) == number &&
	       !is_ending(number);
}

/*
 * Calls each function of libc that the thread will call. Another library may own such a function,
 * and may load a library at its first call. The thread has no right to do that (os/rights.h).
 */
static void call_first(void)
{
	sem_t any;
	int posts;

	sem_init(&any, 0, 0);
	sem_post(&any);
	sem_getvalue(&any, &posts);
	sem_destroy(&any);
	if (has_key)
		pthread_setspecific(left_key, NULL);
}

/* 0 or an error number. stack_bytes: 0 for libc's default. */
static int create_with(size_t stack_bytes)
{
	pthread_attr_t attr;
	pthread_t created;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (stack_bytes)
		pthread_attr_setstacksize(&attr, stack_bytes);
	error = pthread_create(&created, &attr, run, NULL);
	pthread_attr_destroy(&attr);
	return error;
}

/* glibc's variable. It is false for good once there was a second thread, even the library's. */
extern char __libc_single_threaded __attribute__((__weak__));

static void note_threads(void)
{
	if (atomic_load_relaxed(&program_had) == NOT_KNOWN)
		atomic_store_relaxed(&program_had,
				     !&__libc_single_threaded || __libc_single_threaded ?
				     ONE_THREAD : MORE_THREADS);
}

/* The state is STARTING. False if there is no thread. */
static bool create(void)
{
	int error;

	note_threads();
	/* sem_post() returns an int that nobody reads; the cast in between avoids a warning. */
	if (!has_key) {
		has_key = !pthread_key_create(&left_key,
					      (void (*)(void *))(void (*)(void))sem_post);
		call_first();
	}
	error = create_with(BACKGROUND_STACK_BYTES);
	if (error == EINVAL)	/* too small: libc puts thread-local data there, too */
		error = create_with(0);
	if (error)
		atomic_store_relaxed(&refused_ms, os_time_ms());
	return !error;
}

/*
 * Makes the thread if the state is NONE. Signals are blocked here, and the new thread inherits
 * that.
 */
static void start_blocked(void)
{
	uint32_t none = NONE;

	/* pairs with run() and can_end(): `thread` and ended_ms of the last thread */
	if (!atomic_cas_acq_rel(&state, &none, STARTING))
		return;
	atomic_store_relaxed(&owner, os_current_process());
	/* pairs with itself in the next thread, and with has_ended(): has_key, refused_ms */
	if (!create())
		atomic_store_release(&state, NONE);
}

/*
 * Creates the thread with signals blocked: a handler that waits for the thread's end must not
 * interrupt this thread in STARTING.
 */
static void start(void)
{
	os_signals before;

	if (!lock_none_held() || atomic_load_relaxed(&endings) ||
	    atomic_load_relaxed(&forbidden) || was_refused() || may_be_handler())
		return;
	os_block_signals(OS_SIGNALS_ALL, &before);
	start_blocked();
	os_restore_signals(&before);
}

static void wake(void)
{
	/* pairs with wait_for_request(): this sees its flag, or it does not sleep */
	if (atomic_exchange_acq_rel(&background_sleeping, 0))
		system_call(SYS_futex, &background_requests, FUTEX_WAKE_PRIVATE, 1);
}

void background_wake(void)
{
	int saved_errno = errno;

	/* pairs with run(): what there is to do; and with can_end() */
	atomic_add_acq_rel(&background_requests, 1);
	if (atomic_load_relaxed(&state) == NONE)
		start();
	else
		wake();
	errno = saved_errno;
}

static void request_end(void)
{
	atomic_add_relaxed(&endings, 1);
	/* pairs with run(): `endings` */
	atomic_add_acq_rel(&background_requests, 1);
	wake();
}

/*
 * Is there no thread, and has is_ending() found that the one before is gone, so that it cleared the
 * number? Makes no system call. May be false for a while after the thread has gone.
 */
static bool is_gone(void)
{
	return !atomic_load_relaxed(&thread) && has_ended();
}

/* May this thread wait for the end of the library's, if there is one? */
static bool may_wait_for_end(void)
{
	return lock_none_held() && !is_gone() && is_own() &&
	       atomic_load_relaxed(&thread) != os_current_thread();
}

bool background_suspend(void)
{
	bool was_running = background_is_running();

	request_end();
	if (!may_wait_for_end())
		return was_running;
	while (!has_ended())
		os_sleep_us(ENDING_POLL_US);
	return was_running;
}

/* Waits only for a limited time: a shrinker may wait for a lock that the forking thread holds. */
void background_fork_prepare(void)
{
	if (do_at_wake || atomic_load_relaxed(&program_had) != ONE_THREAD ||
	    !background_is_running() || !may_wait_for_end())
		return;
	request_end();
	for (unsigned int i = 0; i < FORK_POLLS && !has_ended(); i++)
		os_sleep_us(ENDING_POLL_US);
	background_resume();
}

void background_unload(void)
{
	background_suspend();
	/*
	 * Delete the key: a process has few, and the library makes another one if it is loaded
	 * again.
	 */
	if (!has_key || background_is_forbidden() || !is_own() || !has_ended())
		return;
	has_key = false;
	pthread_key_delete(left_key);
}

void background_come_back(void)
{
	if (do_at_wake)
		background_wake();
}

void background_resume(void)
{
	atomic_add_relaxed(&endings, -1u);
	background_come_back();
}

void background_resume_and_go_on(bool was_running)
{
	background_resume();
	if (was_running)
		background_wake();
}

void background_forbid(void)
{
	atomic_store_relaxed(&forbidden, true);
}

bool background_is_forbidden(void)
{
	return atomic_load_relaxed(&forbidden);
}

void background_fork_child(void)
{
	atomic_store_relaxed(&state, NONE);
	atomic_store_relaxed(&background_sleeping, 0);
	atomic_store_relaxed(&thread, 0);
	atomic_store_relaxed(&refused_ms, 0);
	/* The callers of background_suspend() were threads of the parent. */
	atomic_store_relaxed(&endings, 0);
	if (do_forget)
		do_forget();
}
