/* SPDX-License-Identifier: MIT */
/* Rows of suite page-bulk about the cost of the steps of a free. */
#ifndef BENCH_PAGE_FREE_H
#define BENCH_PAGE_FREE_H

#include "bench.h"

void page_free_rows(struct bench *bench);

#endif
