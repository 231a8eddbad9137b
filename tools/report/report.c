// SPDX-License-Identifier: MIT
/* usermm report: one page of plots and tables, from files of `usermm bench` and `usermm record`. */
#define _GNU_SOURCE
#include "report/chart.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "bench/progress.h"
#include "report/files.h"
#include "report/html.h"
#include "report/page.h"
#include "usermm/arguments.h"
#include "usermm/command.h"
#include "usermm/say.h"

#define DEFAULT_TITLE "usermm: benchmarks and samples"

/* What the files are of, as its rules name it. */
#define FORM_FIGURES "files of `usermm bench`"
#define FORM_SAMPLES "samples alone"

enum { KEY_TITLE = 256, KEY_FIGURE };

struct wishes {
	const char *output, *title, *figure;
	bool has_figures;		/* a file is of `usermm bench` */
};

/* The file, and the label under which its figures are shown. */
struct input {
	const char *path;
	char label[NAME_MAX + 1];
	char *text;
	size_t length;
};

/* "LABEL=FILE", or a file whose name without folder and suffix is its label. */
static void find_label(struct input *input, const char *word)
{
	const char *equals = strchr(word, '='), *slash;
	size_t length;

	input->path = word;
	if (equals && equals > word && access(word, F_OK)) {
		input->path = equals + 1;
		snprintf(input->label, sizeof(input->label), "%.*s", (int)(equals - word), word);
		return;
	}
	slash = strrchr(word, '/');
	slash = slash ? slash + 1 : word;
	length = strcspn(slash, ".");
	snprintf(input->label, sizeof(input->label), "%.*s", (int)length, length ? slash : "file");
}

static int read_input(struct input *input)
{
	return file_read(&command_report, input->path, &input->text, &input->length);
}

static int bad_input(const struct input *input, unsigned int line, const char *wrong)
{
	say(stderr, "usermm report: %s: line %u has %s; give files of `usermm bench --json` and "
	    "`usermm record`\n", input->path, line, wrong);
	return EXIT_BAD_INPUT;
}

/* The lines of a record behind its head. A last line without an end is one that was cut off. */
static int add_samples(struct charts *charts, const struct input *input, const char *at,
		       bool compare)
{
	const char *end = input->text + input->length, *line_end, *wrong;
	unsigned int number = 2, line;

	for (; at < end && (line_end = memchr(at, '\n', (size_t)(end - at)));
	     at = line_end + 1, number++) {
		struct json *sample = json_read(at, (size_t)(line_end - at), &line, &wrong);

		if (!sample)
			return bad_input(input, number, wrong);
		record_charts_sample(charts, sample, input->label, compare);
		json_free(sample);
		progress_tick();
	}
	return 0;
}

/* Is the file's first line the head of a record? Then its charts are added. -1: it is not. */
static int add_record(struct charts *charts, const struct input *input, bool compare)
{
	const char *line_end = memchr(input->text, '\n', input->length), *wrong;
	struct json *head;
	unsigned int line;
	int code = -1;

	if (!line_end)
		return -1;
	head = json_read(input->text, (size_t)(line_end - input->text), &line, &wrong);
	if (record_is(head)) {
		record_charts_head(charts, head, input->label);
		code = add_samples(charts, input, line_end + 1, compare);
	}
	json_free(head);
	return code;
}

static int add_bench(struct charts *charts, const struct input *input, const char *figure)
{
	const char *wrong;
	unsigned int line;
	struct json *file = json_read(input->text, input->length, &line, &wrong);

	if (!file)
		return bad_input(input, line, wrong);
	wrong = "neither figures nor samples";
	if (bench_is(file))
		wrong = bench_charts(charts, file, input->label, figure);
	json_free(file);
	if (!wrong)
		return 0;
	say(stderr, "usermm report: %s: %s; give files of `usermm bench --json` and `usermm "
	    "record`\n", input->path, wrong);
	return EXIT_BAD_INPUT;
}

