/* SPDX-License-Identifier: MIT */
/* The kernel's macros for the compiler. */
#ifndef KERNEL_LINUX_COMPILER_H
#define KERNEL_LINUX_COMPILER_H

#include <linux/compiler_types.h>
#include <linux/kconfig.h>
#include <linux/version.h>

/*
 * A name that Linux has removed: its use is an error, which says since when, and what to use
 * instead. `name` must be no macro. A source that has a function of this name itself is compiled
 * with -DUSERMM_NO_REMOVED_NAMES: the name is not there then.
 */
#ifdef USERMM_NO_REMOVED_NAMES
#define USERMM_REMOVED(name, since, instead)
#define USERMM_REMOVED_TYPE(name, since, instead)
#else
#define USERMM_REMOVED_TYPE(name, since, instead)			\
	typedef int name __attribute__((__unavailable__(		\
		"Linux " since " removed it; use " instead)));
#define USERMM_REMOVED(name, since, instead)				\
	_Pragma("GCC diagnostic push")					\
	_Pragma("GCC diagnostic ignored \"-Wstrict-prototypes\"")	\
	extern int name() __attribute__((__unavailable__(		\
		"Linux " since " removed it; use " instead)));		\
	_Pragma("GCC diagnostic pop")
#endif

#undef likely
#undef unlikely
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The compiler must reload all memory after this. */
#define barrier() __asm__ __volatile__("" : : : "memory")
#define barrier_data(ptr) __asm__ __volatile__("" : : "r"(ptr) : "memory")

/* A single access, neither torn nor repeated, to a word that others change. */
#ifdef __SANITIZE_THREAD__
/* ThreadSanitizer would report a race on accesses that are only volatile. */
#define READ_ONCE(x)							\
	({								\
		__unqual_typeof(x) read_once_;				\
									\
		__atomic_load(&(x), &read_once_, __ATOMIC_RELAXED);	\
		read_once_;						\
	})
#define WRITE_ONCE(x, value)						\
	do {								\
		__unqual_typeof(x) write_once_ = (value);		\
									\
		__atomic_store(&(x), &write_once_, __ATOMIC_RELAXED);	\
	} while (0)
#else
#define READ_ONCE(x) (*(const volatile __unqual_typeof(x) *)&(x))
#define WRITE_ONCE(x, value)						\
	do {								\
		*(volatile __typeof__(x) *)&(x) = (value);		\
	} while (0)
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 15, 0)
#define ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))
#else
USERMM_REMOVED(ACCESS_ONCE, "4.15", "READ_ONCE() or WRITE_ONCE()")
#endif
#define data_race(expression) (expression)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 9, 0)
#define smp_read_barrier_depends() ((void)0)
#else
USERMM_REMOVED(smp_read_barrier_depends, "5.9", "READ_ONCE()")
#endif

/* From here on the compiler must assume nothing about var's value. */
#define OPTIMIZER_HIDE_VAR(var) __asm__("" : "=r"(var) : "0"(var))
#define RELOC_HIDE(ptr, offset)						\
	({								\
		unsigned long reloc_;					\
									\
		__asm__("" : "=r"(reloc_) : "0"(ptr));			\
		(__typeof__(ptr))(reloc_ + (offset));			\
	})
#define absolute_pointer(value) RELOC_HIDE((void *)(value), 0)

#define unreachable() __builtin_unreachable()
#define __UNIQUE_ID(prefix) KERNEL_PASTE(KERNEL_PASTE(__UNIQUE_ID_, prefix), __COUNTER__)
#define KERNEL_PASTE_(a, b) a##b
#define KERNEL_PASTE(a, b) KERNEL_PASTE_(a, b)
#define __PASTE(a, b) KERNEL_PASTE(a, b)
#define __ADDRESSABLE(symbol) \
	static void *__used __PASTE(addressable_##symbol, __LINE__) = (void *)&symbol;

/* Is x an integer constant expression? Only then is (void *)(x * 0) a null pointer. */
#define __is_constexpr(x) \
	_Generic((1 ? (void *)((long)(x) * 0L) : (int *)0), int *: 1, default: 0)

#define statically_true(x) (__builtin_constant_p(x) && (x))
/* Bytes that are known to lie at p: in the whole object, or in the member p points to. */
#define __struct_size(p) __builtin_object_size(p, 0)
#define __member_size(p) __builtin_object_size(p, 1)
#define is_signed_type(type) (((type)(-1)) < (__force type)1)
#define is_unsigned_type(type) (!is_signed_type(type))

#define __compiletime_assert(condition, text, suffix)			\
	do {								\
		__attribute__((__noreturn__)) extern void		\
			KERNEL_PASTE(usermm_compiletime_, suffix)(void)	\
			__compiletime_error(text);			\
		if (!(condition))					\
			KERNEL_PASTE(usermm_compiletime_, suffix)();	\
	} while (0)
#ifdef __OPTIMIZE__
#define compiletime_assert(condition, text) __compiletime_assert(condition, text, __COUNTER__)
#else
#define compiletime_assert(condition, text) ((void)sizeof(char[1 - 2 * !(condition)]))
#endif
#define compiletime_assert_atomic_type(type) \
	compiletime_assert(sizeof(type) <= sizeof(long), "not one word")

/* For a parameter that is an array: entry[at_least n] says that it has n entries or more. */
#define at_least static

#endif
