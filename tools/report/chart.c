// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "report/chart.h"
#include "usermm/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A plot is about as many pixels wide; more rows would only make the page slow. */
#define MOST_ROWS 1500

static void *need(void *memory)
{
	if (memory)
		return memory;
	say(stderr, "usermm report: out of memory\n");
	exit(1);
}

static char *copy(const char *text)
{
	return need(strdup(text));
}

struct chart *charts_chart(struct charts *charts, enum chart_kind kind, const char *section,
			   const char *title, const char *x_label, const char *unit)
{
	struct chart *chart;

	for (unsigned int i = 0; i < charts->nr; i++)
		if (!strcmp(charts->all[i].section, section) &&
		    !strcmp(charts->all[i].title, title))
			return &charts->all[i];
	charts->all = need(realloc(charts->all, (charts->nr + 1) * sizeof(*charts->all)));
	chart = &charts->all[charts->nr++];
	*chart = (struct chart){
		.kind = kind, .section = copy(section), .title = copy(title),
		.x_label = copy(x_label), .unit = copy(unit),
	};
	return chart;
}

void charts_add_fact(struct charts *charts, const char *label, const char *name,
		     const char *value)
{
	for (unsigned int i = 0; i < charts->nr_facts; i++)
		if (!strcmp(charts->facts[i].label, label) && !strcmp(charts->facts[i].name, name))
			return;
	charts->facts = need(realloc(charts->facts,
				     (charts->nr_facts + 1) * sizeof(*charts->facts)));
	charts->facts[charts->nr_facts++] = (struct chart_fact){
		.label = copy(label), .name = copy(name), .value = copy(value),
	};
}

/* The index of the series. A new one gets a cell in every row. */
static unsigned int find_series(struct chart *chart, const char *name)
{
	unsigned int nr = chart->nr_series;

	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(chart->series[i], name))
			return i;
	chart->series = need(realloc(chart->series, (nr + 1) * sizeof(*chart->series)));
	chart->series[nr] = copy(name);
	for (unsigned int row = 0; row < chart->nr_rows; row++) {
		struct chart_row *r = &chart->rows[row];

		r->cells = need(realloc(r->cells, (nr + 1) * sizeof(*r->cells)));
		r->cells[nr] = (struct chart_cell){ 0 };
	}
	return chart->nr_series++;
}

static struct chart_row *find_row(struct chart *chart, const char *name)
{
	struct chart_row *row;

	/* Samples come in order: the last row is looked at first. */
	for (unsigned int i = chart->nr_rows; i-- > 0;) {
		if (!strcmp(chart->rows[i].name, name))
			return &chart->rows[i];
		if (chart->kind == CHART_LINES && chart->rows[i].at < strtod(name, NULL))
			break;
	}
	if (chart->nr_rows == chart->room) {
		chart->room = chart->room ? 2 * chart->room : 16;
		chart->rows = need(realloc(chart->rows, chart->room * sizeof(*chart->rows)));
	}
	row = &chart->rows[chart->nr_rows++];
	*row = (struct chart_row){ .name = copy(name), .at = strtod(name, NULL) };
	row->cells = need(calloc(chart->nr_series, sizeof(*row->cells)));
	return row;
}

void chart_add(struct chart *chart, const char *row, const char *series, double value,
	       double spread)
{
	unsigned int column = find_series(chart, series);
	struct chart_cell *cell = &find_row(chart, row)->cells[column];

	cell->values = need(realloc(cell->values, (cell->nr + 1) * sizeof(*cell->values)));
	cell->values[cell->nr++] = value;
	if (spread > cell->spread)
		cell->spread = spread;
}

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

bool chart_cell(const struct chart_cell *cell, double *median, double *low, double *high)
{
	double *values = cell->values;

	if (!cell->nr)
		return false;
	qsort(values, cell->nr, sizeof(*values), compare_values);
	*median = (values[(cell->nr - 1) / 2] + values[cell->nr / 2]) / 2;
	*low = values[0] - cell->spread;
	*high = values[cell->nr - 1] + cell->spread;
	return true;
}

static int compare_rows(const void *a, const void *b)
{
	double x = ((const struct chart_row *)a)->at, y = ((const struct chart_row *)b)->at;

	return (x > y) - (x < y);
}

/* The row's largest value, by which peaks are kept. */
static double height(const struct chart *chart, const struct chart_row *row)
{
	double most = 0;

	for (unsigned int i = 0; i < chart->nr_series; i++)
		for (unsigned int j = 0; j < row->cells[i].nr; j++)
			if (row->cells[i].values[j] > most)
				most = row->cells[i].values[j];
	return most;
}

/* Keeps only the highest row of each group of neighbours. */
static void thin_out(struct chart *chart)
{
	unsigned int group = (chart->nr_rows + MOST_ROWS - 1) / MOST_ROWS, kept = 0;

	for (unsigned int first = 0; first < chart->nr_rows; first += group) {
		unsigned int best = first;

		for (unsigned int i = first; i < first + group && i < chart->nr_rows; i++)
			if (height(chart, &chart->rows[i]) > height(chart, &chart->rows[best]))
				best = i;
		chart->rows[kept++] = chart->rows[best];
	}
	chart->nr_rows = kept;
}

void charts_finish(struct charts *charts)
{
	for (unsigned int i = 0; i < charts->nr; i++) {
		struct chart *chart = &charts->all[i];

		if (chart->kind != CHART_LINES || !chart->nr_rows)
			continue;
		qsort(chart->rows, chart->nr_rows, sizeof(*chart->rows), compare_rows);
		thin_out(chart);
	}
}
