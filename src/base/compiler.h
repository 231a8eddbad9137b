/* SPDX-License-Identifier: MIT */
/* What every source file may count on: compiler hints and small helpers. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* likely(), and what is done otherwise lies behind all the rest of the function. */
#define almost_always(x) __builtin_expect_with_probability(!!(x), 1, 0.999)

#undef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#define noinline __attribute__((__noinline__))
/* The slow half of a fast path: out of line, and out of the way of hot code. */
#define slow_path __attribute__((__noinline__, __cold__))
/*
 * What programs call all the time, from code of their own in between: such functions lie side by
 * side, on one page, since each page of code wants a place in the table of translations.
 */
#define __hot __attribute__((__hot__))
#define __printf(text, first) __attribute__((__format__(__printf__, text, first)))
#define __aligned(bytes) __attribute__((aligned(bytes)))

/* A name of the shared library. */
#define EXPORT __attribute__((__visibility__("default"), __used__))
/* The same; a program that is linked with the archive may have a function of that name. */
#define EXPORT_WEAK EXPORT __attribute__((__weak__))

/*
 * A variable of fast paths: reached without the table that public names are looked up in. The
 * layer for kernel sources may be a library of its own, which has to look it up (FOR_KERNEL).
 */
#ifdef USERMM_KERNEL_LAYER
#define __hidden
#else
#define __hidden __attribute__((__visibility__("hidden")))
#endif

/*
 * Gives a function or variable of ours, behind its definition, a second name in the shared
 * libraries: libusermm_kernel.so reaches it by that. It begins with the version, since it means
 * nothing in another one: the dynamic linker then says which name is missing.
 */
#define FOR_KERNEL(name) FOR_KERNEL_AS(extern, name)
#define FOR_KERNEL_AS(storage, name)						\
	storage __typeof__(name) usermm_for_kernel_##name			\
		__asm__(USERMM_PRIVATE_PREFIX #name) ATTRIBUTES_OF(name)	\
		__attribute__((__alias__(#name), __visibility__("default")))
#if __has_attribute(__copy__)
#define ATTRIBUTES_OF(name) __attribute__((__copy__(name)))
#else
#define ATTRIBUTES_OF(name)
#endif

#define CACHE_LINE_BYTES 64
/* For what fast paths read and hardly anybody writes: kept away from what is written. */
#define __read_mostly __attribute__((__section__(".data..read_mostly")))
/*
 * For what is large, or that few processes ever touch, and zero at the start: behind all other
 * variables (cmake/flags.cmake). These are on few pages then, and each page that a process touches
 * makes its start longer. Each has lines of its own: fast paths read some of them. What begins with
 * a page (__aligned(PAGE_SIZE)) would be on one page more else, or what is used of it first.
 */
#define __large_bss __attribute__((__section__(".bss.large"), aligned(CACHE_LINE_BYTES)))
/*
 * For a field that every allocation or free reads. Free objects are marked in
 * their second word, so that store is at 8 bytes behind a multiple of 16; a load
 * from the same offset in another page would wait for it on many processors (two
 * to three times the cost of a whole allocation). Such fields lie elsewhere.
 */
#define __off_mark __aligned(16)

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define ALIGN(x, to) (((x) + ((__typeof__(x))(to) - 1)) & ~((__typeof__(x))(to) - 1))
#define ALIGN_DOWN(x, to) ((x) & ~((__typeof__(x))(to) - 1))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))

#define min(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define clamp(x, low, high) min(max(x, low), high)

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

/* 2^32 by the golden ratio, for Fibonacci hashing: of near numbers it makes such as lie apart. */
#define FIBONACCI_MULTIPLIER 0x9e3779b9u

/* The last of these pointers becomes the first one. */
static inline void reverse_pointers(void **pointers, unsigned long nr)
{
	for (unsigned long i = 0; i < nr / 2; i++) {
		void *pointer = pointers[i];

		pointers[i] = pointers[nr - 1 - i];
		pointers[nr - 1 - i] = pointer;
	}
}

/* What thread-local variables are found by. gcc has no builtin for it on every processor. */
static __always_inline void *thread_pointer(void)
{
#if defined(__powerpc64__)
	void *thread;

	__asm__("mr %0, 13" : "=r"(thread));
	return thread;
#else
	return __builtin_thread_pointer();
#endif
}

static inline bool is_power_of_2(unsigned long x)
{
	return x && !(x & (x - 1));
}

/* The largest power of two that is not above x, as an exponent; x is not 0. */
static inline unsigned int ilog2(unsigned long x)
{
	return 63 - (unsigned int)__builtin_clzl(x);
}

/* The smallest power of two that is not below x; x is 1 .. 2^63. */
static inline unsigned long roundup_pow_of_two(unsigned long x)
{
	return x <= 1 ? 1 : 1UL << (ilog2(x - 1) + 1);
}

#endif
