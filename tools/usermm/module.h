/* SPDX-License-Identifier: MIT */
/* One run of `usermm module`. */
#ifndef TOOLS_MODULE_H
#define TOOLS_MODULE_H

#include <limits.h>
#include <stdbool.h>

#define MODULE_MAX_ARGUMENTS 256
/* As timeout(1) ends then. */
#define MODULE_EXIT_TIMEOUT 124

struct module_job {
	const char *sources[MODULE_MAX_ARGUMENTS];
	const char *flags[2 * MODULE_MAX_ARGUMENTS];	/* the compiler's */
	char *params[MODULE_MAX_ARGUMENTS];
	const char *compiler[MODULE_MAX_ARGUMENTS];	/* and its arguments */
	unsigned int nr_sources, nr_flags, nr_params, nr_compiler;
	unsigned long timeout;				/* seconds; 0 is none */
	bool compile_only;
	bool is_archive;				/* library is one, and script its names */
	char version[48], compiler_text[PATH_MAX];
	char kernel_headers[PATH_MAX], public_headers[PATH_MAX], library[PATH_MAX];
	char script[PATH_MAX];
	char folder[PATH_MAX], program[PATH_MAX + 16], trace[PATH_MAX + 16];
};

/* kernel/module_run.h has it, too: where the program writes its stacks' addresses. */
#define MODULE_TRACE_FILE "USERMM_MODULE_TRACE"

bool module_is_in_path(const char *name);

/* Runs the built program with its parameters; the exit code. */
int module_job_run(const struct module_job *job);

#endif
