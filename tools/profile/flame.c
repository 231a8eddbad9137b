// SPDX-License-Identifier: MIT
/*
 * The page: a table of functions, which is there without scripts, too, and the tree of calls as
 * JSON, of which tools/report/page/profile.js draws a flame graph.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"
#include "profile/outputs.h"
#include "report/files.h"
#include "report/page.h"
#include "usermm/command.h"
#include "usermm/say.h"

static const struct {
	const char *name;
	bool is_bytes;
} figures[NR_FIGURES] = {
	[IN_USE_BYTES] = { "in use, bytes", true },
	[IN_USE_BLOCKS] = { "in use, blocks", false },
	[ALLOCATED_BYTES] = { "ever allocated, bytes", true },
	[ALLOCATED_BLOCKS] = { "ever allocated, blocks", false },
};

/* --- Facts --------------------------------------------------------------------------------- */

static void begin_fact(FILE *out, const char *name)
{
	fputs("<tr><th scope=\"row\">", out);
	html_put(out, name);
}

static void put_fact(FILE *out, const char *text)
{
	fputs("<td>", out);
	html_put(out, text);
}

static void put_files(FILE *out, const struct profile *profile, unsigned int nr)
{
	fputs("<thead><tr><th>", out);
	for (unsigned int i = 0; i < nr; i++) {
		fputs(i ? "<th scope=\"col\">before: " : "<th scope=\"col\">", out);
		html_put(out, profile->samples[i].path);
	}
	fputs("</thead>\n<tbody>\n", out);
}

static void put_times(FILE *out, const struct profile *profile, unsigned int nr)
{
	char text[64] = "";
	struct tm parts;

	begin_fact(out, "written");
	for (unsigned int i = 0; i < nr; i++) {
		const struct timespec *written = &profile->samples[i].written;

		if (written->tv_sec && gmtime_r(&written->tv_sec, &parts))
			strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts);
		put_fact(out, text);
	}
	putc('\n', out);
}

static void put_samples(FILE *out, const struct profile *profile, unsigned int nr)
{
	char text[128], size[SIZE_TEXT_BYTES];

	begin_fact(out, "samples");
	for (unsigned int i = 0; i < nr; i++) {
		const struct samples *samples = &profile->samples[i];

		snprintf(text, sizeof(text), "one in %s; %lu of %lu are in use",
			 size_text((double)samples->distance, false, size), samples->nr_in_use,
			 samples->nr_allocated);
		put_fact(out, text);
	}
	putc('\n', out);
}

static void put_sums(FILE *out, const struct profile *profile, unsigned int nr)
{
	char text[128], size[SIZE_TEXT_BYTES];

	for (unsigned int figure = 0; figure < NR_FIGURES; figure += 2) {
		begin_fact(out, figure == IN_USE_BYTES ? "in use" : "ever allocated");
		for (unsigned int i = 0; i < nr; i++) {
			const double *sums = profile->sums[i];

			snprintf(text, sizeof(text), "%s in %.0f blocks",
				 size_text(sums[figure], false, size), sums[figure + 1]);
			put_fact(out, text);
		}
		putc('\n', out);
	}
}

static void put_missing(FILE *out, const struct profile *profile, unsigned int nr)
{
	unsigned int lines = 0;

	for (unsigned int i = 0; i < nr; i++)
		if (profile->samples[i].nr_missing > lines)
			lines = profile->samples[i].nr_missing;
	for (unsigned int line = 0; line < lines; line++) {
		begin_fact(out, "missing");
		for (unsigned int i = 0; i < nr; i++)
			put_fact(out, line < profile->samples[i].nr_missing ?
				      profile->samples[i].missing[line] : "");
		putc('\n', out);
	}
}

