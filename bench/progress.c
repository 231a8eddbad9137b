// SPDX-License-Identifier: MIT
#include "progress.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHORTEST_NS 250000000ull
#define WIDEST 150

static struct {
	bool on, shown;
	char what[60];
	unsigned int done, all;
	unsigned long ticks;
	unsigned long long began, written;
} progress;

static unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

void progress_begin(FILE *out)
{
	progress.on = isatty(STDERR_FILENO) && isatty(fileno(out));
}

static void write_line(void)
{
	unsigned long long seconds;
	char line[WIDEST + 1];

	progress.written = now_ns();
	seconds = (progress.written - progress.began) / 1000000000ull;
	if (progress.all)
		snprintf(line, sizeof(line), "[%u of %u] %s: step %lu, %llu s", progress.done,
			 progress.all, progress.what, progress.ticks, seconds);
	else
		snprintf(line, sizeof(line), "%s: %llu s", progress.what, seconds);
	/* The escape sequence clears the rest of a longer line before. */
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
	progress.shown = true;
}

void progress_show(const char *what, unsigned int done, unsigned int all)
{
	if (!progress.on)
		return;
	if (strcmp(progress.what, what)) {
		snprintf(progress.what, sizeof(progress.what), "%s", what);
		progress.began = now_ns();
		progress.ticks = 0;
	}
	progress.done = done;
	progress.all = all;
	write_line();
}

void progress_tick(void)
{
	progress.ticks++;
	if (progress.on && *progress.what && now_ns() - progress.written >= SHORTEST_NS)
		write_line();
}

void progress_clear(void)
{
	if (!progress.shown)
		return;
	fprintf(stderr, "\r\033[K");
	fflush(stderr);
	progress.shown = false;
}
