/* SPDX-License-Identifier: MIT */
/* The subcommands of usermm, and what they share. */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Exit codes; 126 and 127 as the shell and env(1) use them. */
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

/* Prints the subcommand's usage; for its --help. */
int command_help(const char *name);

/* The real path of a file that lies so, seen from this program's folder. */
bool beside_program(const char *relative, char path[PATH_MAX]);

/* The library that replaces malloc, beside the program or in ../lib; or NULL. */
const char *preload_path(void);

/* The trace of a compile, beside the program or in ../share/usermm; or NULL. */
const char *compile_trace_path(void);
/* The folder that `make bench-peers` fills, NULL if there is none. */
const char *peers_path(void);

/*
 * Takes the argument of -o: checks it, applies it to this process, and puts it
 * behind what USERMM_OPTIONS holds, for processes to come. False after telling
 * what is wrong with it.
 */
bool take_options(const char *command, const char *text);

/* "NAME=VALUE", joined with what NAME holds; the new value comes last or first. */
bool join_variable(const char *name, const char *value, char separator, bool first);

#endif
