// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/chart.h"

#define NAME_BYTES 200

bool bench_is(const struct json *file)
{
	return json_is_object(file) && json_is_object(json_member(file, "machine")) &&
	       json_is_object(json_member(file, "suites"));
}

/* What tells the row from others of its name: the file's label, and texts like its allocator. */
static void series_name(const struct json *row, const char *label, char name[NAME_BYTES])
{
	size_t used = (size_t)snprintf(name, NAME_BYTES, "%s", label);
	const char *text;

	for (const struct json *member = json_first(row); member; member = json_next(member)) {
		if (!json_is_text(member, &text) || !strcmp(json_name(member), "name") ||
		    used >= NAME_BYTES)
			continue;
		used += (size_t)snprintf(name + used, NAME_BYTES - used, " %s", text);
	}
}

/* Has the suite rows of one step alone? Then the rows' names are the categories of one chart. */
static bool has_one_step(const struct json *rows)
{
	for (const struct json *row = json_first(rows); row; row = json_next(row))
		if (json_number(row, "step") != json_number(json_first(rows), "step"))
			return false;
	return true;
}

static void add_row(struct charts *charts, const struct json *row, const char *suite,
		    bool one_step, const char *label, const char *unit)
{
	double value = json_number(row, unit), percent = json_number(row, "spread_percent");
	const char *name = json_text(row, "name");
	char series[NAME_BYTES], step[40];
	struct chart *chart;

	if (!json_is_object(row) || isnan(value))
		return;
	series_name(row, label, series);
	snprintf(step, sizeof(step), "%.0f", json_number(row, "step"));
	chart = charts_chart(charts, CHART_BARS, suite, one_step ? suite : name,
			     one_step ? "" : "step", unit);
	chart_add(chart, one_step ? name : step, series, value,
		  isnan(percent) ? 0 : value * percent / 200);
}

static void add_machine(struct charts *charts, const struct json *machine, const char *label)
{
	char number[40];
	const char *text;

	for (const struct json *fact = json_first(machine); fact; fact = json_next(fact)) {
		double value = json_number(machine, json_name(fact));

		if (json_is_text(fact, &text)) {
			charts_add_fact(charts, label, json_name(fact), text);
		} else if (!isnan(value)) {
			snprintf(number, sizeof(number), "%.10g", value);
			charts_add_fact(charts, label, json_name(fact), number);
		}
	}
}

const char *bench_charts(struct charts *charts, const struct json *file, const char *label,
			 const char *unit)
{
	const struct json *suites = json_member(file, "suites");
	bool any = false;

	add_machine(charts, json_member(file, "machine"), label);
	for (const struct json *suite = json_first(suites); suite; suite = json_next(suite)) {
		bool one_step = has_one_step(suite);

		for (const struct json *row = json_first(suite); row; row = json_next(row)) {
			any = any || !isnan(json_number(row, unit));
			add_row(charts, row, json_name(suite), one_step, label, unit);
		}
	}
	return any ? NULL : "no row has such a figure";
}
