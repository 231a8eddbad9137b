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

/* The compiler asks the processor, so only features that the compiler has names for are here. */
#define X86_FEATURE_TSC 1
#define X86_FEATURE_CX16 2
#define X86_FEATURE_CX8 3
#define X86_FEATURE_CONSTANT_TSC 4
#define X86_FEATURE_NONSTOP_TSC 5
#define X86_FEATURE_XMM2 6
#define X86_FEATURE_RDTSCP 7
#define X86_FEATURE_XMM 8
#define boot_cpu_has(feature) ((feature) == X86_FEATURE_TSC || (feature) == X86_FEATURE_CX16 || \
			       (feature) == X86_FEATURE_CX8 || (feature) == X86_FEATURE_XMM2 || \
			       (feature) == X86_FEATURE_RDTSCP || (feature) == X86_FEATURE_XMM)
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#define static_cpu_has(feature) boot_cpu_has(feature)
#else
USERMM_REMOVED(static_cpu_has, "7.3", "cpu_feature_enabled()")
#endif
#define cpu_feature_enabled(feature) boot_cpu_has(feature)
#define cpu_has(cpu, feature) ((void)(cpu), boot_cpu_has(feature))

#endif
