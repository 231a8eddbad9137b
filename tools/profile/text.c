// SPDX-License-Identifier: MIT
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/outputs.h"
#include "usermm/command.h"
#include "usermm/say.h"

/* --- Text ---------------------------------------------------------------------------------- */

static void print_sums(const struct profile *profile, enum when when, const char *name)
{
	const double *sums = profile->sums[when];
	char in_use[SIZE_TEXT_BYTES], allocated[SIZE_TEXT_BYTES], distance[SIZE_TEXT_BYTES];

	say(stdout, "%s: %s in use in %.0f blocks; %s in %.0f blocks were allocated; one sample "
	    "in %s\n", name, size_text(sums[IN_USE_BYTES], false, in_use), sums[IN_USE_BLOCKS],
	    size_text(sums[ALLOCATED_BYTES], false, allocated), sums[ALLOCATED_BLOCKS],
	    size_text((double)profile->samples[when].distance, false, distance));
	for (unsigned int i = 0; i < profile->samples[when].nr_missing; i++)
		say(stdout, "%s: %s\n", name, profile->samples[when].missing[i]);
}

static void print_column(double bytes, bool plus)
{
	char text[SIZE_TEXT_BYTES];

	say(stdout, "%11s", size_text(bytes, plus, text));
}

static void print_place(const struct function *function)
{
	const char *slash = function->file ? strrchr(function->file, '/') : NULL;

	if (function->file)
		say(stdout, " (%s:%d)", slash ? slash + 1 : function->file, function->line);
	putchar('\n');
}

/* Two columns: what the function has itself, and with those that it calls. */
static void print_columns(const struct function *function, enum figure figure, bool is_growth)
{
	double before_self = is_growth ? function->self[BEFORE][figure] : 0;
	double before_total = is_growth ? function->total[BEFORE][figure] : 0;

	print_column(function->self[NOW][figure] - before_self, is_growth);
	print_column(function->total[NOW][figure] - before_total, is_growth);
}

static void print_function(const struct function *function, enum figure figure, bool has_before)
{
	if (has_before)
		print_columns(function, figure, true);
	print_columns(function, figure, false);
	if (!has_before)
		print_columns(function, figure == IN_USE_BYTES ? ALLOCATED_BYTES : IN_USE_BYTES,
			      false);
	say(stdout, "  %s", function->name);
	print_place(function);
}

int write_text(const struct profile *profile, enum figure figure, unsigned int most)
{
	const char *name = figure == IN_USE_BYTES ? "in use" : "allocated";
	const char *other = figure == IN_USE_BYTES ? "allocated" : "in use";
	bool has_before = profile_has_before(profile);
	unsigned int nr, *ranking = profile_ranking(profile, figure, &nr);

	print_sums(profile, NOW, profile->samples[NOW].path);
	if (has_before)
		print_sums(profile, BEFORE, profile->samples[BEFORE].path);
	printf("%22s%22s\n%11s%11s%11s%11s  function\n", has_before ? "growth" : name,
	       has_before ? name : other, "self", "total", "self", "total");
	for (unsigned int i = 0; i < nr && i < most; i++)
		print_function(&profile->functions[ranking[i]], figure, has_before);
	if (nr > most)
		say(stdout, "%u more functions; --rows shows more\n", nr - most);
	if (!nr && figure == IN_USE_BYTES)
		say(stdout, "no function has memory in use; --allocated ranks by what was ever "
		    "allocated\n");
	free(ranking);
	return 0;
}

/* --- JSON ---------------------------------------------------------------------------------- */

static const char *const figure_names[NR_FIGURES] = {
	[IN_USE_BYTES] = "in_use_bytes", [IN_USE_BLOCKS] = "in_use_blocks",
	[ALLOCATED_BYTES] = "allocated_bytes", [ALLOCATED_BLOCKS] = "allocated_blocks",
};

static json_t *figures_json(const double *figures)
{
	json_t *object = json_object();

	for (unsigned int i = 0; i < NR_FIGURES; i++)
		json_object_set_new(object, figure_names[i], json_integer(llround(figures[i])));
	return object;
}

/* Names may have any bytes; JSON has UTF-8 alone. */
static json_t *text_json(const char *text)
{
	json_t *string = json_string(text);

	return string ? string : json_string("?");
}

static json_t *profile_json(const struct profile *profile, enum when when)
{
	const struct samples *samples = &profile->samples[when];
	json_t *object = json_object(), *missing = json_array();

	json_object_set_new(object, "file", text_json(samples->path));
	json_object_set_new(object, "distance_bytes", json_integer((json_int_t)samples->distance));
	json_object_set_new(object, "samples_in_use",
			    json_integer((json_int_t)samples->nr_in_use));
	json_object_set_new(object, "samples_allocated",
			    json_integer((json_int_t)samples->nr_allocated));
	json_object_set_new(object, "sums", figures_json(profile->sums[when]));
	for (unsigned int i = 0; i < samples->nr_missing; i++)
		json_array_append_new(missing, text_json(samples->missing[i]));
	json_object_set_new(object, "missing", missing);
	return object;
}

static json_t *function_json(const struct function *function, bool has_before)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", text_json(function->name));
	if (function->file) {
		json_object_set_new(object, "source", text_json(function->file));
		json_object_set_new(object, "line", json_integer(function->line));
	}
	json_object_set_new(object, "self", figures_json(function->self[NOW]));
	json_object_set_new(object, "total", figures_json(function->total[NOW]));
	if (has_before) {
		json_object_set_new(object, "self_before", figures_json(function->self[BEFORE]));
		json_object_set_new(object, "total_before", figures_json(function->total[BEFORE]));
	}
	return object;
}

static json_t *node_json(const struct profile *profile, const struct node *node)
{
	json_t *object = json_object(), *callees = json_array();

	json_object_set_new(object, "name", text_json(profile->functions[node->function].name));
	json_object_set_new(object, "self", figures_json(node->self[NOW]));
	if (profile_has_before(profile))
		json_object_set_new(object, "self_before", figures_json(node->self[BEFORE]));
	for (const struct node *callee = node->callees; callee; callee = callee->next)
		json_array_append_new(callees, node_json(profile, callee));
	json_object_set_new(object, "callees", callees);
	return object;
}

int write_json(const struct profile *profile, enum figure figure, unsigned int most)
{
	bool has_before = profile_has_before(profile);
	unsigned int nr, *ranking = profile_ranking(profile, figure, &nr);
	json_t *document = json_object(), *functions = json_array();
	int failed;

	json_object_set_new(document, "profile", profile_json(profile, NOW));
	if (has_before)
		json_object_set_new(document, "before", profile_json(profile, BEFORE));
	for (unsigned int i = 0; i < nr && i < most; i++)
		json_array_append_new(functions, function_json(&profile->functions[ranking[i]],
							       has_before));
	json_object_set_new(document, "functions", functions);
	json_object_set_new(document, "calls", node_json(profile, profile->root));
	failed = json_dumpf(document, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(document);
	free(ranking);
	return failed ? EXIT_NO_OUTPUT : 0;
}
