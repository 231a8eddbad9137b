/* SPDX-License-Identifier: MIT */
/*
 * The end of a heap profile that a process writes for a requester: its mappings. The process does
 * not write them itself: stats/control_request.h says why.
 */
#ifndef CONTROL_MAPPINGS_H
#define CONTROL_MAPPINGS_H

#include <stdint.h>
#include <sys/types.h>

/*
 * A descriptor for the same open file as the process's fd. -1: there is none, and errno says why
 * (ENOSYS before Linux 5.6).
 */
int mappings_open_file(pid_t pid, uint64_t fd);
/*
 * Writes /proc/PID/maps. Waits for room in a pipe, for at most so many seconds in all. 0 or an
 * errno value.
 */
int mappings_write(pid_t pid, int file, double seconds);

#endif
