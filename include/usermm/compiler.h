/* SPDX-License-Identifier: MIT */
/*
 * Attributes of the public interface.
 *
 * USERMM_API(name) stands behind every public prototype. It exports the
 * function and gives it the ELF symbol usermm_<name>, while C code calls it by
 * the kernel's name: a process that has a kmalloc of its own links safely.
 */
#ifndef USERMM_COMPILER_H
#define USERMM_COMPILER_H

#ifdef __cplusplus
#define USERMM_BEGIN_DECLS extern "C" {
#define USERMM_END_DECLS }
#else
#define USERMM_BEGIN_DECLS
#define USERMM_END_DECLS
#endif

#define USERMM_API(name) \
	__asm__("usermm_" #name) __attribute__((visibility("default")))

/*
 * For fresh memory alone: compilers take it that no other pointer leads there, and that it holds
 * none. An object of a cache may hold some, from its ctor; and with SLAB_TYPESAFE_BY_RCU a pointer
 * to it stays good when it is freed. Not plain "malloc", which may be a macro of the program.
 */
#define USERMM_MALLOC __attribute__((__malloc__, warn_unused_result))
#define USERMM_ALLOC_SIZE(...) __attribute__((alloc_size(__VA_ARGS__)))
#define USERMM_MUST_CHECK __attribute__((warn_unused_result))

#endif
