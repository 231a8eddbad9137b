/* SPDX-License-Identifier: MIT */
/* What the steps of a free cost: rows of suite page-bulk. */
#ifndef BENCH_PAGE_FREE_H
#define BENCH_PAGE_FREE_H

#include "bench.h"

void page_free_rows(struct bench *bench);

#endif
