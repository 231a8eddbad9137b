/* SPDX-License-Identifier: MIT */
/*
 * jemalloc's own calls, for programs that take memory by these names. They are
 * libusermm_malloc's alone. A program that is linked with jemalloc's shared library and preloaded
 * with this one has them on the heap that malloc() and free() have: a block of one family may be
 * given to any call of the other. One whose jemalloc has a prefix ("je_", "_rjem_"), or is part of
 * the program, keeps that one.
 *
 * Semantics are those of jemalloc's manual (5.3). Sizes are in bytes. flags is an OR of the macros
 * below. A block's real size, which is all the program's, is that of malloc_usable_size(); with
 * hardened=1 it is the size that was asked for. What jemalloc leaves undefined is defined here: a
 * size of 0 is taken as 1, and NULL for a block as free(), realloc() and malloc_usable_size() do.
 *
 * All calls may come from any thread, from a signal handler, and from a fork child. None sets errno
 * but mallocx() and rallocx(), ENOMEM with NULL. A pointer that is no block ends the process with a
 * line that says so.
 */
#ifndef USERMM_MALLOCX_H
#define USERMM_MALLOCX_H

#include <stddef.h>

#include "compiler.h"

USERMM_BEGIN_DECLS

/* As in <jemalloc/jemalloc.h>, which a program may include as well. */
#ifndef MALLOCX_LG_ALIGN
/* The block is aligned to 1 << lg_align bytes, of 64 bits at most. */
#define MALLOCX_LG_ALIGN(lg_align) ((int)(lg_align))
/* The same for align, a power of two. */
#define MALLOCX_ALIGN(align) ((int)__builtin_ctzll((unsigned long long)(align)))
/* New bytes are zero, up to the real size. */
#define MALLOCX_ZERO 0x40
/* Both choose where jemalloc takes a block from. They are accepted, and change nothing. */
#define MALLOCX_TCACHE(tc) ((int)(((tc) + 2u) << 8))
#define MALLOCX_TCACHE_NONE MALLOCX_TCACHE(-1)
#define MALLOCX_ARENA(arena) ((int)(((unsigned int)(arena) + 1u) << 20))
#endif

/* A block of size bytes at least, which the caller frees; NULL without memory. */
void *mallocx(size_t size, int flags) __attribute__((visibility("default")));
/*
 * Another size, perhaps at another address. What it has up to the smaller of both sizes stays. With
 * MALLOCX_ZERO all bytes behind the old real size are zero. NULL without memory, and the block is
 * as it was.
 */
void *rallocx(void *ptr, size_t size, int flags) __attribute__((visibility("default")));
/*
 * Another size at the same address: size + extra, or a little more, if that is possible, else
 * size. The real size then, which is the old one if neither is: it tells whether it was done.
 * MALLOCX_ZERO: as rallocx(). Blocks above 128 KiB may grow, or be cut; smaller ones seldom change.
 */
size_t xallocx(void *ptr, size_t size, size_t extra, int flags)
	__attribute__((visibility("default")));
/* The real size. */
size_t sallocx(const void *ptr, int flags) __attribute__((visibility("default")));
/* Frees the block. */
void dallocx(void *ptr, int flags) __attribute__((visibility("default")));
/*
 * The same; size is anything from what was asked for up to the real size. With hardened=1 another
 * one ends the process, and otherwise one that is larger than a block of pages or a mapping.
 */
void sdallocx(void *ptr, size_t size, int flags) __attribute__((visibility("default")));
/*
 * The real size that mallocx() with the same arguments would give at least, 0 if the size or the
 * alignment is more than PTRDIFF_MAX. Nothing is allocated.
 */
size_t nallocx(size_t size, int flags) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
