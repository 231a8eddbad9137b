/* SPDX-License-Identifier: MIT */
/*
 * What was resident at most in this program. getrusage() also counts what the process had before it
 * started the program.
 */
#ifndef BENCH_HEAVY_PEAK_H
#define BENCH_HEAVY_PEAK_H

#include <stdio.h>

/* In KiB; 0 if the kernel does not say. */
static inline unsigned long peak_kib(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long kib = 0;
	char line[128];

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			break;
	if (status)
		fclose(status);
	return kib;
}

#endif
