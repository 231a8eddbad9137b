/* SPDX-License-Identifier: MIT */
/* What /proc says of a process. */
#ifndef TOOLS_PROC_H
#define TOOLS_PROC_H

#include <stdbool.h>
#include <sys/types.h>

/* A process that was opened. Another one that gets its number later is not taken for it. */
struct proc {
	pid_t pid;
	int folder;		/* /proc/PID */
	char command[64];
};

struct proc_numbers {
	unsigned long rss, rss_peak, anonymous, file, swap;	/* bytes */
	unsigned long threads;
	unsigned long faults;	/* minor and major, since its start */
	double cpu_seconds;	/* user and system, since its start */
	double start_seconds;	/* since 1970 */
};

/* The process id that the text is, or -1. */
pid_t proc_pid(const char *text);
/*
 * Opens the process whose id is in the text. Returns 0; or prints one line of error that names the
 * command, and returns the exit code.
 */
int proc_open(struct proc *proc, const char *text, const char *command);
/* False: the process has ended. */
bool proc_read(const struct proc *proc, struct proc_numbers *numbers);
void proc_close(struct proc *proc);

#endif
