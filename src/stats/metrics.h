/* SPDX-License-Identifier: MIT */
/*
 * The counters as tables, which a program can print without knowing their meaning.
 *
 * 1. Purpose. JSON and Prometheus' text have the same numbers under the same names. Numbers
 *    of a file in /proc have the names of its columns. metric_tables is the only list of
 *    them. The reports in Linux's formats read the numbers by the same functions.
 * 2. Objects. A table has one row, or one row for each zone or cache, which the labels name.
 *    walk() calls a function for each row; the row's values are valid during that call.
 * 3. Order. JSON is written row by row. Prometheus wants all rows of the first metric, then of
 *    the next, so a table of many rows is walked once for each metric. Numbers of one row
 *    may then be of different times; no counter of ours is stopped for a reader anyway. When a
 *    cache is destroyed meanwhile, the numbers of its namesakes change.
 * 4. Space. Texts lie in the tables themselves. The dynamic linker would have to set
 *    each pointer to a text at every program's start.
 * 5. Failure. If there is no memory at all, tables of zones and caches have no rows.
 */
#ifndef STATS_METRICS_H
#define STATS_METRICS_H

#include "base/fmt.h"

#define METRIC_LABELS_MAX 4
#define NR_METRIC_TABLES 5

struct metric {
	char name[24];
	char help[80];
	unsigned short offset;	/* where in a row's values its unsigned long is */
	unsigned short nr;	/* length, if it is an array; 0: one value */
	char index[8];		/* the label for the index in that array */
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
	bool has_rows;		/* has any number of rows; else one or none */
	struct metric_label labels[METRIC_LABELS_MAX];
	const struct metric *metrics;
	unsigned int nr_metrics;
	void (*walk)(void (*fn)(const struct metric_row *row, void *arg), void *arg);
};

extern const struct metric_table metric_tables[NR_METRIC_TABLES];

/* Value number i of a metric; i is 0 for a single one. */
static inline unsigned long metric_value(const struct metric *metric,
					 const struct metric_row *row, unsigned int i)
{
	return ((const unsigned long *)((const char *)row->values + metric->offset))[i];
}

/* The number of bytes of the character at text; 0 if it is not UTF-8. cf. RFC 3629, section 4 */
unsigned int metric_utf8_bytes(const char *text);

/* Does metric_print_quoted() write both texts in the same way? */
bool metric_texts_look_same(const char *a, const char *b);

/*
 * Writes a text in quotes. A backslash comes before quotes and backslashes, and ends of lines
 * become \n. Bytes that are not UTF-8 are replaced: a name that was cut off may end in the middle
 * of a character. controls: writes other control characters as \uXXXX, as JSON wants it.
 */
void metric_print_quoted(struct fmt_writer *out, const char *text, bool controls);

#endif
