/* SPDX-License-Identifier: MIT */
/* What operator new needs when there is no memory, and what the C half asks of it. */
#ifndef MALLOC_INTERPOSE_CXX_RUNTIME_H
#define MALLOC_INTERPOSE_CXX_RUNTIME_H

#include <stdbool.h>
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
/*
 * new.cc, which a library without C++ lacks: has the program an operator new of its own? That may
 * ask malloc() for more than it was asked for, which is what operator delete tells.
 */
bool cxx_new_is_programs(void) __attribute__((__weak__));

#ifdef __cplusplus
}
#endif

#endif
