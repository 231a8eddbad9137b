/* SPDX-License-Identifier: MIT */
/*
 * What the library defines in libc's place: malloc(3), posix_memalign(3), malloc_usable_size(3),
 * malloc_trim(3), C23 7.24.3. The prototypes are those of <stdlib.h> and <malloc.h>, repeated since
 * old headers lack some.
 *
 * Attributes stand here and not at the definitions, which an index (ctags) then finds.
 */
#ifndef MALLOC_MALLOC_H
#define MALLOC_MALLOC_H

#include <stddef.h>

#include "base/compiler.h"
#include "usermm/page.h"

/* libc may have macros of these names. Those of cmake/tested_malloc.cmake are meant. */
#ifndef USERMM_TESTED_MALLOC
#undef free
#undef malloc
#undef calloc
#undef realloc
#undef reallocarray
#undef free_sized
#undef free_aligned_sized
#undef memalign
#undef aligned_alloc
#undef posix_memalign
#undef valloc
#undef pvalloc
#undef malloc_usable_size
#undef memalignment
#undef malloc_trim
#endif

/*
 * free() begins a page, which all hot functions share: the linker meets it first (hot_sources in
 * CMakeLists.txt). malloc() begins with a cache line: in the last quarter of one, it would take a
 * tenth longer.
 */
EXPORT __hot __aligned(PAGE_SIZE) void free(void *pointer);
EXPORT __hot __aligned(CACHE_LINE_BYTES) void *malloc(size_t size);
EXPORT __hot void *calloc(size_t n, size_t size);
EXPORT __hot void *realloc(void *pointer, size_t size);
EXPORT void *reallocarray(void *pointer, size_t n, size_t size);
EXPORT __hot void free_sized(void *pointer, size_t size);
EXPORT void free_aligned_sized(void *pointer, size_t align, size_t size);
EXPORT void *memalign(size_t align, size_t size);
EXPORT void *aligned_alloc(size_t align, size_t size);
EXPORT int posix_memalign(void **result, size_t align, size_t size);
EXPORT void *valloc(size_t size);
EXPORT void *pvalloc(size_t size);
EXPORT size_t malloc_usable_size(void *pointer);
EXPORT size_t memalignment(const void *pointer);
EXPORT int malloc_trim(size_t pad);

#endif
