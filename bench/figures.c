// SPDX-License-Identifier: MIT
#include "figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/timing.h"

static const struct figure *find(const struct figures *figures, const char *name, long step)
{
	for (unsigned int i = 0; i < figures->nr; i++)
		if (figures->all[i].step == step && !strcmp(figures->all[i].name, name))
			return &figures->all[i];
	return NULL;
}

void figures_take(void *context, const char *name, long step, double value)
{
	struct figures *figures = context;
	struct figure *figure = (struct figure *)find(figures, name, step);

	if (!figure) {
		if (figures->nr == MAX_FIGURES)
			return;
		figure = &figures->all[figures->nr++];
		snprintf(figure->name, sizeof(figure->name), "%s", name);
		figure->step = step;
		figure->nr = 0;
	}
	if (figure->nr < MAX_STARTS)
		figure->samples[figure->nr++] = value;
}

double figures_median(const struct figures *figures, const char *name, long step)
{
	const struct figure *figure = find(figures, name, step);
	double samples[MAX_STARTS];

	if (!figure)
		return NAN;
	memcpy(samples, figure->samples, sizeof(samples));
	return bench_median(samples, figure->nr);
}

double figures_spread(const struct figures *figures, const char *name, long step)
{
	const struct figure *figure = find(figures, name, step);
	double least = INFINITY, most = -INFINITY;

	if (!figure || figure->nr < 2)
		return NAN;
	for (unsigned int i = 0; i < figure->nr; i++) {
		least = fmin(least, figure->samples[i]);
		most = fmax(most, figure->samples[i]);
	}
	return (most - least) / figures_median(figures, name, step) * 100;
}

struct json *figures_samples(const struct figures *figures, const char *name, long step)
{
	const struct figure *figure = find(figures, name, step);
	struct json *samples;

	if (!figure)
		return NULL;
	samples = json_array();
	for (unsigned int i = 0; i < figure->nr; i++)
		json_add_real(samples, NULL, figure->samples[i]);
	return samples;
}
