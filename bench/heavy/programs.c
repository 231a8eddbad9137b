// SPDX-License-Identifier: MIT
#include <string.h>

#include "heavy.h"

unsigned long heavy_divisor = 1;

static const struct heavy_program programs[] = {
	{ "replace-small", heavy_replace_small },
	{ "replace-many", heavy_replace_many },
	{ "rounds", heavy_rounds },
	{ "bignum", heavy_bignum },
	{ "cubes", heavy_cubes },
	{ "trees", heavy_trees },
	{ "words", heavy_words },
	{ "json", heavy_json },
	{ "lisp", heavy_lisp },
	{ "strings", heavy_strings },
	{ "stages", heavy_stages },
	{ "large", heavy_large },
	{ "server", heavy_server },
	{ "exchange", heavy_exchange },
};

const struct heavy_program *heavy_program(unsigned int i)
{
	return i < ARRAY_LENGTH(programs) ? &programs[i] : NULL;
}

const struct heavy_program *heavy_find_program(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_LENGTH(programs); i++)
		if (!strcmp(programs[i].name, name))
			return &programs[i];
	return NULL;
}
