/* SPDX-License-Identifier: MIT */
/* Files that commands read whole, and files that they write. Each failure is told in one line. */
#ifndef REPORT_FILES_H
#define REPORT_FILES_H

#include <stdio.h>

struct command;

#define NO_PAGE_PARTS "the page's parts are neither beside usermm nor in " \
	"../share/usermm/report; install them there"

/* Says what is wrong with a file. Returns status. */
int file_complain(const struct command *command, const char *path, const char *what, int status);

/*
 * Reads a file. *text is freed by the caller, also after a failure; a zero byte stands behind the
 * file's last one. 0, or the exit status after a message.
 */
int file_read(const struct command *command, const char *path, char **text, size_t *length);

/* A file that is written. */
struct output {
	const struct command *command;
	const char *path;
	FILE *to;
	char *partial;		/* NULL: there is no other name */
};

/*
 * A regular file is written under another name first, so a file that was there stays whole until
 * the new one is. Any other file (/dev/stdout, a pipe) is written to as it is; "-" is
 * standard output. 0, or the exit status after a message. output_close() is called in any case.
 */
int output_open(struct output *output, const struct command *command, const char *path);
/* Ends the output. code: 0, or the exit status of what failed before. Returns the exit status. */
int output_close(struct output *output, int code);

#endif
