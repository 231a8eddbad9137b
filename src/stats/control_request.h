/* SPDX-License-Identifier: MIT */
/*
 * How `usermm control` asks a running process to read or change a control: it writes a request into
 * the process's memory, and the process's background thread carries it out
 * (api/control_requests.c).
 *
 * 1. Who may ask. The process must run with control=on, and the requester must have the right to
 *    write to its memory (process_vm_writev(2), which asks for the rights of ptrace(2)). So this
 *    gives nobody a new right.
 *
 * 2. One requester at a time. A requester first becomes the tracer (PTRACE_SEIZE) of the thread
 *    that answers. The kernel gives a thread one tracer, and frees it when the tracer ends, however
 *    that happens. So this is the lock. process_vm_writev(2) alone could not take one, since it
 *    has no compare and swap. A file as a lock would have a place and an owner, which differ
 *    between users and containers. Every write names the traced thread's number, not the process's:
 *    once the process executes another program, that number is gone, and no byte can get into the
 *    new program.
 *
 * 3. The steps. The requester waits until answered equals asked: a requester that was killed may
 *    have left a request, perhaps before it told the thread, so this one tells it. Then it writes
 *    access, value and name, and by a second call `asked`. At last it tells the thread: it adds
 *    CONTROL_REQUEST_WAKE to background_requests. If the thread sleeps in futex(2) on
 *    that word (background_sleeping), the requester interrupts it (PTRACE_INTERRUPT): futex(2) then
 *    begins again, compares the word, and returns. So the thread need not poll, and the process
 *    needs neither a signal handler nor a file or memory that it shares with the requester.
 *
 * 4. The requester adds by a read and a write, which is not atomic: additions of other threads in
 *    between are lost. The thread only compares the word with its value before. It sees a change
 *    all the same, since CONTROL_REQUEST_WAKE is more than threads can add in so short a time.
 *
 * 5. Files. The thread that answers can open none (os/rights.h). So the profile that it writes to
 *    an open file ends where the mappings begin. The requester copies these (/proc/PID/maps) into
 *    the same open file (pidfd_getfd(2)).
 *
 * 6. Fork. The child inherits the structure with its parent's `process`. Nobody writes a request to
 *    it until the child's own thread has set `process` and `thread`. That thread first drops an
 *    inherited request.
 *
 * A change of the structure needs a new LAYOUT_VERSION (stats/layout.h).
 */
#ifndef STATS_CONTROL_REQUEST_H
#define STATS_CONTROL_REQUEST_H

#include <stdint.h>

#define CONTROL_NAME_BYTES 48
/* The requester adds this to background_requests. */
#define CONTROL_REQUEST_WAKE (1u << 30)

/* Bits: what may be done with a control (controls.def), and what a request asks for. */
enum { CAN_READ = 1, CAN_WRITE = 2 };

struct control_request {
	uint32_t asked;		/* number of the last request */
	uint32_t answered;	/* number of the last one that was carried out, or dropped */
	uint32_t process;	/* the process's id, in its own namespace; 0: nobody answers yet */
	uint32_t thread;	/* the id of the thread that answers, in this namespace */
	uint32_t access;	/* the request: CAN_READ, CAN_WRITE or both */
	int32_t error;		/* the answer: 0 or a negative errno value */
	uint64_t value;		/* the value to write; in the answer, the value before that */
	char name[CONTROL_NAME_BYTES];
};

#endif
