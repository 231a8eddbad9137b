/* SPDX-License-Identifier: MIT */
/*
 * Files that a process writes about itself where an option tells: a profile, statistics.
 *
 * A report is written whole or not at all, also where several processes write to one name at a
 * time, and in one of two ways. It replaces: the file gets the name when it is complete, so that
 * the last process that ends keeps it. Or it is appended to what other processes wrote: one
 * process writes at a time, by one write(2) if the report fits into the writer's memory, and what
 * a full disk leaves half is taken away again.
 *
 * What has the name and is no ordinary file is written to as it is: a device, a pipe, where a
 * symbolic link leads. A pipe that nobody reads is not waited for.
 *
 * A process that has shut itself off (os/report/process.h) writes none: it might be killed for it.
 *
 * Nothing here allocates or takes a lock, so signal handlers may write. What cannot be written is
 * one warning; neither SIGPIPE nor SIGXFSZ is raised.
 */
#ifndef OS_REPORT_REPORT_FILE_H
#define OS_REPORT_REPORT_FILE_H

#include "base/fmt.h"
#include "os/signal/signals.h"

#define REPORT_PATH_BYTES 1024
/* Behind a file's name until it is complete: a point and a random number. */
#define REPORT_SUFFIX_BYTES 12
/* Another process's report, or another thread's, is waited for so long. */
#define REPORT_WAIT_MS 1000

/* What is to be written, and where. */
struct report {
	const char *option, *what;	/* for warnings: "profile_file", "the profile" */
	const char *pattern;		/* %p is the process, %n the number of its report, %% a % */
	unsigned int permissions;	/* of a new file, without those of umask(2) */
	bool append;
	char *memory;			/* for the writer; NULL: it has 2 KiB of its own */
	size_t memory_bytes;
	void (*write)(struct fmt_writer *out);
};

/* One for each kind of report. Large, so that a signal handler needs little stack. */
struct report_file {
	uint64_t writer;		/* Sync: atomic; see report_file_begin() */
	unsigned int nr_written;	/* Sync: atomic relaxed */
	/* Sync: of the writer */
	struct fmt_writer out;
	char path[REPORT_PATH_BYTES], unfinished[REPORT_PATH_BYTES + REPORT_SUFFIX_BYTES];
};

/* Is a file of that pattern one process's alone? */
bool report_file_is_of_process(const char *pattern);
/*
 * May this thread write now? Then it is the writer, and no handler interrupts it until
 * report_file_end(): one that does not come back would leave the file as it is, and nobody could
 * write another. Not while somebody else writes, nor in a child of vfork(), which has its parent's
 * memory.
 */
bool report_file_begin(struct report_file *file, os_signals *before);
void report_file_end(struct report_file *file, const os_signals *before);
/* The writer's, between the two. It leaves errno alone. */
void report_file_write(struct report_file *file, const struct report *report);
/* All three, at the process's end: another thread's report is waited for. */
void report_file_write_at_exit(struct report_file *file, const struct report *report);

#endif