static void put_facts(FILE *out, const struct profile *profile)
{
	unsigned int nr = profile_has_before(profile) ? 2 : 1;

	fputs("<section><h2>Where the figures are from</h2>\n<div class=\"table\"><table>\n", out);
	put_files(out, profile, nr);
	put_times(out, profile, nr);
	put_samples(out, profile, nr);
	put_sums(out, profile, nr);
	put_missing(out, profile, nr);
	fputs("</tbody></table></div></section>\n", out);
}

/* --- The table ----------------------------------------------------------------------------- */

static void put_figures(FILE *out, const char *name, const double *values)
{
	fprintf(out, " data-%s=\"%.0f %.0f %.0f %.0f\"", name, values[0], values[1], values[2],
		values[3]);
}

static void put_cell(FILE *out, double value, bool is_growth, bool is_bytes)
{
	char text[SIZE_TEXT_BYTES];

	if (is_bytes)
		fprintf(out, "<td>%s", size_text(value, is_growth, text));
	else
		fprintf(out, is_growth ? "<td>%+.0f" : "<td>%.0f", value);
}

static void put_row(FILE *out, const struct profile *profile, const struct function *function,
		    enum figure figure)
{
	bool has_before = profile_has_before(profile), is_bytes = figures[figure].is_bytes;

	fputs("<tr", out);
	put_figures(out, "self", function->self[NOW]);
	put_figures(out, "total", function->total[NOW]);
	if (has_before) {
		put_figures(out, "self-before", function->self[BEFORE]);
		put_figures(out, "total-before", function->total[BEFORE]);
	}
	fputs("><th scope=\"row\" title=\"", out);
	html_put(out, function->name);
	if (function->file) {
		fputs("\n", out);
		html_put(out, function->file);
		fprintf(out, ":%d", function->line);
	}
	fputs("\">", out);
	html_put(out, function->name);
	if (has_before) {
		put_cell(out, function->self[NOW][figure] - function->self[BEFORE][figure], true,
			 is_bytes);
		put_cell(out, function->total[NOW][figure] - function->total[BEFORE][figure],
			 true, is_bytes);
	}
	put_cell(out, function->self[NOW][figure], false, is_bytes);
	put_cell(out, function->total[NOW][figure], false, is_bytes);
	putc('\n', out);
}

static void put_table(FILE *out, const struct profile *profile, enum figure figure,
		      unsigned int most)
{
	unsigned int nr, *ranking = profile_ranking(profile, figure, &nr);

	fputs("<div class=\"table\"><table id=\"functions\">\n<thead><tr><th "
	      "scope=\"col\">function", out);
	if (profile_has_before(profile))
		fputs("<th scope=\"col\">growth, self<th scope=\"col\">growth, total", out);
	fputs("<th scope=\"col\">self<th scope=\"col\">total</thead>\n<tbody>\n", out);
	for (unsigned int i = 0; i < nr && i < most; i++)
		put_row(out, profile, &profile->functions[ranking[i]], figure);
	fputs("</tbody></table></div>\n", out);
	if (nr > most)
		fprintf(out, "<p><small>The table lacks %u functions with less; `usermm profile "
			"--rows` sets how many it has.</small></p>\n", nr - most);
	free(ranking);
}

/* --- The tree ------------------------------------------------------------------------------ */

/* A string of JSON, in which no "</script>" can stand. */
static void put_string(FILE *out, const char *text)
{
	char clean[2048];

	say_clean(clean, sizeof(clean), text);
	putc('"', out);
	for (const char *at = clean; *at; at++)
		if (strchr("\"\\<", *at))
			fprintf(out, "\\u%04x", (unsigned char)*at);
		else
			putc(*at, out);
	putc('"', out);
}

static void put_values(FILE *out, const double *values)
{
	bool has_some = false;

	for (unsigned int i = 0; i < NR_FIGURES; i++)
		has_some |= values[i] > 0;
	if (has_some)
		fprintf(out, ",[%.0f,%.0f,%.0f,%.0f]", values[0], values[1], values[2], values[3]);
	else
		fputs(",0", out);
}

