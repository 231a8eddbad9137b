// SPDX-License-Identifier: MIT
/* usermm record: samples a process, for `usermm report`. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/json.h"
#include "bench/measure/machine.h"
#include "bench/progress.h"
#include "usermm/arguments.h"
#include "usermm/command.h"
#include "usermm/say.h"
#include "usermm/usermm.h"
#include "watch/library.h"
#include "watch/proc.h"
#include "watch/stop.h"

#define SHORTEST_SECONDS 0.01
#define LONGEST_SECONDS 86400.0
#define MOST_SAMPLES 100000000ul
/* So many of the largest caches are in a sample; more than MOST_CACHES are not looked at. */
#define SHOWN_CACHES 12
#define MOST_CACHES 4096
/* The version of the file's form. */
#define RECORD_FORM 1

struct record {
	double interval;
	unsigned long samples;		/* 0: until the process ends */
	const char *output;
	int fd;
	struct proc proc;
	struct library *library;	/* NULL: only the numbers of /proc */
	struct proc_numbers before;	/* of the last sample */
	double started;
};

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int write_line(const struct record *record, struct json *line)
{
	int error = json_write_line(line, record->fd);

	json_free(line);
	if (!error)
		return 0;
	say(stderr, "usermm record: %s: %s\n", record->output, strerror(-error));
	return EXIT_NO_OUTPUT;
}

static int write_head(const struct record *record)
{
	struct json *head = json_object();
	struct timespec now;
	char text[256];

	clock_gettime(CLOCK_REALTIME, &now);
	json_add_integer(head, "usermm_record", RECORD_FORM);
	json_add_integer(head, "pid", record->proc.pid);
	json_add_text(head, "command", record->proc.command);
	json_add_real(head, "interval_seconds", record->interval);
	json_add_integer(head, "began_seconds", now.tv_sec);
	json_add_text(head, "cpu", machine_cpu(text, sizeof(text)));
	json_add_text(head, "kernel", machine_kernel(text, sizeof(text)));
	json_add_text(head, "usermm", usermm_version());
	return write_line(record, head);
}

static void add_numbers(struct json *sample, const struct proc_numbers *now)
{
	json_add_integer(sample, "rss_bytes", (long long)now->rss);
	json_add_integer(sample, "rss_peak_bytes", (long long)now->rss_peak);
	json_add_integer(sample, "anonymous_bytes", (long long)now->anonymous);
	json_add_integer(sample, "file_bytes", (long long)now->file);
	json_add_integer(sample, "swap_bytes", (long long)now->swap);
	json_add_integer(sample, "threads", (long long)now->threads);
}

static int compare_caches(const void *a, const void *b)
{
	const struct cache_line *x = *(const struct cache_line *const *)a;
	const struct cache_line *y = *(const struct cache_line *const *)b;
	unsigned long x_bytes = x->slabs * x->pages_per_slab;
	unsigned long y_bytes = y->slabs * y->pages_per_slab;

	return (x_bytes < y_bytes) - (x_bytes > y_bytes);
}

/* The caches with the most memory. */
static void add_caches(struct json *sample, const struct library *library)
{
	const struct cache_line *lines[MOST_CACHES], *line;
	struct json *caches = json_object();
	unsigned int nr = 0;
	char name[CACHE_NAME_BYTES + 16];

	for (unsigned int i = 0; nr < MOST_CACHES && (line = library_cache(library, i)); i++)
		lines[nr++] = line;
	qsort(lines, nr, sizeof(*lines), compare_caches);
	for (unsigned int i = 0; i < nr && i < SHOWN_CACHES; i++) {
		snprintf(name, sizeof(name), "%s_bytes", lines[i]->name);
		/* If two caches have one name, the larger one is shown. */
		if (!json_member(caches, name))
			json_add_integer(caches, name, (long long)(lines[i]->slabs *
								   lines[i]->pages_per_slab *
								   PAGE_SIZE));
	}
	json_add(sample, "caches", caches);
}

static void add_library(struct json *sample, struct library *library)
{
	const struct usermm_stats *stats;

	if (!library || !library_read(library))
		return;
	stats = library_stats(library);
	json_add_integer(sample, "in_use_bytes", (long long)stats->allocated_bytes);
	json_add_integer(sample, "idle_bytes", (long long)stats->dirty_bytes);
	json_add_integer(sample, "unused_bytes", (long long)(stats->resident_bytes -
							     min(stats->resident_bytes,
								 stats->allocated_bytes)));
	json_add_integer(sample, "slab_bytes", (long long)stats->slab_bytes);
	json_add_integer(sample, "mapped_bytes", (long long)stats->mapped_bytes);
	json_add_integer(sample, "released_bytes", (long long)stats->released_bytes);
	add_caches(sample, library);
}

/* One sample. -1: the process has ended. */
static int take_sample(struct record *record, double at, double since)
{
	struct proc_numbers now;
	struct json *sample;

	if (!proc_read(&record->proc, &now))
		return -1;
	sample = json_object();
	json_add_real(sample, "time_seconds", at);
	add_numbers(sample, &now);
	add_library(sample, record->library);
	if (since > 0) {
		json_add_integer(sample, "page_faults",
				 (long long)(now.faults - record->before.faults));
		json_add_real(sample, "cpu_percent",
			      (now.cpu_seconds - record->before.cpu_seconds) / since * 100);
	}
	record->before = now;
	return write_line(record, sample);
}

