/* SPDX-License-Identifier: MIT */
/*
 * vfork() and clone() of a preloaded program: the child shares this memory and may
 * allocate, though the kernel gives it no restartable sequences (percpu/vfork.c). One that has
 * memory of its own is told what a child of fork() is.
 */
#include "percpu/vfork.h"

#include <sched.h>
#include <stdarg.h>

#include "base/compiler.h"
#include "os/background.h"
#include "percpu/fork.h"
#include "percpu/percpu.h"

#if RSEQ_SUPPORTED
/* A function that returns twice cannot be called from C: a jump. */
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

/* What the child of its own memory runs. */
struct clone_start {
	int (*fn)(void *arg);
	void *arg;
};

/* No handler runs in it. */
static int run_copy(void *start)
{
	const struct clone_start *own = start;
	int result;

	percpu_fork_child_begin();
	result = own->fn(own->arg);
	/* This thread ends, and not the process: that would last as long as the library's. */
	background_suspend();
	return result;
}

/*
 * clone(2). While a child that shares memory lives the slots are closed to all. For
 * one that does not suspend its parent (CLONE_VFORK) the end is not known, so they
 * stay closed: slow, and right.
 */
EXPORT int (clone)(int (*fn)(void *arg), void *stack, int flags, void *arg, ...)
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
		/* No handler runs in the child: no lock may be the library's thread's. */
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
