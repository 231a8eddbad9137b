// SPDX-License-Identifier: MIT
/* usermm inspect: looks into a process or a core from outside. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../usermm/arguments.h"
#include "../usermm/inspect_tables.h"
#include "base/compiler.h"
#include "entries.h"
#include "leaks.h"
#include "show/show.h"
#include "usermm/say.h"

/* In JSON; a text shows as many as have their first bytes. */
#define ADDRESSES_DEFAULT 100000

/* A number of at most 64 bits, without a sign. */
static bool read_number(const char *text, int base, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, base);
	return isxdigit((unsigned char)*text) && !*end && !errno;
}

static bool take_option(const struct command *command, int key, const char *value, void *context)
{
	struct view *view = context;

	switch (key) {
	case KEY_INSPECT_JSON:
		view->json = true;
		return true;
	case KEY_INSPECT_SORT:
		view->sort = value;
		return true;
	case KEY_INSPECT_ADDRESSES:
		if (read_number(value, 10, &view->addresses_max))
			return true;
		complain(command, "--addresses takes a number, not", value);
		return false;
	default:
		view->output = value;
		return true;
	}
}

static const struct command inspect_command = {
	.name = "inspect",
	.options = inspect_option_table,
	.rules = inspect_rules,
	.take = take_option,
};

static const struct {
	const char *name;
	show_fn *show;
} commands[] = {
	{ "summary", show_summary }, { "caches", show_caches }, { "zones", show_zones },
	{ "options", show_options }, { "whatis", show_whatis }, { "owners", show_owners },
	{ "verify", show_verify }, { "leaks", show_leaks }, { "map", show_map },
};

static show_fn *find_command(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].show;
	return NULL;
}

static int unknown_command(const char *name)
{
	say(stderr, "usermm inspect: unknown command '%s'; there are:", name);
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
		say(stderr, " %s", commands[i].name);
	say(stderr, "\n");
	return EXIT_USAGE;
}

/* The words behind the options: TARGET [COMMAND [ADDRESS]]. 0, or an exit status. */
static int take_words(int nr, char **words, struct view *view, show_fn **show)
{
	*show = show_summary;
	if (!nr) {
		say(stderr, "usermm inspect: no target given; usage: usermm inspect PID|CORE "
		    "[COMMAND]\n");
		return EXIT_USAGE;
	}
	if (nr > 1)
		*show = find_command(words[1]);
	if (!*show)
		return unknown_command(words[1]);
	if (nr > 3 || (nr == 3 && *show != show_whatis))
		return complain(&inspect_command, "unexpected argument", words[nr > 3 ? 3 : 2]);
	if (check_given(&inspect_command, nr > 1 ? words[1] : commands[0].name))
		return EXIT_USAGE;
	if (*show != show_whatis)
		return 0;
	if (nr < 3) {
		say(stderr, "usermm inspect: whatis needs an address, as in `usermm inspect PID "
		    "whatis 0x7f0000001000`\n");
		return EXIT_USAGE;
	}
	if (!read_number(words[2], 0, &view->address))
		return complain(&inspect_command, "no address", words[2]);
	return 0;
}

/*
 * Every view but that of the options reads the list of caches first. A truncated core may lack it.
 */
static enum inspect_status check_caches(struct heap *heap, show_fn *show)
{
	if (!heap->target->missed || show == show_options)
		return INSPECT_OK;
	return target_fail(heap->target, INSPECT_CUT_CORE, "%s lacks a part of the list of caches; "
			   "%s", heap->target->name, heap->target->lacks);
}

int inspect_main(int argc, char **argv)
{
	struct view view = { .progress = isatty(STDERR_FILENO) };
	int code = take_arguments(&inspect_command, argc, argv, &view);
	char error[INSPECT_TEXT_BYTES];
	enum inspect_status status;
	struct heap *heap;
	show_fn *show;

	if (code >= 0)
		return code;
	if (!is_given(&inspect_command, KEY_INSPECT_ADDRESSES))
		view.addresses_max = view.json ? ADDRESSES_DEFAULT : LEAK_SAMPLES;
	code = take_words(argc - optind, argv + optind, &view, &show);
	if (code)
		return code;
	heap = heap_open(argv[optind], &status, error);
	if (!heap) {
		say(stderr, "usermm inspect: %s\n", error);
		return status;
	}
	status = check_caches(heap, show);
	if (status == INSPECT_OK)
		status = show(heap, &view);
	if (status != INSPECT_OK && status != INSPECT_LEAKS)
		say(stderr, "usermm inspect: %s\n", heap->target->error);
	else if (heap->nr_damages && *heap->target->lacks)
		say(stderr, "usermm inspect: %s; the rest was read\n", heap->damage);
	else if (heap->nr_damages)
		say(stderr, "usermm inspect: the heap is damaged: %s; the rest was read\n",
		    heap->damage);
	if (heap->nr_damages && status == INSPECT_OK)
		status = *heap->target->lacks ? INSPECT_CUT_CORE : INSPECT_DAMAGED;
	heap_close(heap);
	return status;
}
