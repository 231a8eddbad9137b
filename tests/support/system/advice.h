/* SPDX-License-Identifier: MIT */
/* Reads from /proc/self/smaps what the kernel was told about huge pages by madvise(2). */
#ifndef SUPPORT_ADVICE_H
#define SUPPORT_ADVICE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* "hg" if huge pages were asked for at the address, "nh" if they were refused, else nothing. */
static inline const char *advice_at(const void *address)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	const char *advice = "unknown";
	uintptr_t start, end;
	bool here = false;
	char line[512];

	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) == 2)
			here = (uintptr_t)address >= start && (uintptr_t)address < end;
		if (here && !strncmp(line, "VmFlags:", 8))
			advice = strstr(line, " hg") ? "hg" : strstr(line, " nh") ? "nh" : "";
	}
	if (smaps)
		fclose(smaps);
	return advice;
}

/*
 * Can smaps be trusted? A kernel without transparent huge pages shows nothing, and an emulator
 * makes smaps up.
 */
static inline bool advice_is_told(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool told = page != MAP_FAILED && !madvise(page, bytes, MADV_HUGEPAGE) &&
		    !strcmp(advice_at(page), "hg");

	if (page != MAP_FAILED)
		munmap(page, bytes);
	return told;
}

#endif
