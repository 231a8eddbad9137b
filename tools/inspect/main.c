// SPDX-License-Identifier: MIT
/*
 * usermm-inspect: the commands `inspect`, `top`, `profile` and `control` of usermm, which runs this
 * program for them. It is a program of its own since it needs libraries that the others do without.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../usermm/arguments.h"
#include "../usermm/inspect_tables.h"
#include "control/entry.h"
#include "entries.h"
#include "profile/entry.h"
#include "show/top.h"
#include "watch/stop.h"
#include "usermm/say.h"

/* usermm answers --help itself. */
int help_command(const struct command *command)
{
	say(stdout, "`usermm help %s` tells more\n", command->name);
	return 0;
}

/* --- top --------------------------------------------------------------------------- */

static bool take_real(const struct command *command, const char *value, double least,
		      double *number)
{
	char *end;

	*number = strtod(value, &end);
	if (*value && !*end && *number >= least && *number <= 1e9)
		return true;
	complain(command, "not a number that is possible here:", value);
	return false;
}

static bool take_option(const struct command *command, int key, const char *value, void *context)
{
	struct top *top = context;
	double number;

	switch (key) {
	case 'b':
		top->batch = true;
		return true;
	case KEY_INSPECT_JSON:
		top->json = true;
		return true;
	case 'n':
		if (!take_real(command, value, 1, &number))
			return false;
		top->rounds = (long)number;
		return true;
	case 'd':
		return take_real(command, value, 0.01, &top->delay_seconds);
	default:
		top->order = cache_order_of(value);
		return true;
	}
}

static const struct command top_command = {
	.name = "top",
	.options = top_option_table,
	.rules = top_rules,
	.take = take_option,
};

static enum inspect_status print_round(struct top *top, struct top_lines *lines,
				       char error[INSPECT_TEXT_BYTES])
{
	json_t *document = NULL;
	enum inspect_status status = top_draw(top, lines, top->json ? &document : NULL, error);

	if (status != INSPECT_OK)
		return status;
	for (size_t i = 0; i < lines->nr; i++)
		puts(lines->lines[i]);
	if (document) {
		json_dumpf(document, stdout, JSON_COMPACT);
		puts("");
		json_decref(document);
	}
	if (!fflush(stdout))
		return INSPECT_OK;
	snprintf(error, INSPECT_TEXT_BYTES, "the output cannot be written");
	return INSPECT_NO_OUTPUT;
}

static enum inspect_status print_rounds(struct top *top, char error[INSPECT_TEXT_BYTES])
{
	struct top_lines lines = { 0 };
	enum inspect_status status = INSPECT_OK;

	for (long round = 1; status == INSPECT_OK && !stopped(); round++) {
		status = print_round(top, &lines, error);
		if (round == top->rounds)
			break;
		stop_poll(NULL, 0, top->delay_seconds);
		if (!top->json && !stopped())
			puts("");
	}
	free(lines.lines);
	return status;
}

static int run_top(int argc, char **argv)
{
	struct top top = { .order = ORDER_BYTES, .delay_seconds = 2 };
	enum inspect_status status = INSPECT_OK;
	char error[INSPECT_TEXT_BYTES] = "";
	int code = take_arguments(&top_command, argc, argv, &top);

	if (code >= 0)
		return code;
	if (argc - optind > 1)
		return complain(&top_command, "unexpected argument", argv[optind + 1]);
	if (optind < argc)
		top.target = argv[optind];
	if (top.target && (!*top.target || top.target[strspn(top.target, "0123456789")])) {
		say(stderr, "usermm top: not a process id: '%s'; `usermm inspect %s caches` shows "
		    "a core\n", top.target, top.target);
		return EXIT_USAGE;
	}
	if (check_given(&top_command, top.target ? FORM_PID : FORM_ALL))
		return EXIT_USAGE;
	stop_on_signals();
	if (top.batch || top.json || !top_screen(&top, &status, error)) {
		/* A script that gives no number gets one picture. */
		if (!top.rounds && !isatty(STDOUT_FILENO) && !top.batch)
			top.rounds = 1;
		status = print_rounds(&top, error);
	}
	top_end();
	if (status != INSPECT_OK)
		say(stderr, "usermm top: %s\n", error);
	return status;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "inspect"))
		return end_output("inspect", inspect_main(argc - 1, argv + 1));
	if (argc > 1 && !strcmp(argv[1], "top"))
		return run_top(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "profile"))
		return profile_main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "control"))
		return end_output("control", control_main(argc - 1, argv + 1));
	if (argc == 3 && !strcmp(argv[1], "numbers"))
		return numbers_serve(argv[2]);
	say(stderr, "usermm-inspect: run `usermm inspect`, `top`, `profile` or `control`\n");
	return EXIT_USAGE;
}
