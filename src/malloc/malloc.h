/* SPDX-License-Identifier: MIT */
/*
 * What the library defines in libc's place. The prototypes are those of
 * <stdlib.h> and <malloc.h>; they are repeated here since old headers lack some.
 * malloc(3), posix_memalign(3), malloc_usable_size(3), malloc_trim(3); C23 7.24.3. Here and where
 * they are defined the names are in parentheses, since libc may have macros of the same names.
 */
#ifndef MALLOC_MALLOC_H
#define MALLOC_MALLOC_H

#include <stddef.h>

void *(malloc)(size_t size);
void *(calloc)(size_t n, size_t size);
void *(realloc)(void *pointer, size_t size);
void *(reallocarray)(void *pointer, size_t n, size_t size);
void (free)(void *pointer);
void (free_sized)(void *pointer, size_t size);
void (free_aligned_sized)(void *pointer, size_t align, size_t size);
void *(memalign)(size_t align, size_t size);
void *(aligned_alloc)(size_t align, size_t size);
int (posix_memalign)(void **result, size_t align, size_t size);
void *(valloc)(size_t size);
void *(pvalloc)(size_t size);
size_t (malloc_usable_size)(void *pointer);
int (malloc_trim)(size_t pad);

#endif
