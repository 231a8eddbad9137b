/* SPDX-License-Identifier: MIT */
/* What operator new needs when there is no memory. */
#ifndef MALLOC_CXX_RUNTIME_H
#define MALLOC_CXX_RUNTIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A symbol of the C++ runtime that the library with the address `caller` uses: its own, or a
 * shared one that has been loaded in the meantime. NULL if there is none; never this library's.
 */
void *cxx_runtime_symbol(const char *name, const void *caller);
/* There is nobody to throw: one line, then SIGABRT. */
void cxx_runtime_missing(size_t bytes) __attribute__((__noreturn__));

#ifdef __cplusplus
}
#endif

#endif
