/* SPDX-License-Identifier: MIT */
/*
 * The metrics in Prometheus' text format, version 0.0.4: HELP and TYPE of a metric, then all
 * its samples. The names of counters end in _total.
 */
#include "stats/metrics.h"
#include "stats/report.h"
#include "usermm/stats.h"

struct prometheus {
	struct fmt_writer *out;
	const struct metric_table *table;
	const struct metric *metric;	/* whose samples are written */
};

static void print_name(struct prometheus *page)
{
	fmt_print(page->out, "usermm_%s%s%s", page->table->prefix, page->metric->name,
		  page->metric->is_counter ? "_total" : "");
}

static void print_head(struct prometheus *page)
{
	fmt_print(page->out, "# HELP ");
	print_name(page);
	fmt_print(page->out, " %s\n# TYPE ", page->metric->help);
	print_name(page);
	fmt_print(page->out, " %s\n", page->metric->is_counter ? "counter" : "gauge");
}

static void print_sample(struct prometheus *page, const struct metric_row *row, unsigned int index)
{
	char open = '{';

	print_name(page);
	for (unsigned int i = 0; i < METRIC_LABELS_MAX; i++) {
		if (!row->labels[i])
			continue;
		fmt_print(page->out, "%c%s=", open, page->table->labels[i].label);
		metric_print_quoted(page->out, row->labels[i], false);
		open = ',';
	}
	if (page->metric->nr) {
		fmt_print(page->out, "%c%s=\"%u\"", open, page->metric->index, index);
		open = ',';
	}
	fmt_print(page->out, "%s%lu\n", open == ',' ? "} " : " ",
		  metric_value(page->metric, row, index));
}

static void print_samples(const struct metric_row *row, void *arg)
{
	struct prometheus *page = arg;

	print_sample(page, row, 0);
	for (unsigned int i = 1; i < page->metric->nr; i++)
		print_sample(page, row, i);
}

/* For a table of one row, which is read only once. */
static void print_only_row(const struct metric_row *row, void *arg)
{
	struct prometheus *page = arg;

	for (unsigned int i = 0; i < page->table->nr_metrics; i++) {
		page->metric = &page->table->metrics[i];
		print_head(page);
		print_samples(row, page);
	}
}

static void print_table(struct prometheus *page)
{
	if (!page->table->has_rows) {
		page->table->walk(print_only_row, page);
		return;
	}
	for (unsigned int i = 0; i < page->table->nr_metrics; i++) {
		page->metric = &page->table->metrics[i];
		print_head(page);
		page->table->walk(print_samples, page);
	}
}

void stats_print_prometheus(struct fmt_writer *out)
{
	struct prometheus page = { .out = out };

	for (unsigned int i = 0; i < NR_METRIC_TABLES; i++) {
		page.table = &metric_tables[i];
		print_table(&page);
	}
}

void usermm_print_prometheus(int fd)
{
	fmt_print_to(fd, stats_print_prometheus);
}
