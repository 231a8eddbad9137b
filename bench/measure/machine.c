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

/* What /proc/cpuinfo says of a processor, on each architecture in the order in which to show it. */
static const struct {
	const char *key, *before;
} cpu_facts[] = {
	{ "model name", "" }, { "cpu family", ", family " }, { "model", ", model " },
	{ "CPU implementer", "implementer " }, { "CPU part", ", part " },
	{ "uarch", "" }, { "cpu", "" },
};
#define NR_CPU_FACTS (sizeof(cpu_facts) / sizeof(cpu_facts[0]))

/* The fact that this line gives, NR_CPU_FACTS if none; *value: what stands behind its colon. */
static size_t read_fact(char *line, const char **value)
{
	size_t length = strcspn(line, ":"), fact;

	*value = line + length;
	if (line[length] == ':')
		*value += 1 + strspn(line + length + 1, " \t");
	while (length && strchr(" \t", line[length - 1]))
		length--;
	for (fact = 0; fact < NR_CPU_FACTS; fact++)
		if (strlen(cpu_facts[fact].key) == length &&
		    !memcmp(cpu_facts[fact].key, line, length))
			break;
	return fact;
}

const char *machine_cpu_of(FILE *cpuinfo, char *text, size_t bytes)
{
	char values[NR_CPU_FACTS][128] = { "" }, line[256];
	size_t used = 0;

	/* An empty line ends the first processor. */
	while (fgets(line, sizeof(line), cpuinfo) && line[0] != '\n') {
		const char *value;
		size_t fact;

		line[strcspn(line, "\n")] = '\0';
		fact = read_fact(line, &value);
		if (fact < NR_CPU_FACTS)
			snprintf(values[fact], sizeof(values[fact]), "%s", value);
	}
	snprintf(text, bytes, "unknown");
	for (size_t fact = 0; fact < NR_CPU_FACTS && used < bytes; fact++)
		if (values[fact][0])
			used += (size_t)snprintf(text + used, bytes - used, "%s%s",
						 cpu_facts[fact].before, values[fact]);
	return text;
}

const char *machine_cpu(char *text, size_t bytes)
{
	FILE *file = fopen("/proc/cpuinfo", "re");

	if (!file) {
		snprintf(text, bytes, "unknown");
		return text;
	}
	machine_cpu_of(file, text, bytes);
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
