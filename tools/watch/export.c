// SPDX-License-Identifier: MIT
/* usermm export: serves the numbers of processes to Prometheus, without code in them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "stats/metrics.h"
#include "usermm/arguments.h"
#include "usermm/command.h"
#include "usermm/say.h"
#include "usermm/usermm.h"
#include "watch/http.h"
#include "watch/library.h"
#include "watch/proc.h"
#include "watch/stop.h"

#define DEFAULT_ADDRESS "127.0.0.1:9464"
#define MAX_PROCESSES 256

struct watched {
	struct proc proc;
	struct proc_numbers now;
	struct library *library;	/* NULL: only the numbers of /proc */
	bool is_up, has_library;	/* were the library's numbers read this time? */
};

struct exporter {
	const char *address;
	struct watched *watched;
	unsigned int nr;
};

/* What /proc has, as metrics. A double, or an unsigned long. */
static const struct proc_metric {
	const char *name, *help;
	size_t offset;
	bool is_real, is_counter;
} proc_metrics[] = {
	{ "resident_bytes", "Memory in RAM.", offsetof(struct proc_numbers, rss), false, false },
	{ "resident_peak_bytes", "Most memory in RAM so far.",
	  offsetof(struct proc_numbers, rss_peak), false, false },
	{ "anonymous_bytes", "Memory in RAM that is of no file.",
	  offsetof(struct proc_numbers, anonymous), false, false },
	{ "swap_bytes", "Memory that was swapped out.", offsetof(struct proc_numbers, swap), false,
	  false },
	{ "threads", "Threads.", offsetof(struct proc_numbers, threads), false, false },
	{ "page_faults_total", "Page faults, minor and major.",
	  offsetof(struct proc_numbers, faults), false, true },
	{ "cpu_seconds_total", "Processor time, of user and system.",
	  offsetof(struct proc_numbers, cpu_seconds), true, true },
	{ "start_seconds", "When the process began, since 1970.",
	  offsetof(struct proc_numbers, start_seconds), true, false },
};

static void take_piece(void *out, const char *text)
{
	fputs(text, out);
}

/* A label's value: UTF-8 in quotes. Control characters are replaced by say_clean() before. */
static void put_value(FILE *out, const char *text)
{
	struct fmt_writer writer;
	char clean[4 * CACHE_NAME_BYTES + 64];

	say_clean(clean, sizeof(clean), text);
	fmt_writer_open_for(&writer, take_piece, out);
	metric_print_quoted(&writer, clean, false);
	fmt_writer_close(&writer);
}

/* The labels that tell processes apart; more of them may follow. */
static void put_process(FILE *out, const struct watched *watched)
{
	fprintf(out, "{pid=\"%d\",command=", watched->proc.pid);
	put_value(out, watched->proc.command);
}

static void put_labels(FILE *out, const struct watched *watched)
{
	put_process(out, watched);
	putc('}', out);
}

static void put_head(FILE *out, const char *name, const char *help, bool is_counter)
{
	fprintf(out, "# HELP usermm_process_%s %s\n# TYPE usermm_process_%s %s\n", name, help, name,
		is_counter ? "counter" : "gauge");
}

static void put_proc_metric(FILE *out, const struct exporter *exporter,
			    const struct proc_metric *metric)
{
	put_head(out, metric->name, metric->help, metric->is_counter);
	for (unsigned int i = 0; i < exporter->nr; i++) {
		const struct watched *watched = &exporter->watched[i];
		const char *at = (const char *)&watched->now + metric->offset;

		if (!watched->is_up)
			continue;
		fprintf(out, "usermm_process_%s", metric->name);
		put_labels(out, watched);
		if (metric->is_real)
			fprintf(out, " %.3f\n", *(const double *)at);
		else
			fprintf(out, " %lu\n", *(const unsigned long *)at);
	}
}

/* --- The library's numbers, with the names that they have in its own text ----------------- */

static const struct metric_table *find_table(const char *name)
{
	for (unsigned int i = 0; i < NR_METRIC_TABLES; i++)
		if (!strcmp(metric_tables[i].name, name))
			return &metric_tables[i];
	return NULL;
}

static void put_metric_name(FILE *out, const struct metric_table *table,
			    const struct metric *metric)
{
	fprintf(out, "usermm_%s%s%s", table->prefix, metric->name,
		metric->is_counter ? "_total" : "");
}

static void put_metric_head(FILE *out, const struct metric_table *table,
			    const struct metric *metric)
{
	fprintf(out, "# HELP ");
	put_metric_name(out, table, metric);
	fprintf(out, " %s\n# TYPE ", metric->help);
	put_metric_name(out, table, metric);
	fprintf(out, " %s\n", metric->is_counter ? "counter" : "gauge");
}

