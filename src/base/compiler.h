/* SPDX-License-Identifier: MIT */
/* Compiler hints and small helpers for every source file. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* As likely(), and the compiler puts the other case behind the rest of the function. */
#define almost_always(x) __builtin_expect_with_probability(!!(x), 1, 0.999)

#undef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#define noinline __attribute__((__noinline__))
/* The slow half of a fast path: out of line, and placed apart from hot code. */
#define slow_path __attribute__((__noinline__, __cold__))
/*
 * For functions that programs call all the time. They lie side by side on one page, since each
 * page of code needs an entry of the TLB, and the program's own code needs entries, too.
 */
#define __hot __attribute__((__hot__))
/*
 * For the fast paths of pages and kmalloc(). Each begins with a cache line: where the linker puts
 * other code in front of it must not decide its speed (5 % of a kmalloc() and kfree() pair).
 */
#define fast_path __aligned(CACHE_LINE_BYTES)
/*
 * For a function that most processes call, in a file of which they run little else: it stays with
 * the code that runs (cmake/seldom.cmake).
 */
#define often_called __attribute__((__section__(".text.startup.often")))
/* The opposite: for a function that hardly any process calls, among code that runs. */
#define seldom_called __attribute__((__section__(".text.seldom")))
#define __printf(text, first) __attribute__((__format__(__printf__, text, first)))
#define __aligned(bytes) __attribute__((aligned(bytes)))

/* Exports a name from the shared library. */
#define EXPORT __attribute__((__visibility__("default"), __used__))
/* As EXPORT; a program that is linked with the archive may define a function of the same name. */
#define EXPORT_WEAK EXPORT __attribute__((__weak__))

/*
 * For a variable of fast paths: code reaches it directly, not by the global offset table. The layer
 * for kernel sources may be a library of its own, which cannot do so (FOR_KERNEL).
 */
#ifdef USERMM_KERNEL_LAYER
#define __hidden
#else
#define __hidden __attribute__((__visibility__("hidden")))
#endif

/*
 * Stands behind the definition of a function or variable. It exports a second name, by which
 * libusermm_kernel.so reaches the function or variable. That name begins with the version, so
 * libraries of two versions do not link: the dynamic linker says which name is missing.
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
/* For variables that fast paths read and hardly anybody writes. Keeps them apart from others. */
#define __read_mostly __attribute__((__section__(".data..read_mostly")))
/*
 * For variables that are zero at the start and large, or that few processes touch. They lie behind
 * all other variables (cmake/flags.cmake). So the others share few pages, and a process starts
 * faster the fewer pages it touches. Each begins at a cache line, since fast paths read some of
 * them. Some are also __aligned(PAGE_SIZE): otherwise the variable, or its first part, would lie on
 * one page more.
 */
#define __large_bss __attribute__((__section__(".bss.large"), aligned(CACHE_LINE_BYTES)))
/*
 * For variables of a KiB or two that are zero at the start, and that each process writes to: they
 * share pages, between the small variables and the large ones.
 */
#define __eager_bss __attribute__((__section__(".bss.eager"), aligned(CACHE_LINE_BYTES)))
/*
 * For a field that every allocation or free reads. The mark of a free object is
 * its second word, 8 bytes behind a multiple of 16. On many processors a load from the same
 * offset in another page would wait for the store of the mark (two to three times the
 * cost of a whole allocation). So such fields lie at multiples of 16.
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

/* 2^32 divided by the golden ratio, for Fibonacci hashing: spreads nearby keys. */
#define FIBONACCI_MULTIPLIER 0x9e3779b9u

/* Reverses the order of the pointers. */
static inline void reverse_pointers(void **pointers, unsigned long nr)
{
	for (unsigned long i = 0; i < nr / 2; i++) {
		void *pointer = pointers[i];

		pointers[i] = pointers[nr - 1 - i];
		pointers[nr - 1 - i] = pointer;
	}
}

/* The register that thread-local variables are addressed by. gcc lacks a builtin on powerpc64. */
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

/* The exponent of the largest power of two that is not above x; x is not 0. */
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