/* A signal ends the sleep, and then the record. */
static void sleep_until(double moment)
{
	do
		stop_poll(NULL, 0, moment - now_seconds());
	while (!stopped() && now_seconds() < moment);
}

static int take_samples(struct record *record)
{
	double last = record->started;
	char what[60];

	for (unsigned long i = 0; !stopped() && (!record->samples || i < record->samples); i++) {
		double now;
		int code;

		if (i)
			sleep_until(record->started + (double)i * record->interval);
		if (stopped())
			break;
		now = now_seconds();
		code = take_sample(record, now - record->started, i ? now - last : 0);
		if (code)
			return code < 0 ? 0 : code;
		last = now;
		snprintf(what, sizeof(what), "process %d: %lu samples, RSS %lu "
					     "MiB", record->proc.pid,
			 i + 1, record->before.rss >> 20);
		progress_show(what, 0, 0);
	}
	return 0;
}

static int record_process(struct record *record)
{
	char why[600];
	int code;

	record->fd = strcmp(record->output, "-") ?
			     open(record->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) :
			     STDOUT_FILENO;
	if (record->fd < 0) {
		say(stderr, "usermm record: %s: %s\n", record->output, strerror(errno));
		return EXIT_NO_OUTPUT;
	}
	stop_on_signals();
	record->library = library_open(record->proc.pid, why, sizeof(why));
	progress_begin(stderr);
	record->started = now_seconds();
	code = write_head(record);
	if (!code && !record->library)
		say(stderr, "usermm record: only the numbers of /proc: %s\n", why);
	if (!code)
		code = take_samples(record);
	progress_clear();
	if (close(record->fd) && !code) {
		say(stderr, "usermm record: %s: %s\n", record->output, strerror(errno));
		code = EXIT_NO_OUTPUT;
	}
	return code;
}

static int run_record(int argc, char **argv)
{
	struct record record = { .interval = 1 };
	int code = take_arguments(&command_record, argc, argv, &record);

	if (code >= 0)
		return code;
	if (optind + 1 != argc || !record.output) {
		say(stderr, "usermm record: %s; usage: usermm record PID -o FILE\n",
		    optind + 1 < argc ? "more than one process" : optind == argc ? "no process "
		    "given" : "no output (-o) given");
		return EXIT_USAGE;
	}
	code = proc_open(&record.proc, argv[optind], "record");
	if (code)
		return code;
	code = record_process(&record);
	library_close(record.library);
	proc_close(&record.proc);
	return code;
}

static bool take_interval(const struct command *command, const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	if (*text && !*end && *seconds >= SHORTEST_SECONDS && *seconds <= LONGEST_SECONDS)
		return true;
	say(stderr, "usermm %s: --interval takes %g to %g seconds, not '%s'\n", command->name,
	    SHORTEST_SECONDS, LONGEST_SECONDS, text);
	return false;
}

static bool take_option(const struct command *command, int key, const char *value, void *context)
{
	struct record *record = context;

	if (key == 'i')
		return take_interval(command, value, &record->interval);
	if (key == 'n')
		return take_number(command, "samples", value, MOST_SAMPLES, &record->samples);
	record->output = value;
	return true;
}

static const struct command_option option_table[] = {
	{ 'i', "interval", "SECONDS", "time between two samples, 0.01 to 86400 (1)" },
	{ 'n', "samples", "N", "end after N samples, not with the process" },
	{ 'o', "output", "FILE", "where to write the samples; `-` is standard output" },
	{ 0 },
};

static const struct command_exit exits[] = {
	{ .meaning = "the process ended, all samples were taken, or a signal (INT, TERM, HUP) "
		     "came" },
	{ .status = EXIT_USAGE },
	{ .status = EXIT_NO_PROCESS },
	{ .status = EXIT_ENDED },
	{ .status = EXIT_NO_OUTPUT },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm record 1234 -o server.record", "a sample each second until process 1234 ends" },
	{ "usermm record 1234 --interval 0.1 -n 600 -o minute.record", "a minute, ten times a "
								       "second" },
	{ "usermm report server.record -o report.html", "plots of it" },
	{ 0 },
};

const struct command command_record = {
	.name = "record",
	.words = "PID",
	.summary = "take samples of a process over time",
	.text = "Writes what memory a process has, at once and then after each interval. If it "
		"runs on usermm, the samples also have the library's memory in use, the rest of "
		"its memory (unused), the free pages of this rest (idle), and the largest caches. "
		"All is read from outside: the process needs no option for it. `usermm report` "
		"makes plots of the file.\n\n"
		"FILE has one JSON object a line: first a head, then the samples, each written at "
		"once. So a file that was cut off is good up to its last line. Sizes are in bytes.",
	.options = option_table,
	.exits = exits,
	.examples = examples,
	.take = take_option,
	.run = run_record,
};
