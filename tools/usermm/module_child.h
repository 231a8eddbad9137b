/* SPDX-License-Identifier: MIT */
/*
 * The children of `usermm module`: compilers, the linker, the module. Each has a process
 * group of its own, so that none of its children stays behind either. While one runs, the
 * signals that end a program are only noted: files have to be removed first.
 */
#ifndef TOOLS_MODULE_CHILD_H
#define TOOLS_MODULE_CHILD_H

#include <sys/types.h>

enum child_end { CHILD_ENDED, CHILD_TIME_UP, CHILD_INTERRUPTED };

/* From here on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE wait for child_signals_restore(). */
void child_signals_hold(void);
/* They are as before; the one that has come meanwhile ends the process. */
void child_signals_restore(void);

/*
 * TMPDIR is set to tmpdir for it, if that is not NULL, and output is its standard output.
 * -1 after telling why.
 */
pid_t child_start(char *const *argv, const char *tmpdir, int output);
/* Ended: *status is waitpid()'s. Else the child is there still. seconds 0: no limit. */
enum child_end child_wait(pid_t pid, unsigned long seconds, int *status);
/* With all of its group. */
void child_kill(pid_t pid);

#endif