/* [function, self, callees] or [function, self, callees, self before]; 0 stands for no figures. */
static void put_node(FILE *out, const struct node *node, bool has_before)
{
	fprintf(out, "[%u", node->function);
	put_values(out, node->self[NOW]);
	fputs(",[", out);
	for (const struct node *callee = node->callees; callee; callee = callee->next) {
		put_node(out, callee, has_before);
		if (callee->next)
			fputs(",\n", out);
	}
	putc(']', out);
	if (has_before)
		put_values(out, node->self[BEFORE]);
	putc(']', out);
}

static void put_tree(FILE *out, const struct profile *profile)
{
	fputs("<script type=\"application/json\" id=\"calls\">\n{\"names\":[", out);
	for (unsigned int i = 0; i < profile->nr_functions; i++) {
		put_string(out, profile->functions[i].name);
		if (i + 1 < profile->nr_functions)
			fputs(",\n", out);
	}
	fprintf(out, "],\n\"hasBefore\":%s,\n\"root\":",
		profile_has_before(profile) ? "true" : "false");
	put_node(out, profile->root, profile_has_before(profile));
	fputs("}\n</script>\n", out);
}

/* --- The page ------------------------------------------------------------------------------ */

static void put_controls(FILE *out, const struct profile *profile, enum figure figure)
{
	fputs("<p class=\"controls\" hidden><label>figure <select id=\"figure\">", out);
	for (unsigned int i = 0; i < NR_FIGURES; i++)
		fprintf(out, "<option value=\"%u\"%s>%s</option>", i,
			i == figure ? " selected" : "", figures[i].name);
	fputs("</select></label>\n", out);
	if (profile_has_before(profile))
		fputs("<label>widths <select id=\"widths\"><option value=\"growth\">what grew"
		      "</option><option value=\"now\">now</option><option value=\"before\">before"
		      "</option></select></label>\n", out);
	fputs("<label>find <input type=\"search\" id=\"find\"></label>\n"
	      "<button type=\"button\" id=\"whole\">whole graph</button></p>\n"
	      "<p id=\"details\"></p>\n", out);
}

static void put_body(FILE *out, const struct profile *profile, enum figure figure,
		     unsigned int most)
{
	put_facts(out, profile);
	fprintf(out, "<section><h2>%s</h2>\n", profile_has_before(profile) ?
		"What grew, by the functions that asked for it" :
		"Who has the heap");
	put_controls(out, profile, figure);
	fputs("<div class=\"pair\"><div class=\"plot\" id=\"flame\"></div>\n", out);
	put_table(out, profile, figure, most);
	fputs("</div></section>\n", out);
	put_tree(out, profile);
}

int write_flame(const struct command *command, const struct profile *profile, enum figure figure,
		unsigned int most, const char *path)
{
	static const struct page_parts parts = {
		.styles = { "report.css", "profile.css" },
		.licences = { "d3.LICENSE", "d3-flame-graph.LICENSE" },
		.scripts = { "theme.js", "d3.min.js", "d3-flamegraph.umd.min.js", "profile.js" },
	};
	char failed[PATH_MAX + 32] = "";
	struct page page = { .folder = report_parts(), .parts = &parts, .failed = failed,
			     .failed_bytes = sizeof(failed) };
	struct output output;
	int status;

	if (!page.folder)
		return file_complain(command, "share/usermm/report", NO_PAGE_PARTS,
				     EXIT_NO_LIBRARY);
	status = output_open(&output, command, path);
	page.out = output.to;
	if (!status && page_begin(&page, "usermm: heap profile"))
		status = file_complain(command, failed, strerror(errno), EXIT_NO_LIBRARY);
	if (!status) {
		put_body(page.out, profile, figure, most);
		if (page_end(&page))
			status = file_complain(command, failed, strerror(errno), EXIT_NO_LIBRARY);
	}
	return output_close(&output, status);
}
