/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_TIMEX_H
#define KERNEL_ASM_TIMEX_H

#include <asm/irqflags.h>
#include <linux/bottom_half.h>
#include <linux/mmdebug.h>
#include <linux/nodemask_types.h>
#include <linux/rbtree_types.h>
#include <linux/sched/types.h>
#include <linux/timer_types.h>
#include <linux/types.h>

#if defined(__x86_64__)
static inline unsigned long long rdtsc(void)
{
	return __builtin_ia32_rdtsc();
}

/* Reads the time-stamp counter after all preceding instructions. */
static inline unsigned long long rdtsc_ordered(void)
{
	__asm__ __volatile__("lfence" : : : "memory");
	return __builtin_ia32_rdtsc();
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 3, 0)
/* Also tells the processor on which the counter was read. */
static inline unsigned long long native_read_tscp(unsigned int *cpu)
{
	return __builtin_ia32_rdtscp(cpu);
}
#endif

static inline cycles_t get_cycles(void)
{
	return (cycles_t)rdtsc();
}

#define get_cycles get_cycles
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 3, 0)
#define native_read_tsc() rdtsc()
#define __native_read_tsc() rdtsc()
#define rdtscll(value) ((void)((value) = rdtsc()))
#define rdtscl(low) ((void)((low) = (unsigned long)rdtsc()))
#else
USERMM_REMOVED(native_read_tsc, "4.3", "rdtsc()")
USERMM_REMOVED(__native_read_tsc, "4.3", "rdtsc()")
USERMM_REMOVED(rdtscll, "4.3", "rdtsc()")
USERMM_REMOVED(rdtscl, "4.3", "rdtsc()")
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 3, 0)
#define rdtscpll(value, aux) ((void)((value) = native_read_tscp(&(aux))))
#define rdtsc_barrier() __asm__ __volatile__("lfence" : : : "memory")
#define vget_cycles() get_cycles()
#else
USERMM_REMOVED(rdtsc_barrier, "4.3", "rdtsc_ordered()")
USERMM_REMOVED(vget_cycles, "4.3", "rdtsc()")
USERMM_REMOVED(rdtscpll, "4.3", "rdtsc_ordered()")
USERMM_REMOVED(native_read_tscp, "4.3", "rdtsc_ordered()")
#endif

/* Measured at the first use. */
unsigned int usermm_tsc_khz(void) __attribute__((visibility("default")));
#define tsc_khz usermm_tsc_khz()
#define cpu_khz usermm_tsc_khz()
#else
/* The time counter that programs can read. It is slower than the processor's clock. */
static inline cycles_t get_cycles(void)
{
	unsigned long long cycles = 0;

#if defined(__aarch64__)
	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(cycles));
#elif defined(__riscv)
	__asm__ __volatile__("rdtime %0" : "=r"(cycles));
#elif defined(__s390x__)
	__asm__ __volatile__("stckf %0" : "=Q"(cycles) : : "cc");
#elif defined(__powerpc64__)
	__asm__ __volatile__("mftb %0" : "=r"(cycles));
#elif defined(__loongarch64)
	__asm__ __volatile__("rdtime.d %0, $zero" : "=r"(cycles));
#endif
	return cycles;
}
#endif

#define random_get_entropy() ((unsigned long)get_cycles())

#endif
