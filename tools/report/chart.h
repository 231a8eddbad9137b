/* SPDX-License-Identifier: MIT */
/*
 * Charts: tables whose rows are the points of a plot, and whose columns are its series. Names are
 * copied. Without memory the program ends.
 */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/json.h"

enum chart_kind {
	CHART_BARS,	/* the rows' names are categories */
	CHART_LINES,	/* the rows' names are numbers, in order */
};

/* A point: the median of its values, and the range in which they lie. */
struct chart_cell {
	double *values;
	unsigned int nr;
	double spread;		/* half of the range of one value, where the file says it; or 0 */
};

struct chart_row {
	char *name;
	double at;		/* the name as a number; lines are sorted by it */
	struct chart_cell *cells;	/* one for each series */
};

struct chart {
	enum chart_kind kind;
	char *section, *title, *x_label, *unit;
	char **series;
	unsigned int nr_series;
	struct chart_row *rows;
	unsigned int nr_rows, room;
};

/* All charts of a report, and the table of the machines. */
struct charts {
	struct chart *all;
	unsigned int nr;
	/* Facts about where each file is from: rows are facts, columns are labels. */
	struct chart_fact {
		char *label, *name, *value;
	} *facts;
	unsigned int nr_facts;
};

/* The chart of that section and title; a new one if there is none. Valid until the next call. */
struct chart *charts_chart(struct charts *charts, enum chart_kind kind, const char *section,
			   const char *title, const char *x_label, const char *unit);
void charts_add_fact(struct charts *charts, const char *label, const char *name,
		     const char *value);

/*
 * Adds a value to the cell of a row and a series, both of which may be new. spread is the half of
 * the range in which the value lies, 0 if it is unknown.
 */
void chart_add(struct chart *chart, const char *row, const char *series, double value,
	       double spread);
/* The cell's median, and the lowest and highest value. False if it has no value. */
bool chart_cell(const struct chart_cell *cell, double *median, double *low, double *high);

/* Sorts the rows of lines, and thins them out to a number that a page can hold. */
void charts_finish(struct charts *charts);

/*
 * Adds the charts of a file. label is its name in the report. unit is the figure to show: "ns", or
 * another of a row's numbers. NULL, or what is wrong with the file.
 */
const char *bench_charts(struct charts *charts, const struct json *file, const char *label,
			 const char *unit);
bool bench_is(const struct json *file);

/* A file of `usermm record` is a head and samples, one JSON object a line. */
bool record_is(const struct json *head);
void record_charts_head(struct charts *charts, const struct json *head, const char *label);
void record_charts_sample(struct charts *charts, const struct json *sample, const char *label,
			  bool compare);

#endif
