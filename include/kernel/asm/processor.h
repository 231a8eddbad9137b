/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_PROCESSOR_H
#define KERNEL_ASM_PROCESSOR_H

#include <asm/barrier.h>
#include <asm/div64.h>
#include <asm/irqflags.h>
#include <asm/msr.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include <asm/special_insns.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/pfn.h>
#include <linux/prefetch.h>
#include <linux/threads.h>
#include <linux/typecheck.h>

#ifdef __x86_64__
#include <cpuid.h>

/* The answers of the CPUID instruction, the same for each CPU. */
struct cpuinfo_x86 {
	__u8 x86, x86_vendor, x86_model, x86_stepping;
	char x86_vendor_id[16], x86_model_id[64];
	unsigned int x86_cache_size, x86_phys_bits, x86_virt_bits;
	int x86_cache_alignment;
	unsigned long loops_per_jiffy;
	u16 x86_clflush_size;
};

struct cpuinfo_x86 *usermm_cpu_data(void) __attribute__((visibility("default")));
#define boot_cpu_data (*usermm_cpu_data())
#define cpu_data(cpu) (*((void)(cpu), usermm_cpu_data()))
#define X86_VENDOR_INTEL 0
#define X86_VENDOR_AMD 2

static inline void usermm_cpuid(unsigned int leaf, unsigned int *a, unsigned int *b,
				unsigned int *c, unsigned int *d)
{
	__cpuid_count(leaf, 0, *a, *b, *c, *d);
}

/* libc's <cpuid.h> has macros of names like these. */
#define cpuid(leaf, a, b, c, d) usermm_cpuid(leaf, a, b, c, d)
#define USERMM_CPUID_PART(part)							\
	static inline unsigned int cpuid_##part(unsigned int leaf)		\
	{									\
		unsigned int eax, ebx, ecx, edx;				\
										\
		usermm_cpuid(leaf, &eax, &ebx, &ecx, &edx);			\
		(void)eax;							\
		(void)ebx;							\
		(void)ecx;							\
		(void)edx;							\
		return part;							\
	}
USERMM_CPUID_PART(eax)
USERMM_CPUID_PART(ebx)
USERMM_CPUID_PART(ecx)
USERMM_CPUID_PART(edx)
#endif

#endif
