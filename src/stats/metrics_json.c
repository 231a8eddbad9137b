/* SPDX-License-Identifier: MIT */
/*
 * The metrics as JSON (RFC 8259): an object that contains the tables. It is one line, so a file
 * to which several programs write has one document in each line.
 */
#include "stats/metrics.h"
#include "stats/report.h"
#include "usermm/stats.h"

struct json {
	struct fmt_writer *out;
	const struct metric_table *table;
	const char *separator;	/* before the next member of what is open */
};

static void print_key(struct json *json, const char *key)
{
	fmt_print(json->out, "%s\"%s\":", json->separator, key);
	json->separator = ",";
}

static void print_labels(struct json *json, const struct metric_row *row)
{
	for (unsigned int i = 0; i < METRIC_LABELS_MAX; i++) {
		const struct metric_label *label = &json->table->labels[i];

		if (!row->labels[i])
			continue;
		print_key(json, label->key);
		if (label->is_number)
			fmt_print(json->out, "%s", row->labels[i]);
		else
			metric_print_quoted(json->out, row->labels[i], true);
	}
}

static void print_metric(struct json *json, const struct metric *metric,
			 const struct metric_row *row)
{
	print_key(json, metric->name);
	if (!metric->nr) {
		fmt_print(json->out, "%lu", metric_value(metric, row, 0));
		return;
	}
	for (unsigned int i = 0; i < metric->nr; i++)
		fmt_print(json->out, "%c%lu", i ? ',' : '[', metric_value(metric, row, i));
	fmt_print(json->out, "]");
}

static void print_row(const struct metric_row *row, void *arg)
{
	struct json *json = arg;

	if (json->table->has_rows) {
		fmt_print(json->out, "%s{", json->separator);
		json->separator = "";
	}
	print_labels(json, row);
	for (unsigned int i = 0; i < json->table->nr_metrics; i++)
		print_metric(json, &json->table->metrics[i], row);
	if (json->table->has_rows)
		fmt_print(json->out, "}");
}

static void print_table(struct json *json, const struct metric_table *table)
{
	print_key(json, table->name);
	fmt_print(json->out, table->has_rows ? "[" : "{");
	json->table = table;
	json->separator = "";
	table->walk(print_row, json);
	fmt_print(json->out, table->has_rows ? "]" : "}");
	json->separator = ",";
}

void stats_print_json(struct fmt_writer *out)
{
	struct json json = { .out = out, .separator = "" };

	fmt_print(out, "{");
	for (unsigned int i = 0; i < NR_METRIC_TABLES; i++)
		print_table(&json, &metric_tables[i]);
	fmt_print(out, "}\n");
}

void usermm_print_json(int fd)
{
	fmt_print_to(fd, stats_print_json);
}
