/* SPDX-License-Identifier: MIT */
/*
 * libc's variables that say where struct rseq is.
 *
 * glibc has them since 2.35, in its loader and not in libc.so. Some linkers (mold 1; lld with
 * -no-pie) look into the loader only for a name that a strong reference needs. For good, they make
 * each weak reference 0. So the references are weak only where libc may lack the variables.
 */
#ifndef PERCPU_RSEQ_LIBC_AREA_H
#define PERCPU_RSEQ_LIBC_AREA_H

#include <features.h>
#include <stddef.h>

#if defined __GLIBC_PREREQ && !defined USERMM_LIBC_MAY_LACK_RSEQ
#define LIBC_HAS_RSEQ __GLIBC_PREREQ(2, 35)
#else
#define LIBC_HAS_RSEQ 0
#endif
#if LIBC_HAS_RSEQ
#define LIBC_MAY_LACK
#define libc_has_area true
#else
#define LIBC_MAY_LACK __attribute__((__weak__))
#define libc_has_area (&__rseq_size && &__rseq_offset)
#endif
extern const ptrdiff_t __rseq_offset LIBC_MAY_LACK;
extern const unsigned int __rseq_size LIBC_MAY_LACK;

#endif