static unsigned long value_of(const struct metric *metric, const void *values)
{
	const struct metric_row row = { .values = values };

	return metric_value(metric, &row, 0);
}

static void put_stats_metric(FILE *out, const struct exporter *exporter,
			     const struct metric_table *table, const struct metric *metric)
{
	put_metric_head(out, table, metric);
	for (unsigned int i = 0; i < exporter->nr; i++) {
		const struct watched *watched = &exporter->watched[i];

		if (!watched->has_library)
			continue;
		put_metric_name(out, table, metric);
		put_labels(out, watched);
		fprintf(out, " %lu\n", value_of(metric, library_stats(watched->library)));
	}
}

static void put_cache_metric(FILE *out, const struct exporter *exporter,
			     const struct metric_table *table, const struct metric *metric)
{
	const struct cache_line *cache;

	put_metric_head(out, table, metric);
	for (unsigned int i = 0; i < exporter->nr; i++) {
		const struct watched *watched = &exporter->watched[i];

		for (unsigned int j = 0; watched->has_library &&
		     (cache = library_cache(watched->library, j)); j++) {
			put_metric_name(out, table, metric);
			put_process(out, watched);
			fprintf(out, ",cache=");
			put_value(out, cache->name);
			if (cache->namesakes)
				fprintf(out, ",namesake=\"%lu\"", cache->namesakes);
			fprintf(out, "} %lu\n", value_of(metric, cache));
		}
	}
}

static void put_library(FILE *out, const struct exporter *exporter)
{
	const struct metric_table *stats = find_table("stats"), *caches = find_table("caches");

	for (unsigned int i = 0; i < stats->nr_metrics; i++)
		put_stats_metric(out, exporter, stats, &stats->metrics[i]);
	for (unsigned int i = 0; i < caches->nr_metrics; i++)
		put_cache_metric(out, exporter, caches, &caches->metrics[i]);
}

/* Reads all processes anew. One that has ended is told once. Returns how many run. */
static unsigned int refresh(struct exporter *exporter)
{
	unsigned int nr_up = 0;

	for (unsigned int i = 0; i < exporter->nr; i++) {
		struct watched *watched = &exporter->watched[i];

		if (!watched->is_up)
			continue;
		watched->is_up = proc_read(&watched->proc, &watched->now);
		nr_up += watched->is_up;
		if (!watched->is_up)
			say(stderr, "usermm export: process %d (%s) has ended\n",
			    watched->proc.pid, watched->proc.command);
	}
	return nr_up;
}

static void write_metrics(FILE *out, void *context)
{
	struct exporter *exporter = context;

	refresh(exporter);
	put_head(out, "up", "1 while the process runs, 0 when it has ended.", false);
	for (unsigned int i = 0; i < exporter->nr; i++) {
		fprintf(out, "usermm_process_up");
		put_labels(out, &exporter->watched[i]);
		fprintf(out, " %d\n", exporter->watched[i].is_up);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(proc_metrics); i++)
		put_proc_metric(out, exporter, &proc_metrics[i]);
	for (unsigned int i = 0; i < exporter->nr; i++) {
		struct watched *watched = &exporter->watched[i];

		watched->has_library = watched->is_up && watched->library &&
				       library_read(watched->library);
	}
	put_head(out, "library", "1 while the library's numbers are read, 0 if only those of /proc "
		 "are.", false);
	for (unsigned int i = 0; i < exporter->nr; i++) {
		fprintf(out, "usermm_process_library");
		put_labels(out, &exporter->watched[i]);
		fprintf(out, " %d\n", exporter->watched[i].has_library);
	}
	put_library(out, exporter);
}

static void write_index(FILE *out, void *context)
{
	const struct exporter *exporter = context;

	fprintf(out, "usermm %s: metrics of %u processes are at /metrics\n", usermm_version(),
		exporter->nr);
}

/* Serves until a signal comes, or until all processes have ended. */
static int serve(struct exporter *exporter, int socket)
{
	static const struct http_page pages[] = {
		{ "/metrics", "text/plain; version=0.0.4; charset=utf-8", write_metrics },
		{ "/", "text/plain; charset=utf-8", write_index },
		{ NULL, NULL, NULL },
	};
	struct http_server *server = http_open(socket, pages, exporter);
	int code = 0;

	if (!server) {
		say(stderr, "usermm export: out of memory\n");
		close(socket);
		return EXIT_NO_MEMORY;
	}
	while (!stopped() && !code) {
		http_serve(server, 1000);
		if (!refresh(exporter))
			code = EXIT_ENDED;
	}
	http_close(server);
	return code;
}

