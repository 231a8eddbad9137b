/* SPDX-License-Identifier: MIT */
/*
 * malloc by usermm's own names, for bindings of other languages and for programs whose malloc() is
 * another one. Blocks may have any size and any alignment.
 *
 * libusermm and libusermm_malloc both have these calls. In libusermm_malloc they are malloc(),
 * free() and so on themselves: a block of one family may be given to any call of the other. In
 * libusermm malloc() stays libc's, and only the calls below may get a block of theirs. Where a
 * process has both libraries, both names lead to the same heap (docs/environment.md).
 *
 * Blocks. Each block is aligned to 16 bytes, or to what the caller asked for. Up to 32 KiB a block
 * is an object of one of 72 size classes, up to 4 MiB it is pages of the window, and beyond that a
 * mapping of its own. A request of 0 bytes gets a block that no other request gets.
 *
 * Context. Any thread, a signal handler and a fork child may make all calls.
 *
 * Failure. NULL and errno ENOMEM. The old block of a failed usermm_realloc() is untouched. Nothing
 * is printed, and nothing ends the process. A pointer that is no block, and a second free, are
 * reported in one line and end the process.
 *
 * Options. hardened=, profile=, kfence_sample= and limit= apply to these calls as to malloc().
 *
 * Semantics: C23 7.24.3, malloc_usable_size(3).
 */
#ifndef USERMM_MALLOC_H
#define USERMM_MALLOC_H

#include <stddef.h>

#include "compiler.h"

USERMM_BEGIN_DECLS

/* The largest alignment that bindings can rely on: 1 GiB. Larger powers of two work, too. */
#define USERMM_ALIGN_MAX (1UL << 30)
/* The alignment of every block. */
#define USERMM_ALIGN_MIN 16UL

/* A block of at least size bytes, with undefined content. */
void *usermm_malloc(size_t size)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(1);
/* A block of n * size bytes, all of them zero. NULL and ENOMEM if the product overflows. */
void *usermm_calloc(size_t n, size_t size)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(1, 2);
/*
 * Changes a block's size. The block may move; its content stays, up to the smaller size. New bytes
 * are undefined. NULL as a block means usermm_malloc(). As in glibc, a size of 0 frees the block
 * and returns NULL. An alignment of more than 16 bytes may be lost: see usermm_aligned_realloc().
 */
void *usermm_realloc(void *block, size_t size)
	__attribute__((visibility("default"))) USERMM_MUST_CHECK USERMM_ALLOC_SIZE(2);
/*
 * A block aligned to align bytes, a power of two. size need not be a multiple of it. NULL and
 * EINVAL if align is no power of two.
 */
void *usermm_aligned_alloc(size_t align, size_t size)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(2);
/* usermm_aligned_alloc() with all bytes zero. A new mapping is zero already: it is not cleared. */
void *usermm_aligned_zalloc(size_t align, size_t size)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(2);
/*
 * usermm_realloc() for a block with an alignment, which the block keeps: align is what it was
 * allocated with, or another power of two. NULL as a block means usermm_aligned_alloc(). A size of
 * 0 counts as 1. NULL and EINVAL if align is no power of two.
 */
void *usermm_aligned_realloc(void *block, size_t align, size_t size)
	__attribute__((visibility("default"))) USERMM_MUST_CHECK USERMM_ALLOC_SIZE(3);

/* Frees a block. NULL is allowed. errno stays unchanged. */
void usermm_free(void *block) __attribute__((visibility("default")));
/*
 * usermm_free(), where the caller states the size last requested for the block. With
 * hardened=1 a wrong size is reported, and ends the process; for a block of more than 32 KiB, a
 * size beyond the block is always reported.
 */
void usermm_free_sized(void *block, size_t size) __attribute__((visibility("default")));
/* As usermm_free_sized(), with the alignment, for blocks of usermm_aligned_alloc() and the like. */
void usermm_free_aligned_sized(void *block, size_t align, size_t size)
	__attribute__((visibility("default")));

/*
 * How many bytes of the block the caller may use: at least the size that was asked for, and with
 * hardened=1 exactly this size. 0 for NULL.
 */
size_t usermm_usable_size(void *block) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
