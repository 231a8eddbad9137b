/* SPDX-License-Identifier: MIT */
/*
 * The benchmark suites of `usermm bench`, and how a run collects their results.
 *
 * The seeds (docs/glossary.md) are the texts that usermm started from; each has its suites.
 *
 * A suite measures, adds a row for each figure (results.h), and prints a table for people. A figure
 * that cannot be measured on this machine has no row.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "measure/calibrate.h"
#include "json.h"

/* One run of `usermm bench`. */
struct bench {
	FILE *out;			/* for people */
	struct calibration calibration;
	struct json *rows;			/* rows of the running suite */
	const char *preload;		/* path of libusermm_malloc.so, or NULL */
	const char *compile_trace;	/* for suite quicklist, or NULL */
	const char *peers;		/* folder with allocators to compare with, or NULL */
	bool quick;			/* one process for each figure, not several */
	unsigned long seconds, live_mib;	/* for suite soak, for each allocator */
	bool failed;			/* a suite has missed its target */
};

struct bench_suite {
	const char *name;
	const char *help;
	void (*run)(struct bench *bench);
	/* The part that runs in a process of its own, or NULL. Returns an exit code. */
	int (*child)(const char *arg);
	bool only_by_name;		/* runs only if it is named */
};

/* Suite i; NULL past the end. */
const struct bench_suite *bench_suite(unsigned int i);
const struct bench_suite *bench_find_suite(const char *name);

struct bench_request {
	const struct bench_suite *const *suites;
	unsigned int nr_suites;
	const char *json_path;		/* NULL: none; "-": standard output */
	const char *preload, *compile_trace, *peers;
	unsigned long seconds, live_mib;
	bool quick;
};

/* Runs the suites, prints the tables, writes the JSON. Returns an exit code. */
int bench_execute(const struct bench_request *request);
/* Runs a suite's part in a child that child.c started. */
int bench_execute_child(const char *suite, const char *arg);

void bench_percpu(struct bench *bench);
int bench_percpu_child(const char *arg);
void bench_gfp_flags(struct bench *bench);
void bench_page_alloc(struct bench *bench);
void bench_page_order(struct bench *bench);
void bench_page_bulk(struct bench *bench);
void bench_kmalloc(struct bench *bench);
int bench_kmalloc_child(const char *arg);
void bench_quicklist(struct bench *bench);
int bench_quicklist_child(const char *arg);
void bench_malloc(struct bench *bench);
int bench_malloc_child(const char *arg);
void bench_soak(struct bench *bench);
int bench_soak_child(const char *arg);

#endif
