/* SPDX-License-Identifier: MIT */
/* What operator new (new.cc) needs when there is no memory, and what it tells the C files. */
#ifndef MALLOC_INTERPOSE_CXX_RUNTIME_H
#define MALLOC_INTERPOSE_CXX_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A symbol of the C++ runtime of the library that has the address `caller`: linked into that
 * library, or a shared runtime that was loaded meanwhile. NULL if there is none; never a symbol of
 * this library.
 */
void *cxx_runtime_symbol(const char *name, const void *caller);
/* For when no runtime can throw: prints one line, then SIGABRT. */
void cxx_runtime_missing(size_t bytes) __attribute__((__noreturn__));
/*
 * Does the program have an operator new of its own? That may ask malloc() for more bytes than it
 * was asked for, while operator delete states the bytes that it was asked for. In new.cc, which a
 * library without C++ lacks.
 */
bool cxx_new_is_programs(void) __attribute__((__weak__));

#ifdef __cplusplus
}
#endif

#endif
