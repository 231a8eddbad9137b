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
 * Looks a symbol up in the C++ runtime that serves the code at the address `caller`. That is the
 * runtime linked into the code's own library, or a shared one that was loaded after this library.
 * NULL if there is none; never a symbol of this library.
 */
void *cxx_runtime_symbol(const char *name, const void *caller);
/* Called when no runtime can throw: prints one line, then SIGABRT. */
void cxx_runtime_missing(size_t bytes) __attribute__((__noreturn__));
/*
 * Does the program have an operator new of its own? That may ask malloc() for more bytes than it
 * was asked for, while operator delete states the bytes that it was asked for. Weak, since new.cc
 * defines it, and a library without C++ lacks that file.
 */
bool cxx_new_is_programs(void) __attribute__((__weak__));

#ifdef __cplusplus
}
#endif

#endif
