/* SPDX-License-Identifier: MIT */
/*
 * malloc() and its relatives under other names (cmake/tests.cmake), so that they
 * stand in one program with the malloc() of a sanitizer.
 */
#ifndef MALLOC_CORE_TESTED_H
#define MALLOC_CORE_TESTED_H

#include <stddef.h>

void *tested_malloc(size_t size);
void *tested_calloc(size_t n, size_t size);
void *tested_realloc(void *pointer, size_t size);
void *tested_memalign(size_t align, size_t size);
size_t tested_malloc_usable_size(void *pointer);
void *tested_reallocarray(void *pointer, size_t n, size_t size);
void *tested_aligned_alloc(size_t align, size_t size);
int tested_posix_memalign(void **result, size_t align, size_t size);
void *tested_valloc(size_t size);
void *tested_pvalloc(size_t size);
int tested_malloc_trim(size_t pad);
void tested_free(void *pointer);
void tested_free_sized(void *pointer, size_t size);
void tested_free_aligned_sized(void *pointer, size_t align, size_t size);

#endif
