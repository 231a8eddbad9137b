/* SPDX-License-Identifier: MIT */
/*
 * jemalloc's own calls, for programs that allocate by these names. Only libusermm_malloc has them.
 * If a program is linked with jemalloc's shared library and this library is preloaded, the calls
 * use the same heap as malloc() and free(): a block of one family may be given to any call of the
 * other. A program whose jemalloc has a prefix ("je_", "_rjem_") or is linked statically keeps that
 * jemalloc.
 *
 * Semantics are those of jemalloc's manual (5.3). Sizes are in bytes. flags is an OR of the macros
 * below. The program may use a block's whole real size, which is that of malloc_usable_size(); with
 * hardened=1 it is the size that was asked for. Two cases that jemalloc leaves undefined are
 * defined here: a size of 0 means 1, and NULL is treated as free(), realloc() and
 * malloc_usable_size() treat it.
 *
 * Any thread, a signal handler and a fork child may make all calls. mallocx() and rallocx() set
 * errno to ENOMEM when they return NULL; no other call sets errno. A pointer that is no block is
 * reported in one line and ends the process.
 */
#ifndef USERMM_MALLOCX_H
#define USERMM_MALLOCX_H

#include <stddef.h>

#include "compiler.h"

USERMM_BEGIN_DECLS

/* As in <jemalloc/jemalloc.h>, which a program may include as well. */
#ifndef MALLOCX_LG_ALIGN
/* Aligns the block to 1 << lg_align bytes; lg_align is 0 to 63. */
#define MALLOCX_LG_ALIGN(lg_align) ((int)(lg_align))
/* Aligns the block to align bytes, a power of two. */
#define MALLOCX_ALIGN(align) ((int)__builtin_ctzll((unsigned long long)(align)))
/* New bytes are zero, up to the real size. */
#define MALLOCX_ZERO 0x40
/* In jemalloc these choose where a block comes from. Here they are accepted and ignored. */
#define MALLOCX_TCACHE(tc) ((int)(((tc) + 2u) << 8))
#define MALLOCX_TCACHE_NONE MALLOCX_TCACHE(-1)
#define MALLOCX_ARENA(arena) ((int)(((unsigned int)(arena) + 1u) << 20))
#endif

/* A block of at least size bytes, which the caller frees; NULL without memory. */
void *mallocx(size_t size, int flags) __attribute__((visibility("default")));
/*
 * Changes a block's size, and perhaps its address. The content up to the smaller of both sizes is
 * kept. With MALLOCX_ZERO all bytes behind the old real size are zero. NULL without memory; the
 * block is then unchanged.
 */
void *rallocx(void *ptr, size_t size, int flags) __attribute__((visibility("default")));
/*
 * Changes a block's size in place: to size + extra (or a little more) if possible, else to size. If
 * neither is possible the block is unchanged. Returns the real size afterwards, which tells whether
 * the change was made. MALLOCX_ZERO is as for rallocx(). Blocks above 128 KiB may grow or shrink in
 * place; smaller ones seldom do.
 */
size_t xallocx(void *ptr, size_t size, size_t extra, int flags)
	__attribute__((visibility("default")));
/* The block's real size. */
size_t sallocx(const void *ptr, int flags) __attribute__((visibility("default")));
/* Frees the block. */
void dallocx(void *ptr, int flags) __attribute__((visibility("default")));
/*
 * Frees the block. size may be anything from the requested size up to the real size. With
 * hardened=1 any other size ends the process. Otherwise a wrong size ends the process only if it is
 * too large and the block is a page block or a mapping block (docs/glossary.md).
 */
void sdallocx(void *ptr, size_t size, int flags) __attribute__((visibility("default")));
/*
 * The least real size that mallocx() with these arguments would give; 0 if the size or the
 * alignment is more than PTRDIFF_MAX. Allocates nothing.
 */
size_t nallocx(size_t size, int flags) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
