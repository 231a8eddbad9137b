/* SPDX-License-Identifier: MIT */
/*
 * Per-CPU variables: one copy for each CPU, USERMM_PERCPU_UNIT bytes apart.
 *
 * The address of a dynamic variable is that of CPU 0's copy. A static variable lies, as a template,
 * in a section of its image (program or library). When the image is loaded, all CPUs' copies are
 * made from the template, elsewhere. So a pointer into the section is first translated to the
 * copies.
 *
 * this_cpu_ operations hold the CPU during the operation. Those with __ or raw_ rely on the caller.
 */
#ifndef KERNEL_LINUX_PERCPU_DEFS_H
#define KERNEL_LINUX_PERCPU_DEFS_H

#include <asm/current.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#define USERMM_PERCPU_UNIT (4UL << 20)

/* Each image has one. */
struct usermm_percpu_image {
	unsigned long delta;	/* CPU 0's copy minus the template; 0: not made yet */
};

extern char __start_usermm_percpu[] __attribute__((weak, visibility("hidden")));
extern char __stop_usermm_percpu[] __attribute__((weak, visibility("hidden")));
__attribute__((weak, visibility("hidden"))) struct usermm_percpu_image usermm_percpu_image;

void usermm_percpu_load(struct usermm_percpu_image *image, const char *start, const char *stop)
	__attribute__((visibility("default")));

static __always_inline unsigned long usermm_percpu_address(const volatile void *ptr,
							   unsigned int cpu)
{
	unsigned long address = (unsigned long)ptr;
	unsigned long start = (unsigned long)__start_usermm_percpu;

	/* The compiler must not assume that this is still the template. */
	OPTIMIZER_HIDE_VAR(address);
	if (address - start < (unsigned long)__stop_usermm_percpu - start)
		address += usermm_percpu_image.delta;
	return address + cpu * USERMM_PERCPU_UNIT;
}

#define PER_CPU_BASE_SECTION "usermm_percpu"
#define DECLARE_PER_CPU_SECTION(type, name, section) extern __typeof__(type) name
#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#define DEFINE_PER_CPU(type, name) \
	__attribute__((section("usermm_percpu"))) __typeof__(type) name
#define DEFINE_PER_CPU_SECTION(type, name, section) DEFINE_PER_CPU(type, name)
#define DEFINE_PER_CPU_ALIGNED(type, name) DEFINE_PER_CPU(type, name) __attribute__((aligned(64)))
#define DEFINE_PER_CPU_SHARED_ALIGNED(type, name) DEFINE_PER_CPU_ALIGNED(type, name)
#define DEFINE_PER_CPU_PAGE_ALIGNED(type, name) \
	DEFINE_PER_CPU(type, name) __attribute__((aligned(4096)))
#define DEFINE_PER_CPU_READ_MOSTLY(type, name) DEFINE_PER_CPU(type, name)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define DEFINE_PER_CPU_FIRST(type, name) DEFINE_PER_CPU(type, name)
#else
USERMM_REMOVED(DEFINE_PER_CPU_FIRST, "6.15", "DEFINE_PER_CPU()")
#endif
#define DEFINE_PER_CPU_CACHE_HOT(type, name) DEFINE_PER_CPU(type, name)
#define DECLARE_PER_CPU_ALIGNED(type, name) DECLARE_PER_CPU(type, name)
#define DECLARE_PER_CPU_SHARED_ALIGNED(type, name) DECLARE_PER_CPU(type, name)
#define DECLARE_PER_CPU_PAGE_ALIGNED(type, name) DECLARE_PER_CPU(type, name)
#define DECLARE_PER_CPU_READ_MOSTLY(type, name) DECLARE_PER_CPU(type, name)

/* Every source that includes this header makes its image's copies before it runs. */
__attribute__((constructor(110))) static void usermm_percpu_loader(void)
{
	usermm_percpu_load(&usermm_percpu_image, __start_usermm_percpu, __stop_usermm_percpu);
}

