/* SPDX-License-Identifier: MIT */
/* One run of `usermm module`. */
#ifndef TOOLS_MODULE_H
#define TOOLS_MODULE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#define MODULE_MAX_ARGUMENTS 256

struct module_job {
	const char *sources[MODULE_MAX_ARGUMENTS];
	const char *flags[2 * MODULE_MAX_ARGUMENTS];	/* the compiler's */
	char *params[MODULE_MAX_ARGUMENTS];
	const char *compiler[MODULE_MAX_ARGUMENTS];	/* with its arguments */
	unsigned int nr_sources, nr_flags, nr_params, nr_compiler;
	unsigned long timeout;				/* seconds; 0: no limit */
	bool compile_only;
	char **command;					/* to run with the module; NULL: none */
	char preload[PATH_MAX];				/* the library for this command */
	char version[48], compiler_text[PATH_MAX];
	char kernel_headers[PATH_MAX], public_headers[PATH_MAX], library[PATH_MAX];
	char api_library[PATH_MAX];
	char archive[PATH_MAX], script[PATH_MAX];	/* empty: there is no archive */
	char folder[PATH_MAX], program[PATH_MAX + 16], trace[PATH_MAX + 16];
};

/*
 * Environment variable with the file to which the program writes the addresses of its stacks.
 * kernel/module/module_run.h defines it, too.
 */
#define MODULE_TRACE_FILE "USERMM_MODULE_TRACE"
/*
 * Environment variables, as in kernel/files/wire.h: the folder for the module's files, and the
 * library that is preloaded into programs.
 */
#define MODULE_FILES_FOLDER "USERMM_MODULE_FILES"
#define MODULE_FILES_PRELOAD "USERMM_MODULE_PRELOAD"

bool module_is_in_path(const char *name);

/*
 * Does one of the objects define a name that the archive needs from libc? Then the archive must not
 * be linked, since it would use the module's definition instead. The script lists these names.
 */
bool module_has_names_of_libc(const char *const *objects, unsigned int nr, const char *script);

/*
 * Tells which headers of the machine a source got because usermm has none of the name. The list is
 * the compiler's, of its option -H.
 */
void module_name_headers_of_machine(const struct module_job *job, FILE *list);

/* Runs the built program with its parameters. Returns the exit code. */
int module_job_run(const struct module_job *job);

#endif
