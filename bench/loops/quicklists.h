/* SPDX-License-Identifier: MIT */
/* Quicklists for the loops, if there are any: Linux had them up to 5.3. */
#ifndef BENCH_LOOPS_QUICKLISTS_H
#define BENCH_LOOPS_QUICKLISTS_H

#include "loop.h"

#ifndef __KERNEL__
#define HAVE_QUICKLISTS 1
#elif __has_include(<linux/quicklist.h>)
#include <linux/quicklist.h>
#define HAVE_QUICKLISTS 1
#else
#define HAVE_QUICKLISTS 0
#endif

/* List numbers: top levels; all other tables, which are zero. */
#define QUICK_PGD 0
#define QUICK_PT 1

#endif
