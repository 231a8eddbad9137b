/* SPDX-License-Identifier: MIT */
/*
 * stderr as it was when the process began, for what is told when it ends: many programs (the core
 * utilities among them) close theirs before. A program may close the copy as well and open
 * something else under its number, so the file is compared before anything is written.
 *
 * A child of fork() has stderr itself and no copy. It may be on its way to be a daemon, and whoever
 * reads what the program wrote to a pipe would wait for the daemon's end.
 */
#ifndef OS_REPORT_KEPT_STDERR_H
#define OS_REPORT_KEPT_STDERR_H

/* Makes the copy, which costs a descriptor. Before there are threads; not only the first call. */
void kept_stderr_init(void);
/*
 * The copy's descriptor, or that of stderr if only the copy is closed; negative if there is none,
 * or both are other files' by now.
 */
int kept_stderr(void);

#endif
