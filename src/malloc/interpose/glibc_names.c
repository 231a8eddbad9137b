/* SPDX-License-Identifier: MIT */
/*
 * glibc's other names for its malloc functions, which old programs and wrappers call. Blocks from
 * these names go to our free(), and our blocks may come to these names. One is cfree(): since
 * glibc 2.26 no program can be linked to it, but older programs call it.
 */
#include "malloc/malloc.h"

#include "base/compiler.h"
#include "malloc/interpose/mallinfo.h"

/* libc may have a macro of this name. */
#undef cfree

#ifdef __GLIBC__

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void __libc_free(void *pointer);
void cfree(void *pointer);
void *__libc_memalign(size_t align, size_t size);
void *__libc_valloc(size_t size);
void *__libc_pvalloc(size_t size);
int __libc_mallopt(int parameter, int value);
struct mallinfo __libc_mallinfo(void);
int __posix_memalign(void **result, size_t align, size_t size);

EXPORT void *__libc_malloc(size_t size)
{
	return malloc(size);
}

EXPORT void *__libc_calloc(size_t n, size_t size)
{
	return calloc(n, size);
}

EXPORT void *__libc_realloc(void *pointer, size_t size)
{
	return realloc(pointer, size);
}

EXPORT void __libc_free(void *pointer)
{
	free(pointer);
}

EXPORT void cfree(void *pointer)
{
	free(pointer);
}

EXPORT void *__libc_memalign(size_t align, size_t size)
{
	return memalign(align, size);
}

EXPORT void *__libc_valloc(size_t size)
{
	return valloc(size);
}

EXPORT void *__libc_pvalloc(size_t size)
{
	return pvalloc(size);
}

EXPORT int __libc_mallopt(int parameter, int value)
{
	return mallopt(parameter, value);
}

EXPORT struct mallinfo __libc_mallinfo(void)
{
	return mallinfo();
}

EXPORT int __posix_memalign(void **result, size_t align, size_t size)
{
	return posix_memalign(result, align, size);
}

#endif
