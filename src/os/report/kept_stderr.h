/* SPDX-License-Identifier: MIT */
/*
 * A copy of stderr as it was when the process began, for reports when it ends: many programs close
 * stderr before (the core utilities do). A program may close the copy as well and open another file
 * under its number, so the file is compared before anything is written.
 *
 * A child of fork() has stderr itself and no copy. The child may become a daemon, and a reader of
 * the program's output pipe would wait until the daemon ends.
 */
#ifndef OS_REPORT_KEPT_STDERR_H
#define OS_REPORT_KEPT_STDERR_H

/* Makes the copy, which takes one descriptor. Before there are threads. May be called again. */
void kept_stderr_init(void);
/*
 * The copy's descriptor, or stderr's if only the copy was closed. Negative if there is none, or
 * both numbers are other files by now.
 */
int kept_stderr(void);

#endif
