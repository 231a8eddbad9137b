/* SPDX-License-Identifier: MIT */
/*
 * vfork() and clone() of a preloaded program. A child that shares memory may allocate, though the
 * kernel gives it no restartable sequences (percpu/vfork.c). In a child with memory of its own,
 * the library does what it does in a child of fork().
 */
#include "percpu/vfork.h"

#include <sched.h>
#include <stdarg.h>

#include "base/compiler.h"
#include "os/background.h"
#include "percpu/fork.h"
#include "percpu/percpu.h"

/* libc may have macros of these names. */
#undef vfork
#undef clone

#if RSEQ_SUPPORTED
/* vfork() returns twice, so it cannot call percpu_vfork() in C: assembly jumps there. */
EXPORT pid_t vfork(void);
EXPORT pid_t __vfork(void);
__asm__(".pushsection .text\n\t"
	".globl vfork\n\t"
#if defined(__x86_64__)
	".type vfork, @function\n"
	"vfork:\n\t"
	".cfi_startproc\n\t"
	"jmp percpu_vfork\n\t"
#elif defined(__aarch64__)
	".type vfork, %function\n"
	"vfork:\n\t"
	".cfi_startproc\n\t"
	"b percpu_vfork\n\t"
#elif defined(__riscv)
	".type vfork, @function\n"
	"vfork:\n\t"
	".cfi_startproc\n\t"
	"tail percpu_vfork\n\t"
#endif
	".cfi_endproc\n\t"
	".size vfork, . - vfork\n\t"
	".globl __vfork\n\t"
	".set __vfork, vfork\n\t"
	".popsection");
#endif

#ifdef __GLIBC__
/* glibc's other name for clone(). */
int __clone(int (*fn)(void *arg), void *stack, int flags, void *arg, ...);

/* The program's function, which a child with memory of its own runs. */
struct clone_start {
	int (*fn)(void *arg);
	void *arg;
};

/* clone() runs no fork handlers in the child. */
static int run_copy(void *start)
{
	const struct clone_start *own = start;
	int result;

	percpu_fork_child_begin();
	result = own->fn(own->arg);
	/*
	 * When fn returns, only this thread ends. The background thread has to end too, or the
	 * process would live on.
	 */
	background_suspend();
	return result;
}

/*
 * clone(2). While a child that shares memory lives, nobody has a slot. Without CLONE_VFORK the
 * parent cannot tell when the child ends, so nobody gets a slot again: slow, but right.
 */
EXPORT int clone(int (*fn)(void *arg), void *stack, int flags, void *arg, ...)
{
	struct clone_start start = { fn, arg };
	void *parent_tid, *tls, *child_tid;
	va_list rest;
	int result;

	va_start(rest, arg);
	parent_tid = va_arg(rest, void *);
	tls = va_arg(rest, void *);
	child_tid = va_arg(rest, void *);
	va_end(rest);
	if (!(flags & CLONE_VM)) {
		/* No fork handlers run, so the background thread must hold no lock now. */
		background_suspend();
		result = __clone(fn ? run_copy : NULL, stack, flags, &start, parent_tid, tls,
				 child_tid);
		background_resume();
		return result;
	}
	percpu_share_begin();
	result = __clone(fn, stack, flags, arg, parent_tid, tls, child_tid);
	if (result < 0 || flags & CLONE_VFORK)
		percpu_share_end();
	return result;
}
#endif
