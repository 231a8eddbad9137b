/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc.
 *
 * Another library of the process may own any function of libc, syscall() too (torsocks,
 * uid_wrapper). Such an owner may take a lock at its first call, and then load a library or
 * allocate under it. If malloc() called this function, it would wait for a lock of its own thread.
 * So the calls that nobody else needs to see are made by the processor's own instruction.
 *
 * os/memory.c calls libc's functions for mmap(2), munmap(2), mremap(2), madvise(2) and mprotect(2):
 * communication libraries define these to learn which memory is in use.
 */
#ifndef BASE_SYSTEM_CALL_H
#define BASE_SYSTEM_CALL_H

#include <sys/syscall.h>

#include "base/compiler.h"

/*
 * system_call(SYS_name, up to six arguments): the kernel's result, or a negative errno. errno stays
 * as it is. From any context. Never a cancellation point.
 */
#define system_call(...) SYSTEM_CALL_PADDED(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define SYSTEM_CALL_PADDED(number, a, b, c, d, e, f, ...)			\
	system_call_of_six(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#if defined __x86_64__ && defined __LP64__
static __always_inline long system_call_of_six(long number, long a, long b, long c, long d, long e,
					       long f)
{
	register long fourth __asm__("r10") = d;
	register long fifth __asm__("r8") = e;
	register long sixth __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return number;
}
#elif defined __aarch64__ && defined __LP64__
static __always_inline long system_call_of_six(long number, long a, long b, long c, long d, long e,
					       long f)
{
	register long which __asm__("x8") = number;
	register long first __asm__("x0") = a;
	register long second __asm__("x1") = b;
	register long third __asm__("x2") = c;
	register long fourth __asm__("x3") = d;
	register long fifth __asm__("x4") = e;
	register long sixth __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(first)
			 : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth),
			   "r"(sixth)
			 : "memory");
	return first;
}
#elif defined __riscv && __riscv_xlen == 64
static __always_inline long system_call_of_six(long number, long a, long b, long c, long d, long e,
					       long f)
{
	register long which __asm__("a7") = number;
	register long first __asm__("a0") = a;
	register long second __asm__("a1") = b;
	register long third __asm__("a2") = c;
	register long fourth __asm__("a3") = d;
	register long fifth __asm__("a4") = e;
	register long sixth __asm__("a5") = f;

	__asm__ volatile("ecall"
			 : "+r"(first)
			 : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth),
			   "r"(sixth)
			 : "memory");
	return first;
}
#else
#include <errno.h>
#include <unistd.h>

static inline long system_call_of_six(long number, long a, long b, long c, long d, long e, long f)
{
	int saved_errno = errno;
	long result = syscall(number, a, b, c, d, e, f);

	if (result == -1)
		result = -errno;
	errno = saved_errno;
	return result;
}
#endif

/* What libc's functions make of such a result: -1 and errno, or the result. */
#define system_call_set_errno(result)						\
	({ long result_ = (result);						\
	   if (result_ < 0) {							\
		errno = (int)-result_;						\
		result_ = -1;							\
	   }									\
	   result_; })

#endif
