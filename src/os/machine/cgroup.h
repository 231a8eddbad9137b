/* SPDX-License-Identifier: MIT */
/*
 * The memory cgroup that the process lives in, and the cgroup's parents: their limits, and how much
 * of these is left. Both versions, also one beside the other.
 *
 *			version 2		version 1
 *	the limit	memory.max		memory.limit_in_bytes
 *	a lower one,	memory.high		-
 *	that only slows down
 *	usage		memory.current		memory.usage_in_bytes
 *	cached files	inactive_file		total_inactive_file, both of memory.stat
 *
 * Each file is opened, read and closed. No descriptor stays open: a program may close or reuse any
 * number, and it may count its own. A file that is missing is no limit. A file that cannot be read,
 * or that does not have a limit's text, is ignored, and os_cgroup_complaint() tells. A limit that
 * was known before stays in force then: after chroot(2) the files are out of sight, but the kernel
 * still counts.
 *
 * One thread at a time calls these functions, except where they say otherwise.
 */
#ifndef OS_MACHINE_CGROUP_H
#define OS_MACHINE_CGROUP_H

#include "base/compiler.h"

struct os_limit;

/*
 * Finds the cgroup in which the process is now, and lowers *limit to the lowest limit found. high:
 * also reads memory.high, which counts only for os_cgroup_read_room(), not for *limit.
 */
void os_cgroup_take_limit(struct os_limit *limit, bool high);

struct os_cgroup_room {
	uint64_t bytes;	/* what all levels together may still be charged; UINT64_MAX: no limit */
	uint64_t limit;	/* of the level that has least room */
};
/*
 * Reads the usage at all levels that had a limit when limits were last read. Cached files that
 * nobody has used for a while count as room, because the kernel drops them first. They are read
 * only at a level where otherwise less than an eighth of the limit, and `bytes` bytes, would be
 * left.
 */
void os_cgroup_read_room(uint64_t bytes, struct os_cgroup_room *room);

/*
 * The cgroup stays as it was found, because its name is about to change its meaning (cgroup
 * namespaces). From any thread.
 */
void os_cgroup_settle(void);

/* One line about the first file that was ignored; NULL if there was none. From any thread. */
const char *os_cgroup_complaint(void);

/*
 * Opens a file with a number that grows while the cgroup lacks memory: see
 * os_cgroup_read_stall(). Returns the descriptor, which is one that programs rarely use, and which
 * exec(2) closes; -ENOENT if there is no such file; or another negative errno if no such
 * descriptor is free. *kind says how to read the file.
 */
enum os_cgroup_stall {
	OS_STALL_TIME,		/* memory.pressure: microseconds behind "total=", first line */
	OS_STALL_EVENTS,	/* memory.events: the numbers of "high" and "max" */
	OS_STALL_FAILURES,	/* memory.failcnt: one number */
};
int os_cgroup_open_stall(enum os_cgroup_stall *kind);
/*
 * How often os_cgroup_take_limit() found the process in another cgroup than before. Sync: atomic
 * relaxed
 */
extern unsigned int os_cgroup_moves;
/* Reads the number in the file; false if it has none. From any thread. */
bool os_cgroup_read_stall(int fd, enum os_cgroup_stall kind, uint64_t *value);

#endif
