// SPDX-License-Identifier: MIT
/* usermm profile: a heap profile as text, a page with a flame graph, or pprof's form. */
#include <stdio.h>
#include <string.h>

#include "profile/entry.h"
#include "profile/outputs.h"
#include "usermm/arguments.h"
#include "usermm/inspect_tables.h"
#include "usermm/say.h"

#define TEXT_ROWS 40u
#define PAGE_ROWS 500u
#define ROWS_MAX 1000000u

struct wishes {
	const char *output;
	bool json;
	enum figure figure;
	unsigned long rows;	/* 0: as many as is usual */
};

static bool take_option(const struct command *command, int key, const char *value, void *context)
{
	struct wishes *wishes = context;

	switch (key) {
	case KEY_PROFILE_ALLOCATED:
		wishes->figure = ALLOCATED_BYTES;
		return true;
	case KEY_PROFILE_ROWS:
		return take_number(command, "rows", value, ROWS_MAX, &wishes->rows);
	case KEY_INSPECT_JSON:
		wishes->json = true;
		return true;
	default:
		wishes->output = value;
		return true;
	}
}

static const struct command profile_command = {
	.name = "profile",
	.options = profile_option_table,
	.rules = profile_rules,
	.take = take_option,
};

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strcmp(text + length - end_length, end);
}

static bool is_pprof(const char *path)
{
	return ends_in(path, ".pb") || ends_in(path, ".pb.gz");
}

/* The form of the output, as the options name it. */
static const char *form_of(const struct wishes *wishes)
{
	if (!wishes->output)
		return wishes->json ? FORM_JSON : FORM_TEXT;
	return is_pprof(wishes->output) ? FORM_PPROF : FORM_PAGE;
}

/* 0, or the exit status after a message. */
static int check_words(int nr_words, const struct wishes *wishes)
{
	const char *wrong = NULL;

	if (!nr_words)
		wrong = "no profile given";
	else if (nr_words > 2)
		wrong = "more than two profiles given";
	else if (wishes->output && !ends_in(wishes->output, ".html") && !is_pprof(wishes->output))
		wrong = "the name behind -o has to end in .html, .pb or .pb.gz";
	if (!wrong)
		return check_given(&profile_command, form_of(wishes));
	say(stderr, "usermm profile: %s; usage: usermm profile FILE [OLD_FILE] [-o FILE]\n",
	    wrong);
	return EXIT_USAGE;
}

static int write_profile(const struct profile *profile, const struct wishes *wishes)
{
	unsigned int rows = (unsigned int)wishes->rows;

	if (wishes->json)
		return write_json(profile, wishes->figure, rows ? rows : ROWS_MAX);
	if (!wishes->output)
		return write_text(profile, wishes->figure, rows ? rows : TEXT_ROWS);
	if (is_pprof(wishes->output))
		return write_pprof(&profile_command, profile, wishes->output);
	return write_flame(&profile_command, profile, wishes->figure, rows ? rows : PAGE_ROWS,
			   wishes->output);
}

int profile_main(int argc, char **argv)
{
	struct wishes wishes = { .figure = IN_USE_BYTES };
	int status = take_arguments(&profile_command, argc, argv, &wishes);
	struct profile profile;

	if (status >= 0)
		return status;
	status = check_words(argc - optind, &wishes);
	if (status)
		return status;
	status = profile_read(&profile_command, argv[optind],
			      optind + 1 < argc ? argv[optind + 1] : NULL, &profile);
	for (unsigned int i = 0; !status && i < NR_TIMES; i++)
		if (profile.code[i])
			code_warn(profile.code[i], &profile_command, &profile.samples[i].written);
	if (!status)
		status = end_output(profile_command.name, write_profile(&profile, &wishes));
	profile_free(&profile);
	return status;
}
