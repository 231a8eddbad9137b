// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "bench.h"
#include "progress.h"
#include "results.h"
#include "measure/timing.h"
#include "tools/usermm/statuses.h"

/* A child that takes longer is taken to hang. */
#define CHILD_SECONDS 120
#define FIRST_CALIBRATIONS 3

static const struct bench_suite suites[] = {
	{ .name = "percpu", .help = "the per-CPU primitives, with and without rseq",
	  .run = bench_percpu, .child = bench_percpu_child },
	{ .name = "gfp-flags", .help = "GFP to ALLOC conversion, coupled and explicit bits",
	  .run = bench_gfp_flags },
	{ .name = "page-alloc", .help = "a million order-3 blocks, with and without __GFP_COMP",
	  .run = bench_page_alloc },
	{ .name = "page-order",
	  .help = "pairs of alloc and free of every order, on one and two CPUs",
	  .run = bench_page_order },
	{ .name = "page-bulk",
	  .help = "bulk allocation by list and array, ways to free, a recycling ring",
	  .run = bench_page_bulk },
	{ .name = "kmalloc", .help = "kmalloc and kfree of 8 to 16384 bytes", .run = bench_kmalloc,
	  .child = bench_kmalloc_child },
	{ .name = "quicklist", .help = "page-table pages by quicklists and by the page allocator",
	  .run = bench_quicklist, .child = bench_quicklist_child },
	{ .name = "malloc",
	  .help = "calls and programs that allocate, under every allocator on the machine",
	  .run = bench_malloc, .child = bench_malloc_child },
	{ .name = "soak", .help = "one thread allocates, another frees, for minutes",
	  .run = bench_soak, .child = bench_soak_child, .only_by_name = true },
};

const struct bench_suite *bench_suite(unsigned int i)
{
	return i < ARRAY_SIZE(suites) ? &suites[i] : NULL;
}

const struct bench_suite *bench_find_suite(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(suites); i++)
		if (!strcmp(suites[i].name, name))
			return &suites[i];
	return NULL;
}

/* Opens the file before the long run, so that a bad path is reported at once. */
static int open_json(const char *path)
{
	int fd = strcmp(path, "-") ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) :
				     STDOUT_FILENO;

	if (fd < 0)
		fprintf(stderr, "usermm bench: %s: %s\n", path, strerror(errno));
	return fd;
}

/* Writes and closes the file. Returns an exit code. */
static int write_json(const struct json *object, int fd, const char *path)
{
	int error = json_write(object, fd);

	if (close(fd) && !error)
		error = -errno;
	if (error)
		fprintf(stderr, "usermm bench: %s: %s\n", path, strerror(-error));
	return error ? EXIT_NO_OUTPUT : 0;
}

static struct json *run_suites(struct bench *bench, const struct bench_request *request)
{
	struct json *result = json_object(), *all = json_object();

	json_add(result, "machine", results_machine());
	results_print_head(bench, json_member(result, "machine"));
	for (unsigned int i = 0; i < FIRST_CALIBRATIONS; i++)
		calibrate(&bench->calibration);
	for (unsigned int i = 0; i < request->nr_suites; i++) {
		const struct bench_suite *suite = request->suites[i];

		bench->rows = json_array();
		bench_print(bench, "\n== %s: %s\n", suite->name, suite->help);
		results_print_calibration(bench);
		progress_show(suite->name, i + 1, request->nr_suites);
		suite->run(bench);
		json_add(all, suite->name, bench->rows);
		calibrate(&bench->calibration);
	}
	json_add(result, "calibration", results_calibration(&bench->calibration));
	json_add(result, "suites", all);
	return result;
}

int bench_execute(const struct bench_request *request)
{
	struct bench bench = { .out = stdout, .preload = request->preload,
			       .compile_trace = request->compile_trace,
			       .peers = request->peers, .quick = request->quick,
			       .seconds = request->seconds, .live_mib = request->live_mib };
	struct json *result;
	int fd = -1, code = 0;

	if (request->json_path) {
		fd = open_json(request->json_path);
		if (fd < 0)
			return EXIT_NO_OUTPUT;
		if (fd == STDOUT_FILENO)
			bench.out = stderr;
	}
	timing_init();
	progress_begin(bench.out);
	result = run_suites(&bench, request);
	progress_clear();
	if (fd >= 0)
		code = write_json(result, fd, request->json_path);
	json_free(result);
	return bench.failed ? 1 : code;
}

int bench_execute_child(const char *name, const char *arg)
{
	const struct bench_suite *suite = bench_find_suite(name);

	if (!suite || !suite->child)
		return 2;
	alarm(CHILD_SECONDS);	/* a suite that takes longer sets its own */
	timing_init();
	return suite->child(arg);
}