static int add_input(struct charts *charts, const char *word, struct wishes *wishes, bool compare)
{
	struct input input = { 0 };
	int code;

	find_label(&input, word);
	code = read_input(&input);
	if (!code) {
		code = add_record(charts, &input, compare);
		wishes->has_figures |= code < 0;
		if (code < 0)
			code = add_bench(charts, &input, wishes->figure);
	}
	free(input.text);
	return code;
}

static int write_page(const struct charts *charts, const struct wishes *wishes)
{
	char part[PATH_MAX + 32] = "";
	const char *folder = report_parts();
	struct output output;
	int code;

	if (!folder)
		return file_complain(&command_report, "share/usermm/report", NO_PAGE_PARTS,
				     EXIT_NO_LIBRARY);
	code = output_open(&output, &command_report, wishes->output);
	if (!code && html_write(output.to, charts, wishes->title, folder, part, sizeof(part)))
		code = file_complain(&command_report, part, strerror(errno), EXIT_NO_LIBRARY);
	return output_close(&output, code);
}

static int run_report(int argc, char **argv)
{
	struct wishes wishes = { .title = DEFAULT_TITLE, .figure = "ns" };
	struct charts charts = { 0 };
	int code = take_arguments(&command_report, argc, argv, &wishes);

	if (code >= 0)
		return code;
	if (optind == argc || !wishes.output) {
		say(stderr, "usermm report: no %s given; usage: usermm report %s -o FILE\n",
		    wishes.output ? "file" : "output (-o)", command_report.words);
		return EXIT_USAGE;
	}
	progress_begin(stderr);
	for (int i = optind; i < argc; i++) {
		progress_show(argv[i], (unsigned int)(i - optind) + 1,
			      (unsigned int)(argc - optind));
		code = add_input(&charts, argv[i], &wishes, argc - optind > 1);
		progress_clear();
		if (code)
			return code;
	}
	code = check_given(&command_report, wishes.has_figures ? FORM_FIGURES : FORM_SAMPLES);
	if (code)
		return code;
	charts_finish(&charts);
	return write_page(&charts, &wishes);
}

static bool take_option(const struct command *command, int key, const char *value, void *context)
{
	struct wishes *wishes = context;

	(void)command;
	if (key == 'o')
		wishes->output = value;
	else if (key == KEY_TITLE)
		wishes->title = value;
	else
		wishes->figure = value;
	return true;
}

static const struct command_option option_table[] = {
	{ 'o', "output", "FILE", "where to write the page; `-` is standard output" },
	{ KEY_TITLE, "title", "TEXT", "the page's title" },
	{ KEY_FIGURE, "figure", "NAME",
	  "which number of the benchmarks' rows to show: ns (the default), cycles, instructions or "
	  "another" },
	{ 0 },
};

static const struct command_rule rules[] = {
	{ KEY_FIGURE, FORM_FIGURES, 0, NULL },
	{ 0 },
};

static const struct command_exit exits[] = {
	{ .meaning = "the page is written" },
	EXITS_OF_PAGES,
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm report old.json new.json -o report.html", "two builds or machines side by side" },
	{ "usermm report old=1.json old=2.json new=3.json -o report.html",
	  "two runs of the old build are one series, whose bars show how far they differ" },
	{ "usermm report server.record -o report.html", "a process over time" },
	{ 0 },
};

const struct command command_report = {
	.name = "report",
	.words = "[LABEL=]FILE...",
	.summary = "make a page of plots from figures and samples",
	.text = "Writes one page of HTML from files that `usermm bench --json` and `usermm "
		"record` made. Figures of several files stand side by side as bars; a bar's thin "
		"line is the range in which the values lie. Samples are lines over time. A table "
		"with the same numbers is beside each plot.\n\n"
		"LABEL names a file's figures in the page; without one, the file's name without "
		"folder and suffix does. Files with the same label are runs of the same thing: a "
		"bar shows their median.\n\n"
		"The page needs no network and no other file. It follows the browser's dark or "
		"light setting. The plots are drawn by uPlot (MIT licence), which is inside of "
		"the page.",
	.options = option_table,
	.rules = rules,
	.exits = exits,
	.examples = examples,
	.take = take_option,
	.run = run_report,
};