static int open_processes(struct exporter *exporter, char **words)
{
	for (; *words; words++) {
		struct watched *watched = &exporter->watched[exporter->nr];
		int code = proc_open(&watched->proc, *words, "export");

		if (code)
			return code;
		for (unsigned int i = 0; i < exporter->nr; i++)
			if (exporter->watched[i].proc.pid == watched->proc.pid) {
				say(stderr, "usermm export: process %d is given twice\n",
				    watched->proc.pid);
				return EXIT_USAGE;
			}
		watched->is_up = true;
		exporter->nr++;
	}
	return 0;
}

/* Without the library's numbers of a process there are those of /proc, which is told. */
static void open_libraries(struct exporter *exporter)
{
	char why[600];

	for (unsigned int i = 0; i < exporter->nr; i++) {
		struct watched *watched = &exporter->watched[i];

		watched->library = library_open(watched->proc.pid, why, sizeof(why));
		if (!watched->library)
			say(stderr, "usermm export: only the numbers of /proc: %s\n", why);
	}
}

static void close_all(struct exporter *exporter)
{
	for (unsigned int i = 0; i < exporter->nr; i++) {
		library_close(exporter->watched[i].library);
		proc_close(&exporter->watched[i].proc);
	}
}

static int listen_and_serve(struct exporter *exporter)
{
	char address[HTTP_ADDRESS_BYTES];
	int socket = http_listen(exporter->address, address), code;

	if (socket < 0 && errno == EINVAL) {
		say(stderr, "usermm export: --listen takes ADDRESS:PORT in numbers, such as "
		    DEFAULT_ADDRESS ", not '%s'\n", exporter->address);
		return EXIT_USAGE;
	}
	if (socket < 0) {
		say(stderr, "usermm export: cannot listen at %s: %s\n", exporter->address,
		    strerror(errno));
		return EXIT_NO_PORT;
	}
	stop_on_signals();
	open_libraries(exporter);
	printf("serving http://%s/metrics\n", address);
	code = end_output("export", 0);
	code = code ? code : serve(exporter, socket);
	close_all(exporter);
	return code;
}

static int run_export(int argc, char **argv)
{
	static struct watched watched[MAX_PROCESSES];
	struct exporter exporter = { .address = DEFAULT_ADDRESS, .watched = watched };
	int code = take_arguments(&command_export, argc, argv, &exporter);

	if (code >= 0)
		return code;
	if (optind == argc || argc - optind > MAX_PROCESSES) {
		say(stderr, "usermm export: %s; usage: usermm export [--listen ADDRESS:PORT] "
		    "PID...\n", optind == argc ? "no process given" : "more than 256 processes");
		return EXIT_USAGE;
	}
	code = open_processes(&exporter, argv + optind);
	return code ? code : listen_and_serve(&exporter);
}

static bool take_option(const struct command *command, int key, const char *value, void *context)
{
	struct exporter *exporter = context;

	(void)command, (void)key;	/* there is only one option */
	exporter->address = value;
	return true;
}

static const struct command_option option_table[] = {
	{ 256, "listen", "ADDRESS:PORT",
	  "where to listen, in numbers (" DEFAULT_ADDRESS "); port 0 chooses a free one" },
	{ 0 },
};

static const struct command_exit exits[] = {
	{ .meaning = "a signal (INT, TERM, HUP) came" },
	{ .status = EXIT_USAGE },
	{ .status = EXIT_NO_PROCESS },
	{ .status = EXIT_ENDED },
	{ .status = EXIT_NO_OUTPUT },
	{ .status = EXIT_NO_PORT },
	{ .status = EXIT_NO_MEMORY },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm export 1234", "serves process 1234's metrics at "
				"http://" DEFAULT_ADDRESS "/metrics" },
	{ "usermm export --listen 127.0.0.1:9100 1234 1240", "two processes, at another port" },
	{ 0 },
};

const struct command command_export = {
	.name = "export",
	.words = "PID...",
	.summary = "serve the metrics of processes to Prometheus",
	.text = "Answers GET /metrics with the numbers of the processes, in Prometheus' text "
		"format. They are read from outside at each request: a process needs no option "
		"for it, and executes nothing. The first line on standard output is the "
		"address.\n\n"
		"There is no password. Listen on an address that only those reach who may read "
		"the numbers. examples/prometheus has a dashboard for Grafana and rules for "
		"alerts.",
	.options = option_table,
	.exits = exits,
	.examples = examples,
	.take = take_option,
	.run = run_export,
};