#define per_cpu_ptr(ptr, cpu) \
	((__typeof__(*(ptr)) *)usermm_percpu_address(ptr, (unsigned int)(cpu)))
#define raw_cpu_ptr(ptr) per_cpu_ptr(ptr, usermm_cpu_id())
#define this_cpu_ptr(ptr) raw_cpu_ptr(ptr)
#define per_cpu(var, cpu) (*per_cpu_ptr(&(var), cpu))
USERMM_REMOVED(__this_cpu_ptr, "3.19", "raw_cpu_ptr()")
USERMM_REMOVED(__get_cpu_var, "3.19", "*this_cpu_ptr()")
#define get_cpu_var(var) (*({ preempt_disable(); this_cpu_ptr(&(var)); }))
#define put_cpu_var(var) do { (void)&(var); preempt_enable(); } while (0)
#define get_cpu_ptr(ptr) ({ preempt_disable(); this_cpu_ptr(ptr); })
#define put_cpu_ptr(ptr) do { (void)(ptr); preempt_enable(); } while (0)

#define raw_cpu_read(var) READ_ONCE(*raw_cpu_ptr(&(var)))
#define raw_cpu_write(var, value) WRITE_ONCE(*raw_cpu_ptr(&(var)), value)
#define raw_cpu_add(var, n) ((void)(*raw_cpu_ptr(&(var)) += (n)))
#define raw_cpu_and(var, n) ((void)(*raw_cpu_ptr(&(var)) &= (n)))
#define raw_cpu_or(var, n) ((void)(*raw_cpu_ptr(&(var)) |= (n)))
#define raw_cpu_add_return(var, n) (*raw_cpu_ptr(&(var)) += (n))
#define raw_cpu_xchg(var, value)					\
	({								\
		__auto_type pcp_ = raw_cpu_ptr(&(var));			\
		__unqual_typeof(*pcp_) pcp_old_ = *pcp_;		\
									\
		*pcp_ = (value);					\
		pcp_old_;						\
	})
#define raw_cpu_cmpxchg(var, old, new)					\
	({								\
		__auto_type pcp_ = raw_cpu_ptr(&(var));			\
		__unqual_typeof(*pcp_) pcp_was_ = *pcp_;		\
									\
		if (pcp_was_ == (old))					\
			*pcp_ = (new);					\
		pcp_was_;						\
	})
#define raw_cpu_try_cmpxchg(var, oldp, new)				\
	({								\
		__auto_type pcp_ = raw_cpu_ptr(&(var));			\
		__auto_type pcp_oldp_ = (oldp);				\
		bool pcp_equal_ = *pcp_ == *pcp_oldp_;			\
									\
		if (pcp_equal_)						\
			*pcp_ = (new);					\
		else							\
			*pcp_oldp_ = *pcp_;				\
		pcp_equal_;						\
	})
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define raw_cpu_cmpxchg_double(var1, var2, old1, old2, new1, new2)	\
	({								\
		__auto_type pcp_1_ = raw_cpu_ptr(&(var1));		\
		__auto_type pcp_2_ = raw_cpu_ptr(&(var2));		\
		int pcp_equal_ = *pcp_1_ == (old1) && *pcp_2_ == (old2); \
									\
		if (pcp_equal_) {					\
			*pcp_1_ = (new1);				\
			*pcp_2_ = (new2);				\
		}							\
		pcp_equal_;						\
	})
#else
USERMM_REMOVED(raw_cpu_cmpxchg_double, "6.5", "raw_cpu_cmpxchg128()")
#endif

#define USERMM_CPU_DO(statement)					\
	do { preempt_disable(); statement; preempt_enable(); } while (0)
#define USERMM_CPU_GET(expression)					\
	({								\
		preempt_disable();					\
		__auto_type cpu_get_ = (expression);			\
		preempt_enable();					\
		cpu_get_;						\
	})

