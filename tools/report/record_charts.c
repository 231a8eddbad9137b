// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/chart.h"

#define MIB (1024.0 * 1024.0)

bool record_is(const struct json *head)
{
	return json_is_object(head) && !isnan(json_number(head, "usermm_record"));
}

void record_charts_head(struct charts *charts, const struct json *head, const char *label)
{
	char number[40];
	const char *text;

	for (const struct json *fact = json_first(head); fact; fact = json_next(fact)) {
		if (!strcmp(json_name(fact), "usermm_record"))
			continue;
		snprintf(number, sizeof(number), "%.10g", json_number(head, json_name(fact)));
		charts_add_fact(charts, label, json_name(fact),
				json_is_text(fact, &text) ? text : number);
	}
}

/* "rss_bytes" -> "rss", in MiB; another number as it is. False: not for a chart. */
static bool read_member(const struct json *sample, const struct json *member, char name[64],
			double *value)
{
	const char *end = strstr(json_name(member), "_bytes");

	*value = json_number(sample, json_name(member));
	if (isnan(*value) || !end || end[6])
		return false;
	*value /= MIB;
	snprintf(name, 64, "%.*s", (int)(end - json_name(member)), json_name(member));
	return true;
}

static void add_memory(struct charts *charts, const struct json *of, const char *time,
		       const char *label, const char *title)
{
	char name[64];
	double value;

	for (const struct json *member = json_first(of); member; member = json_next(member))
		if (read_member(of, member, name, &value))
			chart_add(charts_chart(charts, CHART_LINES, label, title, "seconds", "MiB"),
				  time, name, value, 0);
}

static void add_rate(struct charts *charts, const struct json *sample, const char *time,
		     const char *label, const char *name, const char *title, const char *unit)
{
	double value = json_number(sample, name);

	if (!isnan(value))
		chart_add(charts_chart(charts, CHART_LINES, label, title, "seconds", unit), time,
			  name, value, 0);
}

void record_charts_sample(struct charts *charts, const struct json *sample, const char *label,
			  bool compare)
{
	double at = json_number(sample, "time_seconds"), rss = json_number(sample, "rss_bytes");
	char time[40];

	if (isnan(at))
		return;
	snprintf(time, sizeof(time), "%.3f", at);
	if (compare && !isnan(rss))
		chart_add(charts_chart(charts, CHART_LINES, "all "
							    "processes", "rss", "seconds", "MiB"),
			  time, label, rss / MIB, 0);
	add_memory(charts, sample, time, label, "memory");
	add_memory(charts, json_member(sample, "caches"), time, label, "caches");
	add_rate(charts, sample, time, label, "cpu_percent", "processor time", "percent");
	add_rate(charts, sample, time, label, "page_faults", "page faults since the last sample",
		 "faults");
	add_rate(charts, sample, time, label, "threads", "threads", "threads");
}
