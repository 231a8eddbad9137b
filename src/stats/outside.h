/* SPDX-License-Identifier: MIT */
/*
 * A request to a running process from outside: `usermm control` writes it into the process's
 * memory, and the background thread carries it out (api/outside.c).
 *
 * 1. Who may ask. A process that runs with control=on, by whoever may write to its memory
 *    (process_vm_writev(2), which asks for the rights of ptrace(2)). So this gives nobody a right
 *    that he lacks.
 *
 * 2. One requester at a time. A requester first becomes the tracer (PTRACE_SEIZE) of the thread
 *    that answers. The kernel gives a thread one tracer, and frees it when the tracer ends, however
 *    that happens. So this is the lock. process_vm_writev(2) alone could not take one, since it
 *    has no compare and swap. A file as a lock would have a place and an owner, which differ
 *    between users and containers. Everything is written by the traced thread's number, not by the
 *    process's: once the process executes another program, that number is gone, and no byte can
 *    get into the new program.
 *
 * 3. The steps. The requester waits until answered equals asked: a requester that was killed may
 *    have left a request. Then it writes access, value and name, and by a second call `asked`. At
 *    last it adds OUTSIDE_WAKE to background_requests, and while the thread sleeps on that word
 *    (background_sleeping), it interrupts the thread (PTRACE_INTERRUPT). futex(2) then begins
 *    again, compares the word, and returns. So nobody has to look again and again whether there is
 *    a request, and the process has no handler, file or memory in common with anybody.
 *
 * 4. The addition from outside is no atomic one: additions of other threads that come between its
 *    read and its write are lost. But the word is then unlike all that it was before, for
 *    OUTSIDE_WAKE is more than threads add in such a time. So the thread, which compares the word
 *    for equality alone, sees that there is work.
 *
 * Files. The thread that answers can open none (os/rights.h). So the profile that it writes to an
 * open file ends where the mappings begin, and the requester copies them (/proc/PID/maps) into the
 * same open file (pidfd_getfd(2)).
 *
 * Fork. The child inherits the block with its parent's `process`. No request is written to it
 * until the child's own thread has set `process` and `thread`, and that thread drops what was
 * inherited.
 *
 * A change of the structure needs a new LAYOUT_VERSION (stats/layout.h).
 */
#ifndef STATS_OUTSIDE_H
#define STATS_OUTSIDE_H

#include <stdint.h>

#define OUTSIDE_NAME_BYTES 48
/* A requester adds this to background_requests. */
#define OUTSIDE_WAKE (1u << 30)

/* What may be done with a control, and what a request does with it. */
enum { CAN_READ = 1, CAN_WRITE = 2 };

struct outside {
	uint32_t asked;		/* number of the last request */
	uint32_t answered;	/* number of the last one that was carried out, or dropped */
	uint32_t process;	/* which has the thread that answers, as the process sees itself */
	uint32_t thread;	/* likewise */
	uint32_t access;	/* the request */
	int32_t error;		/* the answer: 0 or a negative errno value */
	uint64_t value;		/* to be written; in the answer what was read before that */
	char name[OUTSIDE_NAME_BYTES];
};

#endif
