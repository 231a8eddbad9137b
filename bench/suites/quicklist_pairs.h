/* SPDX-License-Identifier: MIT */
#ifndef BENCH_QUICKLIST_PAIRS_H
#define BENCH_QUICKLIST_PAIRS_H

#include "bench.h"

/* Measures the rows of suite quicklist about single pages. */
void quicklist_measure_pairs(struct bench *bench);

#endif
