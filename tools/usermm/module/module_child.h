/* SPDX-License-Identifier: MIT */
/*
 * The children of `usermm module`: compilers, the linker, the module. Each has a process group of
 * its own, so that its own children can be killed with it. While one runs, signals that would end
 * this program are only noted, since temporary files have to be removed first.
 */
#ifndef TOOLS_MODULE_CHILD_H
#define TOOLS_MODULE_CHILD_H

#include <sys/types.h>

enum child_end { CHILD_ENDED, CHILD_TIME_UP, CHILD_INTERRUPTED };

/* Holds SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE back until child_signals_restore(). */
void child_signals_hold(void);
/* Lets signals through again. If one came meanwhile, it ends the process now. */
void child_signals_restore(void);

/*
 * Starts a child whose standard output is `output`, and whose errors go to `errors`. If tmpdir is
 * not NULL, the child's TMPDIR is tmpdir. -1 after a message.
 */
pid_t child_start(char *const *argv, const char *tmpdir, int output, int errors);
/*
 * Waits for the child, at most so many seconds (0: no limit). CHILD_ENDED: *status is waitpid()'s;
 * otherwise the child still runs.
 */
enum child_end child_wait(pid_t pid, unsigned long seconds, int *status);
/* Kills the child's process group and reaps the child. */
void child_kill(pid_t pid);

#endif
