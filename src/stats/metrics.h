/* SPDX-License-Identifier: MIT */
/*
 * The counters as tables that a program can draw without knowing what they are.
 *
 * 1. Purpose. JSON and Prometheus' text have the same numbers under the same names, which
 *    are /proc's columns where there is such a file. metric_tables is the only list of them;
 *    reading is what the reports in Linux's formats do, too.
 * 2. Objects. A table has one row, or one for each thing of a kind: the labels tell which.
 *    A row's values lie in a structure that lives while walk() calls.
 * 3. Order. JSON wants row by row; Prometheus all rows of one metric, and then of the next
 *    one, so it walks a table of many rows once for each. Columns of one row may be out of
 *    step there, as all counts may be that nobody is stopped for; and when a cache is destroyed
 *    in between its namesakes are numbered anew.
 * 4. Space. Texts lie in the tables themselves: a pointer would be one more for the dynamic
 *    linker to set at every program's start.
 * 5. Failure. If there is no memory at all, tables of pages and caches have no rows.
 */
#ifndef STATS_METRICS_H
#define STATS_METRICS_H

#include "base/fmt.h"

#define METRIC_LABELS_MAX 4
#define NR_METRIC_TABLES 5

struct metric {
	char name[24];
	char help[80];
	unsigned short offset;	/* of an unsigned long in a row's values */
	unsigned short nr;	/* so many of them in a row; 0: one, without an index */
	char index[8];		/* the label of their numbers */
	bool is_counter;
};

struct metric_label {
	char key[12];		/* in JSON */
	char label[12];		/* in Prometheus' text */
	bool is_number;
};

struct metric_row {
	const void *values;
	const char *labels[METRIC_LABELS_MAX];	/* NULL: this row has none */
};

struct metric_table {
	char name[12];		/* in JSON */
	char prefix[12];	/* of the metrics' names in Prometheus' text */
	bool has_rows;		/* any number of them; otherwise one, or none */
	struct metric_label labels[METRIC_LABELS_MAX];
	const struct metric *metrics;
	unsigned int nr_metrics;
	void (*walk)(void (*fn)(const struct metric_row *row, void *arg), void *arg);
};

extern const struct metric_table metric_tables[NR_METRIC_TABLES];

/* Value number i of a metric. */
static inline unsigned long metric_value(const struct metric *metric,
					 const struct metric_row *row, unsigned int i)
{
	return ((const unsigned long *)((const char *)row->values + metric->offset))[i];
}

/* Would these two be written alike? */
bool metric_texts_look_same(const char *a, const char *b);

/*
 * A text between quotes, with a backslash before quotes, backslashes and ends of lines, and what
 * is not UTF-8 replaced, which a name may end in where it was cut. JSON has no other control
 * characters either: with `controls` they are written as \uXXXX.
 */
void metric_print_quoted(struct fmt_writer *out, const char *text, bool controls);

#endif
