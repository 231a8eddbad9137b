// SPDX-License-Identifier: MIT
/* Suite malloc, in a child: programs that do little but allocate. */
#include "malloc.h"

#include <stdio.h>
#include <sys/resource.h>

#include "child.h"
#include "../heavy/heavy.h"
#include "../heavy/peak.h"
#include "measure/timing.h"

/* Processor time of all threads, in user code and in the kernel. */
static double processor_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int malloc_run_program(const char *name, unsigned long divisor)
{
	const struct heavy_program *program = heavy_find_program(name);
	char peak[64];
	double start;

	if (!program || !divisor)
		return child_fail("no such program");
	heavy_divisor = divisor;
	timing_unpin();		/* for its second thread */
	start = processor_seconds();
	program->run();
	child_report(name, 1, (processor_seconds() - start) * timing_hz());
	snprintf(peak, sizeof(peak), "%s" MALLOC_PEAK, name);
	child_report(peak, 1, (double)peak_kib());
	return 0;
}
