// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#define THP_PATH "/sys/kernel/mm/transparent_hugepage/enabled"

#if defined(__GLIBC__)
const char *machine_libc(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "glibc %s", gnu_get_libc_version());
	return text;
}
#else
const char *machine_libc(void)
{
	return "a libc other than glibc";
}
#endif

const char *machine_kernel(char *text, size_t bytes)
{
	struct utsname system;

	if (uname(&system))
		snprintf(text, bytes, "unknown");
	else
		snprintf(text, bytes, "%s %s %s", system.sysname, system.release,
			 system.machine);
	return text;
}

const char *machine_cpu(char *text, size_t bytes)
{
	static const char key[] = "model name";
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	snprintf(text, bytes, "unknown");
	while (file && fgets(line, sizeof(line), file)) {
		const char *value = strchr(line, ':');

		if (!value || strncmp(line, key, sizeof(key) - 1))
			continue;
		value += 1 + strspn(value + 1, " \t");
		snprintf(text, bytes, "%.*s", (int)strcspn(value, "\n"), value);
		break;
	}
	if (file)
		fclose(file);
	return text;
}

const char *machine_thp(char *text, size_t bytes)
{
	FILE *file = fopen(THP_PATH, "re");
	char line[128];
	const char *word;

	snprintf(text, bytes, "unknown");
	if (!file)
		return text;
	if (fgets(line, sizeof(line), file)) {
		word = strchr(line, '[');
		if (word)
			snprintf(text, bytes, "%.*s", (int)strcspn(word + 1, "]"), word + 1);
	}
	fclose(file);
	return text;
}
