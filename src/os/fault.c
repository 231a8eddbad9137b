/* SPDX-License-Identifier: MIT */
/*
 * The program's handler is called as the kernel would have called it, but with the signals
 * blocked that are so here. A handler that was set after this one may call what was there
 * before, which is this one again, with the same siginfo: that is marked in si_errno, which
 * the kernel leaves at 0. What is left then is the default.
 */
#include "os/fault.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/atomic.h"

typedef bool (*look_function)(const struct os_fault *fault);

static look_function looks;		/* Sync: atomic */
/* Sync: written before this handler is set, by one thread at a time */
static struct sigaction programs;
static uint32_t is_changing;		/* Sync: atomic; somebody writes programs */

#define FORWARDED 0x66776421

#if defined(__x86_64__)
static void read_context(const ucontext_t *context, struct os_fault *fault)
{
	fault->code = (const void *)context->uc_mcontext.gregs[REG_RIP];
	fault->is_write = context->uc_mcontext.gregs[REG_ERR] & 2;
}
#elif defined(__aarch64__)
/* The exception's syndrome is one of the records behind the registers. */
static void read_context(const ucontext_t *context, struct os_fault *fault)
{
	const char *record = (const char *)context->uc_mcontext.__reserved;
	uint32_t head[2];
	uint64_t syndrome;

	fault->code = (const void *)context->uc_mcontext.pc;
	for (;; record += head[1]) {
		memcpy(head, record, sizeof(head));
		if (!head[0] || !head[1])
			return;
		if (head[0] != 0x45535201)
			continue;
		memcpy(&syndrome, record + sizeof(head), sizeof(syndrome));
		fault->is_write = syndrome >> 6 & 1;
		return;
	}
}
#else
static void read_context(const ucontext_t *context, struct os_fault *fault)
{
	(void)context;
	(void)fault;
}
#endif

/* An access that nobody handles is made again and ends the process; a sent signal is sent. */
static void take_default(int number, const siginfo_t *info)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	if (info->si_code <= 0 && programs.sa_handler == SIG_IGN)
		return;
	sigaction(number, &action, NULL);
	if (info->si_code <= 0)
		kill(getpid(), number);
}

static void forward(int number, siginfo_t *info, void *context)
{
	if (info->si_errno == FORWARDED ||
	    (!(programs.sa_flags & SA_SIGINFO) &&
	     (programs.sa_handler == SIG_DFL || programs.sa_handler == SIG_IGN))) {
		take_default(number, info);
		return;
	}
	info->si_errno = FORWARDED;
	if (programs.sa_flags & SA_SIGINFO)
		programs.sa_sigaction(number, info, context);
	else
		programs.sa_handler(number);
	info->si_errno = 0;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	struct os_fault fault = { .address = info->si_addr };
	int saved_errno = errno;
	look_function look = atomic_load_acquire(&looks);

	read_context(context, &fault);
	if (info->si_code > 0 && look && look(&fault)) {
		errno = saved_errno;
		return;
	}
	errno = saved_errno;
	forward(number, info, context);
}

void os_fault_watch(bool (*look)(const struct os_fault *fault))
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
	struct sigaction old;
	int saved_errno = errno;
	uint32_t nobody = 0;

	action.sa_sigaction = on_fault;
	sigemptyset(&action.sa_mask);
	atomic_store_release(&looks, look);
	if (!sigaction(SIGSEGV, NULL, &old) &&
	    !((old.sa_flags & SA_SIGINFO) && old.sa_sigaction == on_fault) &&
	    atomic_cas_acquire(&is_changing, &nobody, 1)) {
		programs = old;
		sigaction(SIGSEGV, &action, NULL);
		atomic_store_release(&is_changing, 0);
	}
	errno = saved_errno;
}
