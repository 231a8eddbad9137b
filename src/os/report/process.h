/* SPDX-License-Identifier: MIT */
/*
 * What reports say about the process, from /proc/self.
 *
 * A process that locks itself down (no_new_privs, seccomp) may be killed for opening a file later.
 * So its facts are read before that and then kept. Reports show addresses in code that is loaded
 * later as numbers alone.
 */
#ifndef OS_REPORT_PROCESS_H
#define OS_REPORT_PROCESS_H

#include "os/report/symbolize.h"
#include "os/thread.h"

struct process_facts {
	char pid[16];
	char command[OS_NAME_BYTES];		/* of its first thread, as ps(1) shows it */
	char executable[OS_PROGRAM_PATH_BYTES];	/* as by os_program_path() */
	/* Since 1970; 0 if it cannot be found out. A child of fork() starts at fork(). */
	unsigned long start_time_seconds;
};

/* Bytes of RAM that the process has, with its programs and libraries; 0 if nobody tells. */
uint64_t os_resident_bytes(void);

void process_facts_read(struct process_facts *facts);
/* No file is opened for a report from now on. */
void process_forbid_files(void);
bool process_files_are_forbidden(void);
/* open(2) for reading, for a report: -1 and EPERM if that is forbidden. Sets errno. */
int process_open_file(const char *path);

#endif
