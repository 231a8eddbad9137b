/* SPDX-License-Identifier: MIT */
/*
 * What the library defines in libc's place: malloc(3), posix_memalign(3), malloc_usable_size(3),
 * malloc_trim(3), C23 7.24.3. The prototypes are those of <stdlib.h> and <malloc.h>, repeated since
 * old headers lack some.
 *
 * Attributes stand here and not at the definitions, which an index (ctags) then finds.
 *
 * This layer is compiled twice. In libusermm_malloc its calls have libc's names, and those of
 * usermm/malloc.h are second names for the same functions (ALSO_NAMED). In libusermm malloc() stays
 * libc's, and USERMM_API_MALLOC is defined: the calls have the names of usermm/malloc.h alone
 * (cmake/api_malloc.cmake), and EXPORT_LIBC hides those that usermm/malloc.h lacks.
 */
#ifndef MALLOC_MALLOC_H
#define MALLOC_MALLOC_H

#include <stddef.h>

#include "base/compiler.h"
#include "usermm/malloc.h"
#include "usermm/page.h"

/* libc may define macros of these names. Those that the two builds define must stay. */
#if !defined(USERMM_TESTED_MALLOC) && !defined(USERMM_API_MALLOC)
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

#ifdef USERMM_API_MALLOC
#define EXPORT_LIBC __hidden
#define ALSO_NAMED(other, name)
#else
#define EXPORT_LIBC EXPORT
/* Gives the function `name`, which is defined in this file, a second name. */
#define ALSO_NAMED(other, name) ALSO_NAMED_EXPANDED(other, name)
#define ALSO_NAMED_EXPANDED(other, name)					\
	extern __typeof__(name) other ATTRIBUTES_OF(name)			\
		__attribute__((__alias__(#name), __visibility__("default")))
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
EXPORT_LIBC void *reallocarray(void *pointer, size_t n, size_t size);
EXPORT __hot void free_sized(void *pointer, size_t size);
EXPORT void free_aligned_sized(void *pointer, size_t align, size_t size);
EXPORT_LIBC void *memalign(size_t align, size_t size);
EXPORT void *aligned_alloc(size_t align, size_t size);
EXPORT_LIBC int posix_memalign(void **result, size_t align, size_t size);
EXPORT_LIBC void *valloc(size_t size);
EXPORT_LIBC void *pvalloc(size_t size);
EXPORT size_t malloc_usable_size(void *pointer);
EXPORT_LIBC size_t memalignment(const void *pointer);
EXPORT_LIBC int malloc_trim(size_t pad);

/*
 * A program, or a library in front of this one, may define some of these functions. The four names
 * below then mean the process's functions (malloc/family.h). The library's own have second names,
 * which the library uses for its own blocks.
 */
#define OWN_NAME(name)								\
	extern __typeof__(name) own_##name ATTRIBUTES_OF(name)			\
		__attribute__((__alias__(OWN_NAME_TEXT(name)), __visibility__("hidden")))
#define OWN_NAME_TEXT(name) OWN_NAME_TEXT_OF(name)
#define OWN_NAME_TEXT_OF(name) #name
__hidden void own_free(void *pointer);
__hidden void *own_malloc(size_t size);
__hidden void *own_realloc(void *pointer, size_t size);
__hidden void *own_aligned_alloc(size_t align, size_t size);

#endif
