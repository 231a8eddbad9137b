/* SPDX-License-Identifier: MIT */
/*
 * What reports say of the process, from /proc/self.
 *
 * A process that shuts itself off (no_new_privs, seccomp) may be killed for opening a file later.
 * Its facts are read before that, and are its last ones; of addresses in code that comes later
 * reports have the numbers alone.
 */
#ifndef OS_REPORT_PROCESS_H
#define OS_REPORT_PROCESS_H

#include "os/report/symbolize.h"
#include "os/thread.h"

struct process_facts {
	char pid[16];
	char command[OS_NAME_BYTES];		/* of its first thread: what ps(1) shows */
	char executable[OS_PROGRAM_PATH_BYTES];	/* as os_program_path() has it */
	/* Since 1970; 0 if nobody tells. A child of fork() begins with fork(). */
	unsigned long start_time_seconds;
};

/* Bytes of RAM that the process has, with its program and libraries; 0 if nobody tells. */
uint64_t os_resident_bytes(void);

void process_facts_read(struct process_facts *facts);
/* No file is opened for a report from now on. */
void process_forbid_files(void);
bool process_files_are_forbidden(void);
/* open(2) for reading, for a report: EPERM if that is forbidden. */
int process_open_file(const char *path);

#endif
