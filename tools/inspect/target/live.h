/* SPDX-License-Identifier: MIT */
/* What the files of live processes share. */
#ifndef INSPECT_LIVE_H
#define INSPECT_LIVE_H

#include <signal.h>

#include "target/target.h"

struct live {
	int priority;		/* of this program, before a pause */
	int pagemap;		/* -1: cannot be read */
	int folder;		/* /proc/PID of this process, even if its number is reused */
	pid_t reader;		/* the thread through which memory is read */
	pid_t *traced;		/* threads that ptrace holds */
	size_t nr_traced;
	uint64_t paused_at;	/* when the first thread was told to stop; 0: none is */
	bool is_pausing;
	struct sigaction action;	/* of SIGCHLD, before a pause */
	sigset_t signals;	/* that were blocked before */
};

/* Is this thread of the process gone, or a zombie? */
bool live_thread_has_ended(struct target *target, pid_t id);
/* Calls fn for each thread until that returns false. */
bool live_for_each_thread(struct target *target, bool (*fn)(struct target *target, pid_t id,
							    void *arg), void *arg);
/* Reads a short file of /proc/PID. False if that is impossible. */
bool live_read_file(struct target *target, const char *name, char *text, size_t bytes);
/* A number of the file `status`, as "Uid:"; -1 if there is none. */
long live_read_status(struct target *target, const char *name);
enum inspect_status live_fail_ended(struct target *target);

/*
 * Stops all threads, at most for some ten milliseconds each time, and takes their registers. Those
 * that do not stop are in the kernel. live_resume() lets them go; it may be called at any time.
 */
enum inspect_status live_pause(struct target *target);
void live_resume(struct target *target);

#endif
