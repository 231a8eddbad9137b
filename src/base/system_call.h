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
#elif defined __powerpc64__
/* The kernel returns a positive errno, and sets bit SO of cr0 to say so. */
static __always_inline long system_call_of_six(long number, long a, long b, long c, long d, long e,
					       long f)
{
	register long which __asm__("r0") = number;
	register long first __asm__("r3") = a;
	register long second __asm__("r4") = b;
	register long third __asm__("r5") = c;
	register long fourth __asm__("r6") = d;
	register long fifth __asm__("r7") = e;
	register long sixth __asm__("r8") = f;

	__asm__ volatile("sc\n\t"
			 "bns+ 1f\n\t"
			 "neg %[first], %[first]\n"
			 "1:"
			 : "+r"(which), [first] "+r"(first), "+r"(second), "+r"(third),
			   "+r"(fourth), "+r"(fifth), "+r"(sixth)
			 :
			 : "r9", "r10", "r11", "r12", "ctr", "xer", "cr0", "memory");
	return first;
}
#else
/* On these processors the first argument's register also has the result. */
#if defined __aarch64__ && defined __LP64__
#define SYSTEM_CALL_INSTRUCTION "svc #0"
#define SYSTEM_CALL_NUMBER "x8"
#define SYSTEM_CALL_ARGUMENTS(nth) "x" #nth
/* The kernel keeps only the first 128 bits of these registers. */
#ifdef __ARM_FEATURE_SVE
#define SYSTEM_CALL_CLOBBERS						\
	"memory", "z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8", "z9", "z10", "z11",	\
	"z12", "z13", "z14", "z15", "z16", "z17", "z18", "z19", "z20", "z21", "z22", "z23",	\
	"z24", "z25", "z26", "z27", "z28", "z29", "z30", "z31", "p0", "p1", "p2", "p3", "p4",	\
	"p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"
#else
#define SYSTEM_CALL_CLOBBERS "memory"
#endif
#elif defined __riscv && __riscv_xlen == 64
#define SYSTEM_CALL_INSTRUCTION "ecall"
#define SYSTEM_CALL_NUMBER "a7"
#define SYSTEM_CALL_ARGUMENTS(nth) "a" #nth
/* The kernel keeps no vector register. */
#ifdef __riscv_vector
#define SYSTEM_CALL_CLOBBERS						\
	"memory", "vl", "vtype", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9",	\
	"v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",	\
	"v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"
#else
#define SYSTEM_CALL_CLOBBERS "memory"
#endif
#elif defined __s390x__
#define SYSTEM_CALL_INSTRUCTION "svc 0"
#define SYSTEM_CALL_NUMBER "r1"
#define SYSTEM_CALL_ARGUMENTS(nth) SYSTEM_CALL_ARGUMENT_##nth
#define SYSTEM_CALL_ARGUMENT_0 "r2"
#define SYSTEM_CALL_ARGUMENT_1 "r3"
#define SYSTEM_CALL_ARGUMENT_2 "r4"
#define SYSTEM_CALL_ARGUMENT_3 "r5"
#define SYSTEM_CALL_ARGUMENT_4 "r6"
#define SYSTEM_CALL_ARGUMENT_5 "r7"
#define SYSTEM_CALL_CLOBBERS "memory"
#elif defined __loongarch__ && __loongarch_grlen == 64
#define SYSTEM_CALL_INSTRUCTION "syscall 0"
#define SYSTEM_CALL_NUMBER "$a7"
#define SYSTEM_CALL_ARGUMENTS(nth) "$a" #nth
#define SYSTEM_CALL_CLOBBERS						\
	"$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7", "$t8", "memory"
#endif

#ifdef SYSTEM_CALL_INSTRUCTION
static __always_inline long system_call_of_six(long number, long a, long b, long c, long d, long e,
					       long f)
{
	register long which __asm__(SYSTEM_CALL_NUMBER) = number;
	register long first __asm__(SYSTEM_CALL_ARGUMENTS(0)) = a;
	register long second __asm__(SYSTEM_CALL_ARGUMENTS(1)) = b;
	register long third __asm__(SYSTEM_CALL_ARGUMENTS(2)) = c;
	register long fourth __asm__(SYSTEM_CALL_ARGUMENTS(3)) = d;
	register long fifth __asm__(SYSTEM_CALL_ARGUMENTS(4)) = e;
	register long sixth __asm__(SYSTEM_CALL_ARGUMENTS(5)) = f;

	__asm__ volatile(SYSTEM_CALL_INSTRUCTION
			 : "+r"(first)
			 : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth),
			   "r"(sixth)
			 : SYSTEM_CALL_CLOBBERS);
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
