/* SPDX-License-Identifier: MIT */
/* What operator new needs when there is no memory. */
#ifndef MALLOC_CXX_RUNTIME_H
#define MALLOC_CXX_RUNTIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A symbol of the C++ runtime, if one has been loaded in the meantime. */
void *cxx_runtime_symbol(const char *name);
/* There is nobody to throw: one line, then SIGABRT. */
void cxx_runtime_missing(size_t bytes) __attribute__((__noreturn__));

#ifdef __cplusplus
}
#endif

#endif
