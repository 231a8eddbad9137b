/* SPDX-License-Identifier: MIT */
/*
 * Files that a process writes about itself if an option says so: a profile, statistics.
 *
 * A report is written whole or not at all, even if several processes write to one name at a time.
 * There are two ways. It replaces: the file gets the name when it is complete, so the last process
 * that ends keeps it. Or it is appended to what other processes wrote: one process writes at a
 * time, by one write(2) if the report fits into the writer's memory. If a full disk leaves half of
 * it, that half is taken away again.
 *
 * If the name is no ordinary file (a device, a pipe, a symbolic link), the report goes directly to
 * what the name leads to. A pipe that nobody reads is not waited for.
 *
 * A process that has locked itself down (os/report/process.h) writes none: it might be killed for
 * it.
 *
 * Nothing here allocates or takes a lock, so signal handlers may write. A report that cannot be
 * written is one warning. Neither SIGPIPE nor SIGXFSZ is raised.
 */
#ifndef OS_REPORT_REPORT_FILE_H
#define OS_REPORT_REPORT_FILE_H

#include "base/fmt.h"
#include "os/signal/signals.h"

#define REPORT_PATH_BYTES 1024
/* Stands behind a file's name until the file is complete: a point and a random number. */
#define REPORT_SUFFIX_BYTES 12
/* How long to wait for another process's or another thread's report. */
#define REPORT_WAIT_MS 1000

/* What to write, and where. */
struct report {
	const char *option, *what;	/* for warnings: "profile_file", "the profile" */
	const char *pattern;		/* %p: process, %n: number of its report, %%: a % */
	unsigned int permissions;	/* of a new file, without those of umask(2) */
	bool append;
	char *memory;			/* for the writer; NULL: 2 KiB of its own */
	size_t memory_bytes;
	void (*write)(struct fmt_writer *out);
};

/* One for each kind of report. Large and static, so that a signal handler needs little stack. */
struct report_file {
	uint64_t writer;		/* Sync: atomic; see report_file_begin() */
	unsigned int nr_written;	/* Sync: atomic relaxed */
	/* Sync: the writer's */
	struct fmt_writer out;
	char path[REPORT_PATH_BYTES], unfinished[REPORT_PATH_BYTES + REPORT_SUFFIX_BYTES];
};

/* Does the pattern give each process a file of its own? */
bool report_file_is_of_process(const char *pattern);
/*
 * May this thread write now? If true, it is the writer, and no handler interrupts it until
 * report_file_end(): a handler that does not return would leave the file locked for good. False
 * while another thread writes, and in a child of vfork(), which has its parent's memory.
 */
bool report_file_begin(struct report_file *file, os_signals *before);
void report_file_end(struct report_file *file, const os_signals *before);
/* For the writer, between the two calls above. It leaves errno alone. */
void report_file_write(struct report_file *file, const struct report *report);
/* Begins, writes and ends a report at the process's end. Waits for another thread's report. */
void report_file_write_at_exit(struct report_file *file, const struct report *report);

#endif
