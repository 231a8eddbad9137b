// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "profile/tree.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "page/debug/stack_depot.h"
#include "profile/memory.h"
#include "report/files.h"
#include "usermm/command.h"

/* --- Functions ----------------------------------------------------------------------------- */

/* A name, and the number of its function. */
struct name {
	char *text;
	unsigned int number;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static unsigned int find_function(struct profile *profile, const struct code_frame *frame)
{
	struct name *name = need(malloc(sizeof(*name))), *found;

	name->text = frame->function;
	found = *(struct name **)need(tsearch(name, &profile->names, by_text));
	if (found != name) {
		free(name);
		return found->number;
	}
	name->text = copy_text(frame->function);
	name->number = profile->nr_functions;
	profile->functions = grow_array(profile->functions, profile->nr_functions,
					sizeof(*profile->functions));
	profile->functions[profile->nr_functions++] = (struct function){
		.name = name->text, .file = frame->file, .line = frame->line,
	};
	return name->number;
}

static void free_name(void *name)
{
	free(((struct name *)name)->text);
	free(name);
}

/* --- The tree ------------------------------------------------------------------------------ */

static struct node *find_callee(struct node *caller, unsigned int function)
{
	struct node *node = caller->callees;

	while (node && node->function != function)
		node = node->next;
	if (node)
		return node;
	node = need(calloc(1, sizeof(*node)));
	node->function = function;
	node->next = caller->callees;
	caller->callees = node;
	return node;
}

static void add_figures(figures_t sum, enum when when, const double *figures)
{
	for (unsigned int i = 0; i < NR_FIGURES; i++)
		sum[when][i] += figures[i];
}

/* A function that calls itself has the sample once. */
static void count(struct profile *profile, unsigned int number, enum when when,
		  const struct sample *sample)
{
	struct function *function = &profile->functions[number];

	if (function->counted == sample)
		return;
	function->counted = sample;
	add_figures(function->total, when, sample->figures);
}

/* Where the sample's stack begins: one that may have been cut is a branch of its own. */
static struct node *find_start(struct profile *profile, const struct sample *sample)
{
	static char name[] = "(callers that were not kept)";
	const struct code_frame frame = { .function = name };

	if (sample->nr_frames < STACK_DEPTH)
		return profile->root;
	return find_callee(profile->root, find_function(profile, &frame));
}

static void add_sample(struct profile *profile, enum when when, const struct sample *sample)
{
	struct node *node = find_start(profile, sample);

	count(profile, 0, when, sample);
	for (unsigned int i = sample->nr_frames; i-- > 0;) {
		const struct location *location = code_locate(profile->code[when],
							      sample->frames[i]);

		for (unsigned int k = location->nr_frames; k-- > 0;) {
			node = find_callee(node, find_function(profile, &location->frames[k]));
			count(profile, node->function, when, sample);
		}
	}
	add_figures(node->self, when, sample->figures);
	add_figures(profile->functions[node->function].self, when, sample->figures);
}

static int add_profile(const struct command *command, const char *path, enum when when,
		       struct profile *profile)
{
	struct samples *samples = &profile->samples[when];
	int status = samples_read(command, path, samples);

	if (status)
		return status;
	profile->code[when] = need(code_open(samples->maps, samples->maps_bytes));
	for (size_t i = 0; i < samples->nr; i++)
		add_sample(profile, when, &samples->all[i]);
	memcpy(profile->sums[when], samples->sums, sizeof(samples->sums));
	return 0;
}

int profile_read(const struct command *command, const char *path, const char *path_before,
		 struct profile *profile)
{
	static char all[] = "all";
	const struct code_frame frame = { .function = all };
	int status;

	*profile = (struct profile){ 0 };
	find_function(profile, &frame);
	profile->root = need(calloc(1, sizeof(*profile->root)));
	status = add_profile(command, path, NOW, profile);
	if (!status && path_before)
		status = add_profile(command, path_before, BEFORE, profile);
	return status;
}

static void free_nodes(struct node *node)
{
	while (node) {
		struct node *next = node->next;

		free_nodes(node->callees);
		free(node);
		node = next;
	}
}

void profile_free(struct profile *profile)
{
	free_nodes(profile->root);
	free(profile->functions);
	tdestroy(profile->names, free_name);
	for (unsigned int i = 0; i < NR_TIMES; i++) {
		code_close(profile->code[i]);
		samples_free(&profile->samples[i]);
	}
}

/* --- Ranking ------------------------------------------------------------------------------- */

/* What a function is ranked by. */
struct rank {
	double first, second;
	unsigned int number;
};

static int by_rank(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? 1 : -1;
	if (x->second != y->second)
		return x->second < y->second ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

unsigned int *profile_ranking(const struct profile *profile, enum figure figure, unsigned int *nr)
{
	struct rank *ranks = need(calloc(profile->nr_functions, sizeof(*ranks)));
	unsigned int *numbers = need(calloc(profile->nr_functions, sizeof(*numbers)));

	*nr = 0;
	/* Function 0 is no function. */
	for (unsigned int i = 1; i < profile->nr_functions; i++) {
		const struct function *function = &profile->functions[i];

		if (function->total[NOW][figure] + function->total[BEFORE][figure] <= 0)
			continue;
		ranks[(*nr)++] = (struct rank){
			.first = function->self[NOW][figure] - function->self[BEFORE][figure],
			.second = function->total[NOW][figure] - function->total[BEFORE][figure],
			.number = i,
		};
	}
	qsort(ranks, *nr, sizeof(*ranks), by_rank);
	for (unsigned int i = 0; i < *nr; i++)
		numbers[i] = ranks[i].number;
	free(ranks);
	return numbers;
}

const char *size_text(double bytes, bool plus, char text[SIZE_TEXT_BYTES])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned int i = 0;

	for (; fabs(bytes) >= 1023.95 && i + 1 < ARRAY_SIZE(units); i++)
		bytes /= 1024;
	snprintf(text, SIZE_TEXT_BYTES, "%s%.*f %s", plus && bytes > 0 ? "+" : "", i ? 1 : 0,
		 bytes, units[i]);
	return text;
}
