/* SPDX-License-Identifier: MIT */
#include "os/machine/cpu.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "base/atomic.h"
#include "base/system_call.h"
#include "os/start/vdso.h"

static unsigned int kernels_current_cpu(void)
{
	vdso_getcpu *getcpu = atomic_load_relaxed(&vdso_functions()->getcpu);
	unsigned int cpu = 0;

	if (getcpu)
		getcpu(&cpu, NULL, NULL);
	else
		system_call(SYS_getcpu, &cpu, NULL, NULL);
	return cpu;
}

enum os_rdpid os_rdpid;

/*
 * CPUID traps under a hypervisor, which takes five microseconds and more. So each feature is asked
 * for only when needed. The compiler's __builtin_cpu_supports() would ask a dozen times whenever
 * the library is loaded.
 */
#ifdef __x86_64__
#define CPUID_LEAF_FEATURES 1
#define CPUID_LEAF_MORE_FEATURES 7
#define XCR0_SSE_AND_AVX 6

/* A processor without LZCNT runs BSR instead, which says 0. */
static bool look_at_lzcnt(void)
{
	unsigned long zeros;

	__asm__("lzcnt %[one], %[zeros]" : [zeros] "=r"(zeros) : [one] "r"(1UL) : "cc");
	return zeros == 63;
}

static bool look_at_avx2(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(CPUID_LEAF_FEATURES, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
		return false;
	/* XCR0: the registers that the system saves. */
	__asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	return (eax & XCR0_SSE_AND_AVX) == XCR0_SSE_AND_AVX &&
	       __get_cpuid_count(CPUID_LEAF_MORE_FEATURES, 0, &eax, &ebx, &ecx, &edx) &&
	       (ebx & bit_AVX2) && look_at_lzcnt();
}

/*
 * Tries the instruction: a system that only looks like Linux may keep something else in the
 * register.
 */
static bool look_at_rdpid(void)
{
	unsigned int eax, ebx, ecx = 0, edx;

	if (!__get_cpuid_count(CPUID_LEAF_MORE_FEATURES, 0, &eax, &ebx, &ecx, &edx) ||
	    !(ecx & bit_RDPID))
		return false;
	for (unsigned int tries = 0; tries < 3; tries++)	/* the thread may move */
		if (os_read_rdpid() == kernels_current_cpu())
			return true;
	return false;
}
#else
static bool look_at_avx2(void)
{
	return false;
}

static bool look_at_rdpid(void)
{
	return false;
}
#endif

bool os_has_avx2(void)
{
	/* Sync: atomic relaxed; found out by the first call */
	static enum { UNKNOWN, IS_THERE, IS_NOT } avx2;

	if (atomic_load_relaxed(&avx2) == UNKNOWN)
		atomic_store_relaxed(&avx2, look_at_avx2() ? IS_THERE : IS_NOT);
	return atomic_load_relaxed(&avx2) == IS_THERE;
}

unsigned int os_current_cpu_slow(void)
{
	if (atomic_load_relaxed(&os_rdpid) == OS_RDPID_UNKNOWN)
		atomic_store_relaxed(&os_rdpid,
				     look_at_rdpid() ? OS_RDPID_IS_CPU : OS_RDPID_IS_NOT);
	return kernels_current_cpu();
}
