/* SPDX-License-Identifier: MIT */
/* Attributes by the kernel's short names. */
#ifndef KERNEL_LINUX_COMPILER_ATTRIBUTES_H
#define KERNEL_LINUX_COMPILER_ATTRIBUTES_H

#undef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#define noinline __attribute__((__noinline__))
#define __noinline noinline
#undef __attribute_const__
#define __attribute_const__ __attribute__((__const__))

#define __alias(symbol) __attribute__((__alias__(#symbol)))
#define __aligned(bytes) __attribute__((__aligned__(bytes)))
#define __aligned_largest __attribute__((__aligned__))
#define __alloc_size(x, ...) __attribute__((__alloc_size__(x, ## __VA_ARGS__)))
#define __always_used __attribute__((__used__)) __attribute__((__unused__))
#define __always_unused __attribute__((__unused__))
#define __assume_aligned(bytes, ...) __attribute__((__assume_aligned__(bytes, ## __VA_ARGS__)))
#define __cleanup(function) __attribute__((__cleanup__(function)))
#define __cold __attribute__((__cold__))
#define __compiletime_error(text) __attribute__((__error__(text)))
#define __compiletime_warning(text) __attribute__((__warning__(text)))
#define __flatten __attribute__((__flatten__))
#define __gnu_inline __attribute__((__gnu_inline__))
#define __malloc __attribute__((__malloc__))
#define __maybe_unused __attribute__((__unused__))
#define __mode(mode) __attribute__((__mode__(mode)))
#define __must_check __attribute__((__warn_unused_result__))
#define __no_caller_saved_registers
#define __nonstring __attribute__((__nonstring__))
#define __noreturn __attribute__((__noreturn__))
#define __packed __attribute__((__packed__))
#define __printf(format, first) __attribute__((__format__(printf, format, first)))
#define __pure __attribute__((__pure__))
#define __scanf(format, first) __attribute__((__format__(scanf, format, first)))
#define __section(name) __attribute__((__section__(name)))
#define __used __attribute__((__used__))
#define __visible __attribute__((__externally_visible__))
#define __weak __attribute__((__weak__))
/* As newer Linux headers for programs have it (linux/stddef.h). */
#ifndef __counted_by
#define __counted_by(m)
#endif
#define __no_sanitize_address __attribute__((__no_sanitize_address__))
#define __no_kasan_or_inline __no_sanitize_address
#define __realloc_size(x, ...) __alloc_size(x, ## __VA_ARGS__)
#define __deprecated

#ifdef __clang__
#undef __visible
#define __visible
#undef __nonstring
#define __nonstring
#endif

#if defined(__has_attribute) && __has_attribute(__fallthrough__)
#define fallthrough __attribute__((__fallthrough__))
#else
#define fallthrough do { } while (0)
#endif

#endif
