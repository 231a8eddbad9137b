/* SPDX-License-Identifier: MIT */
/* Features of x86-64 processors. */
#ifndef KERNEL_ASM_CPUFEATURE_H
#define KERNEL_ASM_CPUFEATURE_H

#include <asm/current.h>
#include <asm/div64.h>
#include <asm/msr-index.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/threads.h>
#include <linux/typecheck.h>
#include <linux/types.h>

#define X86_FEATURE_TSC 1
#define X86_FEATURE_CX16 2
#define X86_FEATURE_CX8 3
#define X86_FEATURE_CONSTANT_TSC 4
#define X86_FEATURE_NONSTOP_TSC 5
#define X86_FEATURE_XMM2 6
#define X86_FEATURE_RDTSCP 7
#define X86_FEATURE_XMM 8
#define X86_FEATURE_XMM3 9
#define X86_FEATURE_SSSE3 10
#define X86_FEATURE_XMM4_1 11
#define X86_FEATURE_XMM4_2 12
#define X86_FEATURE_POPCNT 13
#define X86_FEATURE_AES 14
#define X86_FEATURE_PCLMULQDQ 15
#define X86_FEATURE_AVX 16
#define X86_FEATURE_AVX2 17
#define X86_FEATURE_AVX512F 18
#define X86_FEATURE_FMA 19
#define X86_FEATURE_BMI1 20
#define X86_FEATURE_BMI2 21

/* The processor says; those that each 64-bit one has are true. */
static inline bool usermm_cpu_has(unsigned int feature)
{
	switch (feature) {
	case X86_FEATURE_TSC:
	case X86_FEATURE_CX16:
	case X86_FEATURE_CX8:
	case X86_FEATURE_XMM:
	case X86_FEATURE_XMM2:
	case X86_FEATURE_RDTSCP:
		return true;
#ifdef __x86_64__
	case X86_FEATURE_XMM3:
		return __builtin_cpu_supports("sse3");
	case X86_FEATURE_SSSE3:
		return __builtin_cpu_supports("ssse3");
	case X86_FEATURE_XMM4_1:
		return __builtin_cpu_supports("sse4.1");
	case X86_FEATURE_XMM4_2:
		return __builtin_cpu_supports("sse4.2");
	case X86_FEATURE_POPCNT:
		return __builtin_cpu_supports("popcnt");
	case X86_FEATURE_AES:
		return __builtin_cpu_supports("aes");
	case X86_FEATURE_PCLMULQDQ:
		return __builtin_cpu_supports("pclmul");
	case X86_FEATURE_AVX:
		return __builtin_cpu_supports("avx");
	case X86_FEATURE_AVX2:
		return __builtin_cpu_supports("avx2");
	case X86_FEATURE_AVX512F:
		return __builtin_cpu_supports("avx512f");
	case X86_FEATURE_FMA:
		return __builtin_cpu_supports("fma");
	case X86_FEATURE_BMI1:
		return __builtin_cpu_supports("bmi");
	case X86_FEATURE_BMI2:
		return __builtin_cpu_supports("bmi2");
#endif
	default:
		return false;
	}
}

#define boot_cpu_has(feature) usermm_cpu_has(feature)
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#define static_cpu_has(feature) boot_cpu_has(feature)
#else
USERMM_REMOVED(static_cpu_has, "7.3", "cpu_feature_enabled()")
#endif
#define cpu_feature_enabled(feature) boot_cpu_has(feature)
#define cpu_has(cpu, feature) ((void)(cpu), boot_cpu_has(feature))

#endif
