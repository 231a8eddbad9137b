/* SPDX-License-Identifier: MIT */
#include "stats/process.h"

#include "base/fmt.h"

void process_facts_read(struct process_facts *facts)
{
	fmt_format(facts->pid, sizeof(facts->pid), "%d", os_current_process());
	os_process_name(facts->command);
	os_program_path(facts->executable);
	facts->start_time_seconds = (unsigned long)os_process_start();
}
