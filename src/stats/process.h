/* SPDX-License-Identifier: MIT */
/* Whose statistics these are. */
#ifndef STATS_PROCESS_H
#define STATS_PROCESS_H

#include "os/os.h"

struct process_facts {
	char pid[16];
	char command[OS_NAME_BYTES];
	char executable[OS_PROGRAM_PATH_BYTES];	/* "" if nobody tells */
	unsigned long start_time_seconds;	/* since 1970; 0 if nobody tells */
};

void process_facts_read(struct process_facts *facts);

#endif