#define __this_cpu_write(var, value) raw_cpu_write(var, value)
#define __this_cpu_add(var, n) raw_cpu_add(var, n)
#define __this_cpu_and(var, n) raw_cpu_and(var, n)
#define __this_cpu_or(var, n) raw_cpu_or(var, n)
#define __this_cpu_read(var) raw_cpu_read(var)
#define __this_cpu_add_return(var, n) raw_cpu_add_return(var, n)
#define __this_cpu_xchg(var, value) raw_cpu_xchg(var, value)
#define __this_cpu_cmpxchg(var, old, new) raw_cpu_cmpxchg(var, old, new)
#define __this_cpu_try_cmpxchg(var, oldp, new) raw_cpu_try_cmpxchg(var, oldp, new)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define __this_cpu_cmpxchg_double(var1, var2, old1, old2, new1, new2) \
	raw_cpu_cmpxchg_double(var1, var2, old1, old2, new1, new2)
#else
USERMM_REMOVED(__this_cpu_cmpxchg_double, "6.5", "this_cpu_cmpxchg128()")
#endif
#define this_cpu_write(var, value) USERMM_CPU_DO(raw_cpu_write(var, value))
#define this_cpu_add(var, n) USERMM_CPU_DO(raw_cpu_add(var, n))
#define this_cpu_and(var, n) USERMM_CPU_DO(raw_cpu_and(var, n))
#define this_cpu_or(var, n) USERMM_CPU_DO(raw_cpu_or(var, n))
#define this_cpu_read(var) USERMM_CPU_GET(raw_cpu_read(var))
#define this_cpu_add_return(var, n) USERMM_CPU_GET(raw_cpu_add_return(var, n))
#define this_cpu_xchg(var, value) USERMM_CPU_GET(raw_cpu_xchg(var, value))
#define this_cpu_cmpxchg(var, old, new) USERMM_CPU_GET(raw_cpu_cmpxchg(var, old, new))
#define this_cpu_try_cmpxchg(var, oldp, new) USERMM_CPU_GET(raw_cpu_try_cmpxchg(var, oldp, new))
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define this_cpu_cmpxchg_double(var1, var2, old1, old2, new1, new2) \
	USERMM_CPU_GET(raw_cpu_cmpxchg_double(var1, var2, old1, old2, new1, new2))
#else
USERMM_REMOVED(this_cpu_cmpxchg_double, "6.5", "this_cpu_cmpxchg128()")
#endif
#define raw_cpu_sub(var, n) raw_cpu_add(var, -(__typeof__(var))(n))
#define raw_cpu_sub_return(var, n) raw_cpu_add_return(var, -(__typeof__(var))(n))
#define raw_cpu_inc(var) raw_cpu_add(var, 1)
#define raw_cpu_dec(var) raw_cpu_sub(var, 1)
#define raw_cpu_inc_return(var) raw_cpu_add_return(var, 1)
#define raw_cpu_dec_return(var) raw_cpu_add_return(var, -1)
#define __this_cpu_sub(var, n) __this_cpu_add(var, -(__typeof__(var))(n))
#define __this_cpu_sub_return(var, n) __this_cpu_add_return(var, -(__typeof__(var))(n))
#define __this_cpu_inc(var) __this_cpu_add(var, 1)
#define __this_cpu_dec(var) __this_cpu_sub(var, 1)
#define __this_cpu_inc_return(var) __this_cpu_add_return(var, 1)
#define __this_cpu_dec_return(var) __this_cpu_add_return(var, -1)
#define this_cpu_sub(var, n) this_cpu_add(var, -(__typeof__(var))(n))
#define this_cpu_sub_return(var, n) this_cpu_add_return(var, -(__typeof__(var))(n))
#define this_cpu_inc(var) this_cpu_add(var, 1)
#define this_cpu_dec(var) this_cpu_sub(var, 1)
#define this_cpu_inc_return(var) this_cpu_add_return(var, 1)
#define this_cpu_dec_return(var) this_cpu_add_return(var, -1)
#define this_cpu_generic_add_return(var, n) this_cpu_add_return(var, n)
#define this_cpu_cmpxchg_local(var, old, new) this_cpu_cmpxchg(var, old, new)

#endif
