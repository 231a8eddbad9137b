// SPDX-License-Identifier: MIT
#include "inspect_tables.h"

#include "base/compiler.h"

const struct command_option inspect_option_table[] = {
	{ KEY_INSPECT_JSON, "json", NULL, "print one JSON document" },
	{ KEY_INSPECT_SORT, "sort", "KEY", "the order, the largest first" },
	{ KEY_INSPECT_ADDRESSES, "addresses", "N",
	  "list at most N addresses of each group (4; with --json 100000)" },
	{ 'o', "output", "FILE",
	  "write FILE: a picture if it ends in .html or .svg, else text" },
	{ 0 },
};

const struct command_option top_option_table[] = {
	{ 'b', "batch", NULL, "print pictures one below the other, for scripts" },
	{ 'n', "iterations", "N", "end after N pictures" },
	{ 'd', "delay", "SECONDS", "time between two pictures (2)" },
	{ 's', "sort", "KEY",
	  "the order, the largest first. On a terminal the keys b, o, a, w, s, l, n, c do the "
	  "same, and q ends" },
	{ KEY_INSPECT_JSON, "json", NULL, "print one JSON document a line, as with -b" },
	{ 0 },
};

const struct command_option profile_option_table[] = {
	{ 'o', "output", "FILE",
	  "write a page if FILE ends in .html, or pprof's form if it ends in .pb or .pb.gz" },
	{ KEY_PROFILE_ALLOCATED, "allocated", NULL,
	  "rank by what was ever allocated, not by what is in use" },
	{ KEY_PROFILE_ROWS, "rows", "N", "show at most N functions (40; 500 on the page)" },
	{ KEY_INSPECT_JSON, "json", NULL,
	  "print one JSON document: functions, and the tree of calls" },
	{ 0 },
};

const struct command_option control_option_table[] = {
	{ 'w', "wait", "SECONDS", "wait so long for each answer (10)" },
	{ KEY_INSPECT_JSON, "json", NULL, "print one JSON document: the values, by name" },
	{ 0 },
};

/* As show/show_heap.c names them. */
#define ORDERS "bytes, objects, active, waste, size, slabs, name"

const struct command_rule inspect_rules[] = {
	{ KEY_INSPECT_JSON, NULL, 'o', NULL },
	{ KEY_INSPECT_SORT, "caches", 0, ORDERS },
	{ KEY_INSPECT_ADDRESSES, "leaks, owners", 0, NULL },
	{ 'o', "map", 0, NULL },
	{ 0 },
};

const struct command_rule top_rules[] = {
	{ 's', FORM_PID, 0, ORDERS ", change" },
	{ 0 },
};

/* pprof's form has all functions, with both figures. */
#define NOT_PPROF FORM_TEXT ", " FORM_JSON ", " FORM_PAGE

const struct command_rule profile_rules[] = {
	{ KEY_PROFILE_ALLOCATED, NOT_PPROF, 0, NULL },
	{ KEY_PROFILE_ROWS, NOT_PPROF, 0, NULL },
	{ KEY_INSPECT_JSON, NULL, 'o', NULL },
	{ 0 },
};

static const struct {
	const char *name, *help;
} words[] = {
	{ "summary", "totals; this is the usual command" },
	{ "caches", "objects, bytes and waste of each cache" },
	{ "zones", "free pages, watermarks, free blocks of each order" },
	{ "options", "the options that the process runs with" },
	{ "whatis", "the block at ADDRESS: its cache, size and state, stacks if known" },
	{ "owners", "who allocated the blocks, with profile=, slab_debug=U or kfence_sample=" },
	{ "verify", "checks the invariants of each layer, and reports the first violation" },
	{ "leaks", "blocks that no register, stack, data or other block reaches. Threads pause "
		   "for a few milliseconds" },
	{ "map", "what each page is used for" },
};

const char *inspect_word(unsigned int i, const char **help)
{
	if (i >= ARRAY_SIZE(words))
		return NULL;
	*help = words[i].help;
	return words[i].name;
}

const char *control_word(unsigned int i, const char **help)
{
	static const struct {
		const char *name, *help;
	} controls[] = {
#define CONTROL(id, name, unit, help, access, read, write) { name, help },
#include "api/controls.def"
#undef CONTROL
	};

	if (i >= ARRAY_SIZE(controls))
		return NULL;
	*help = controls[i].help;
	return controls[i].name;
}
