/* SPDX-License-Identifier: MIT */
/* Asks a process to read or change its controls. src/stats/control_request.h has the protocol. */
#ifndef CONTROL_ASK_H
#define CONTROL_ASK_H

#include "stats/control_request.h"
#include "target/target.h"

struct asker;

struct request {
	const char *name;
	unsigned int access;		/* CAN_READ, CAN_WRITE */
	uint64_t value;			/* the value to write; then the value before that */
	int error;			/* the answer: 0 or a negative errno value */
};

/* pid: a process id as a text. NULL after a message in *error. */
struct asker *asker_open(const char *pid, enum inspect_status *status,
			 char error[INSPECT_TEXT_BYTES]);
/* The thread that answers stays traced until this process ends, which frees it. */
void asker_close(struct asker *asker);

/*
 * Asks, and waits for the answer for at most so many seconds. Not INSPECT_OK: there is no answer,
 * and asker_error() says why.
 */
enum inspect_status asker_ask(struct asker *asker, struct request *request, double seconds);

const char *asker_error(const struct asker *asker);
pid_t asker_process(const struct asker *asker);

#endif
