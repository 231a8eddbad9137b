/* SPDX-License-Identifier: MIT */
/*
 * Values that the compiler cannot reason about: a test may misuse such a pointer, and an allocation
 * of such a size is really made.
 */
#ifndef SUPPORT_OPAQUE_H
#define SUPPORT_OPAQUE_H

#include <stddef.h>
#include <stdint.h>

static inline void *opaque(const volatile void *pointer)
{
	void *result = (void *)(uintptr_t)pointer;

	__asm__ volatile("" : "+r"(result) : : "memory");
	return result;
}

static inline size_t opaque_size(size_t size)
{
	__asm__ volatile("" : "+r"(size));
	return size;
}

#endif
