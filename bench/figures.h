/* SPDX-License-Identifier: MIT */
/*
 * Collects the rows of several processes that measured the same (child.h), by name and step: one
 * sample from each process. Gives their medians.
 */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include "json.h"

#define MAX_FIGURES 512
#define MAX_STARTS 5
#define FIGURE_NAME_BYTES 32

struct figures {
	struct figure {
		char name[FIGURE_NAME_BYTES];
		long step;
		unsigned int nr;
		double samples[MAX_STARTS];
	} all[MAX_FIGURES];
	unsigned int nr;
};

/* A child_row function; context is the struct figures. Rows beyond its capacity are dropped. */
void figures_take(void *context, const char *name, long step, double value);

/* The median over the processes; NaN if none had the row. */
double figures_median(const struct figures *figures, const char *name, long step);
/* (greatest - least) / median, in percent; NaN with fewer than two samples. */
double figures_spread(const struct figures *figures, const char *name, long step);
/* The samples, in the order of the processes; NULL if none had the row. The caller owns them. */
struct json *figures_samples(const struct figures *figures, const char *name, long step);

#endif
