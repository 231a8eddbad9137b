/* SPDX-License-Identifier: MIT */
/* The commands of usermm, and what they share. */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "statuses.h"

#define PRELOAD_LIBRARY "libusermm_malloc.so"
/* The library's name in an installation without development files. */
#define PRELOAD_LOADED PRELOAD_LIBRARY "." USERMM_SOVERSION
#define COMPILE_TRACE "compile.mmtrace"

/*
 * The table of one command. Its help, its man page, the shells' completions and getopt_long() are
 * made from it, so each thing is said once.
 *
 * Texts are plain sentences. `code` stands in backticks, an empty line ends a paragraph, and lines
 * are wrapped when they are shown.
 *
 * The name of an argument is also its type, by which the shells complete it: FILE, FOLDER, PID,
 * PROGRAM, OPTIONS (the library's own, which take_arguments() applies), and `word_type` below. Any
 * other name stands for a text or a number that cannot be completed.
 */
struct command_option {
	int key;		/* for take(); a letter is the short option as well */
	const char *name;	/* the long option without "--"; NULL: there is none */
	const char *argument;	/* the name of its argument; NULL: it takes none */
	const char *help;
};

/* An option without a rule goes with all forms of its command, and with all other options. */
struct command_rule {
	int key;		/* the option's */
	const char *with;	/* the forms that it goes with, separated by ", "; NULL: all */
	int without;		/* the key of an option that it does not go with, or 0 */
	const char *values;	/* the words that its argument may be, separated by ", "; or NULL */
};

struct command_exit {
	int status;
	const char *meaning;	/* NULL: what statuses.h says */
	const char *name;	/* of several statuses: "else"; NULL: the number is the name */
};

/* Rows of a command that reads files and writes a page about them. */
#define EXITS_OF_PAGES							\
	{ .status = EXIT_USAGE },					\
	{ .status = EXIT_NO_OUTPUT },					\
	{ .status = EXIT_NO_INPUT },					\
	{ .status = EXIT_BAD_INPUT },					\
	{ .status = EXIT_NO_MEMORY },					\
	{ .status = EXIT_NO_LIBRARY }

struct command_example {
	const char *line;	/* what to type */
	const char *what;	/* what happens then */
};

struct command {
	const char *name;	/* "run"; in two words for a command of a command */
	const char *words;	/* the arguments behind the options, or NULL */
	const char *summary;	/* one line; NULL: the command is not for people */
	const char *text;
	/* Each of these four tables ends with an entry of zeros; NULL: there are no entries. */
	const struct command_option *options;	/* without --help, which all commands have */
	const struct command_rule *rules;
	const struct command_exit *exits;
	const struct command_example *examples;
	/* Word i that an argument named word_type may be, with its meaning; NULL past the last. */
	const char *word_type;
	const char *(*word)(unsigned int i, const char **help);
	bool ends_at_word;	/* arguments behind the first word are another program's */
	/* Handles an option; false after complain(). NULL if there are no options of its own. */
	bool (*take)(const struct command *command, int key, const char *value, void *context);
	int (*run)(int argc, char **argv);	/* argv[0] is the last word of the name */
};

extern const struct command command_bench, command_bench_child, command_control, command_doctor,
	command_export, command_inspect, command_module, command_profile, command_record,
	command_report, command_run, command_selftest, command_selftest_percpu, command_top;

/* Command i in the order of the help; NULL past the last. */
const struct command *command_at(unsigned int i);
/* The command that the words name, by its two words or by the first alone; NULL: none. */
const struct command *command_find(int nr_words, char *const *words);
/* How many words the command's name has. */
int command_nr_words(const struct command *command);

/* An option that several commands have. */
#define OPTIONS_HELP "set options of the library, `name=value`, separated by `:`"

/* The row's first column; valid until the next call. */
const char *exit_name(const struct command_exit *row);
/* The row's second column; NULL: this is the end of the table. */
const char *exit_meaning(const struct command_exit *row);

/* The two helps; both return the exit code. */
int help_all(void);
int help_command(const struct command *command);
/*
 * Writes to stderr that the command is unknown, or missing (NULL), and the names of all commands.
 * Returns EXIT_USAGE.
 */
int help_unknown(const char *name);

/* The real path of a file, given relative to this program's folder. False if there is none. */
bool beside_program(const char *relative, char path[PATH_MAX]);

/* The path of a library of usermm's: beside the program or where libraries are installed. */
bool library_path(const char *name, char path[PATH_MAX]);
/* Path of the malloc library, found in the same way; or NULL. */
const char *preload_path(void);

/*
 * The value of the option rseq= that cannot be followed here, or NULL.
 * percpu_mode_reason() tells why. percpu_init() must have been called.
 */
const char *refused_rseq(void);

/* Path of a recorded compile, beside the program or in ../share/usermm; or NULL. */
const char *compile_trace_path(void);
/* Path of the program of `usermm inspect`, beside this one or in ../libexec/usermm; or NULL. */
const char *inspect_path(void);
/* Runs that program in place of this one. Returns the exit status if it cannot. */
int run_inspect(int argc, char **argv);
/* The folder that `make bench-peers` fills, NULL if there is none. */
const char *peers_path(void);

/*
 * Handles the argument of -o: checks it, applies it to this process, and appends it to
 * USERMM_OPTIONS for child processes. False, after a message, if it is wrong.
 */
bool take_options(const char *command, const char *text);

/*
 * Writes out what standard output still buffers. Returns the status. If the output cannot be
 * written and the status is 0 or 1, prints one line and returns EXIT_NO_OUTPUT instead.
 */
int end_output(const char *command, int status);

/* Adds value to the environment variable, in front of the old value (first) or behind it. */
bool join_variable(const char *name, const char *value, char separator, bool first);

#endif
