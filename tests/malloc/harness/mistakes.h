/* SPDX-License-Identifier: MIT */
/*
 * Mistakes that end the process, each made with a block of some size by this program again,
 * whose arguments then are "--mistake NAME,SIZE".
 */
#ifndef MALLOC_MISTAKES_H
#define MALLOC_MISTAKES_H

#include "child.h"

struct mistake {
	const char *name;
	int signal;		/* that ends the process */
	const char *texts[4];	/* what it writes before; NULL = no more */
	void (*make)(size_t size);
	/* Does the mistake apply to blocks from 32 KiB on? To smaller ones? */
	bool at_large, at_small;
};

static inline int make_mistake(const struct mistake *mistakes, size_t nr, const char *what)
{
	char name[64];
	size_t size;

	REQUIRE(sscanf(what, "%63[^,],%zu", name, &size) == 2);
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(mistakes[i].name, name))
			mistakes[i].make(size);
	return 0;
}

/* If `lines` is not 0, the child must write that many lines. */
static inline void try_mistake(const struct mistake *mistake, size_t size, const char *options,
			       unsigned int lines)
{
	struct child_again again = { "--mistake", NULL, options, 0 };
	struct child_result result;
	char what[96];

	snprintf(what, sizeof(what), "%s,%zu", mistake->name, size);
	again.arg = what;
	child_run(&result, child_exec_again, &again);
	CHECK(child_died_by(result.status, mistake->signal), "; %s: wait status %#x %s", what,
	      result.status, result.err);
	for (unsigned int i = 0; i < ARRAY_SIZE(mistake->texts) && mistake->texts[i]; i++) {
		CHECK(strstr(result.err, mistake->texts[i]), "; %s: %s", what, result.err);
		CHECK(!lines || count_lines(result.err) == lines, "; %s: %s", what, result.err);
	}
}

#endif
