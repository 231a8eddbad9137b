/* SPDX-License-Identifier: MIT */
/*
 * Attributes of the public interface.
 *
 * USERMM_API(name) stands behind every public prototype. It exports the function as the ELF
 * symbol usermm_<name>, while C code calls it by the kernel's name. So a program that has a
 * kmalloc() of its own can link with the library.
 */
#ifndef USERMM_COMPILER_H
#define USERMM_COMPILER_H

/*
 * Three things that are usual in C get warnings in C++, where a program asks for them (-Wshadow,
 * -Wpedantic, -Wold-style-cast) and does not treat this folder as the system's: a function with the
 * name of a structure, an anonymous structure in an anonymous union, and a cast. Macros that the
 * program uses are outside, so those for flags have no casts.
 */
#ifdef __cplusplus
#ifdef __clang__
#define USERMM_ALLOW_C							\
	_Pragma("GCC diagnostic ignored \"-Wnested-anon-types\"")	\
	_Pragma("GCC diagnostic ignored \"-Wold-style-cast\"")
#else
#define USERMM_ALLOW_C _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#endif
#define USERMM_BEGIN_DECLS _Pragma("GCC diagnostic push") USERMM_ALLOW_C extern "C" {
#define USERMM_END_DECLS } _Pragma("GCC diagnostic pop")
#else
#define USERMM_BEGIN_DECLS
#define USERMM_END_DECLS
#endif

#define USERMM_API(name) \
	__asm__("usermm_" #name) __attribute__((visibility("default")))

/*
 * Only for functions that return fresh memory: the compiler assumes that no other pointer leads to
 * the memory, and that the memory holds no pointers. Objects of caches break that: a ctor may store
 * pointers, and with SLAB_TYPESAFE_BY_RCU old pointers remain valid after the free. The name is
 * spelled __malloc__ since a program may define a macro "malloc".
 */
#define USERMM_MALLOC __attribute__((__malloc__, warn_unused_result))
#define USERMM_ALLOC_SIZE(...) __attribute__((alloc_size(__VA_ARGS__)))
#define USERMM_MUST_CHECK __attribute__((warn_unused_result))

#endif
