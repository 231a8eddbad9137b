/* SPDX-License-Identifier: MIT */
/* The subcommands of usermm, and what they share. */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Exit codes; the shell and env(1) use 126 and 127 in the same way. */
enum {
	EXIT_USAGE = 2,
	EXIT_NO_LIBRARY = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

#define PRELOAD_LIBRARY "libusermm_malloc.so"
#define COMPILE_TRACE "compile.mmtrace"

/* argv[0] is the subcommand's name. */
int command_run(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_bench_child(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_selftest(int argc, char **argv);
int command_module(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_top(int argc, char **argv);

/* Prints the subcommand's help text; returns the exit code. */
int command_help(const char *name);

/* The real path of a file, given relative to this program's folder. False if there is none. */
bool beside_program(const char *relative, char path[PATH_MAX]);

/* Path of the malloc library: beside the program, in ../lib or in ../lib64; or NULL. */
const char *preload_path(void);

/* Path of a recorded compile, beside the program or in ../share/usermm; or NULL. */
const char *compile_trace_path(void);
/* Path of the program of `usermm inspect`, beside this one or in ../libexec/usermm; or NULL. */
const char *inspect_path(void);
/* The folder that `make bench-peers` fills, NULL if there is none. */
const char *peers_path(void);

/*
 * Handles the argument of -o: checks it, applies it to this process, and appends it to
 * USERMM_OPTIONS for child processes. False, after a message, if it is wrong.
 */
bool take_options(const char *command, const char *text);

/* Adds value to the environment variable, in front of the old value (first) or behind it. */
bool join_variable(const char *name, const char *value, char separator, bool first);

#endif
