/* SPDX-License-Identifier: MIT */
/*
 * What several processes that measured the same said: figures by name and step, a sample
 * from each process. A child's rows (child.h) go in as they come; medians come out.
 */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

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

/* A child_row: context is the struct figures. What is too much is left out. */
void figures_take(void *context, const char *name, long step, double value);

/* Over the processes; NaN if no one said it. */
double figures_median(const struct figures *figures, const char *name, long step);
/* (greatest - least) / median, in percent; NaN with fewer than two samples. */
double figures_spread(const struct figures *figures, const char *name, long step);

#endif
