// SPDX-License-Identifier: MIT
#include "report/html.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "report/page.h"

/* A whole number as it is, another one with three digits: "3", "0.123", "12.3", "1234". */
static void put_number(FILE *out, double value)
{
	double size = fabs(value);
	int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;

	fprintf(out, "%.*f", size == floor(size) ? 0 : decimals, value);
}

static void put_cell(FILE *out, const struct chart_cell *cell)
{
	double median, low, high;

	if (!chart_cell(cell, &median, &low, &high)) {
		fputs("<td>-", out);
		return;
	}
	fprintf(out, "<td data-value=\"%.8g\"", median);
	if (high > low)
		fprintf(out, " data-low=\"%.8g\" data-high=\"%.8g\"", low, high);
	putc('>', out);
	put_number(out, median);
	if (high > low) {
		fputs(" <small>", out);
		put_number(out, low);
		fputs("&ndash;", out);
		put_number(out, high);
		fputs("</small>", out);
	}
}

static void put_table(FILE *out, const struct chart *chart)
{
	fputs("<div class=\"table\"><table>\n<thead><tr><th scope=\"col\">", out);
	html_put(out, chart->x_label);
	for (unsigned int i = 0; i < chart->nr_series; i++) {
		fputs("<th scope=\"col\">", out);
		html_put(out, chart->series[i]);
	}
	fputs("</thead>\n<tbody>\n", out);
	for (unsigned int row = 0; row < chart->nr_rows; row++) {
		fputs("<tr><th scope=\"row\">", out);
		html_put(out, chart->rows[row].name);
		for (unsigned int i = 0; i < chart->nr_series; i++)
			put_cell(out, &chart->rows[row].cells[i]);
		putc('\n', out);
	}
	fputs("</tbody></table></div>\n", out);
}

static void put_chart(FILE *out, const struct chart *chart)
{
	fprintf(out, "<figure class=\"chart\" data-kind=\"%s\" data-unit=\"",
		chart->kind == CHART_BARS ? "bars" : "lines");
	html_put(out, chart->unit);
	fputs("\" data-x=\"", out);
	html_put(out, chart->x_label);
	fputs("\"><figcaption>", out);
	html_put(out, chart->title);
	fputs(" <small>", out);
	html_put(out, chart->unit);
	fputs("</small></figcaption>\n<div class=\"pair\"><div class=\"plot\"></div>\n", out);
	put_table(out, chart);
	fputs("</div></figure>\n", out);
}

/* Charts of a section stand together, in the order in which the sections came. */
static void put_charts(FILE *out, const struct charts *charts)
{
	for (unsigned int i = 0; i < charts->nr; i++) {
		const char *section = charts->all[i].section;
		bool is_first = true;

		for (unsigned int j = 0; j < i; j++)
			is_first = is_first && strcmp(charts->all[j].section, section);
		if (!is_first)
			continue;
		fputs("<section><h2>", out);
		html_put(out, section);
		fputs("</h2>\n", out);
		for (unsigned int j = i; j < charts->nr; j++)
			if (!strcmp(charts->all[j].section, section))
				put_chart(out, &charts->all[j]);
		fputs("</section>\n", out);
	}
}

static const char *fact_of(const struct charts *charts, const char *label, const char *name)
{
	for (unsigned int i = 0; i < charts->nr_facts; i++)
		if (!strcmp(charts->facts[i].label, label) && !strcmp(charts->facts[i].name, name))
			return charts->facts[i].value;
	return "";
}

/* Is fact i the first with its label (or with its name)? */
static bool is_new(const struct charts *charts, unsigned int i, bool by_label)
{
	for (unsigned int j = 0; j < i; j++)
		if (by_label ? !strcmp(charts->facts[j].label, charts->facts[i].label) :
			       !strcmp(charts->facts[j].name, charts->facts[i].name))
			return false;
	return true;
}

static void put_facts(FILE *out, const struct charts *charts)
{
	fputs("<section><h2>Where the figures are from</h2>\n<div class=\"table\"><table>\n"
	      "<thead><tr><th>", out);
	for (unsigned int i = 0; i < charts->nr_facts; i++)
		if (is_new(charts, i, true)) {
			fputs("<th scope=\"col\">", out);
			html_put(out, charts->facts[i].label);
		}
	fputs("</thead>\n<tbody>\n", out);
	for (unsigned int i = 0; i < charts->nr_facts; i++) {
		if (!is_new(charts, i, false))
			continue;
		fputs("<tr><th scope=\"row\">", out);
		html_put(out, charts->facts[i].name);
		for (unsigned int j = 0; j < charts->nr_facts; j++)
			if (is_new(charts, j, true)) {
				fputs("<td>", out);
				html_put(out, fact_of(charts, charts->facts[j].label,
						      charts->facts[i].name));
			}
		putc('\n', out);
	}
	fputs("</tbody></table></div></section>\n", out);
}

int html_write(FILE *out, const struct charts *charts, const char *title, const char *folder,
	       char *part, size_t part_bytes)
{
	static const struct page_parts parts = {
		.styles = { "uPlot.min.css", "report.css" },
		.licences = { "uPlot.LICENSE" },
		.scripts = { "theme.js", "uPlot.iife.min.js", "report.js" },
	};
	struct page page = { .out = out, .folder = folder, .parts = &parts, .failed = part,
			     .failed_bytes = part_bytes };

	if (page_begin(&page, title))
		return -1;
	put_facts(out, charts);
	put_charts(out, charts);
	return page_end(&page);
}
