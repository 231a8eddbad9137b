/* SPDX-License-Identifier: MIT */
#include "os/environment.h"

#include "base/fmt.h"
#include "base/text.h"
#include "os/start/auxiliary.h"
#include "os/file.h"

extern char **environ;

/* Copies the value and returns its length if the entry is this variable's, else returns -1. */
static long copy_value(const char *entry, const char *name, size_t name_length, char *value,
		       size_t size)
{
	if (strncmp(entry, name, name_length) || entry[name_length] != '=')
		return -1;
	return (long)fmt_format(value, size, "%s", entry + name_length + 1);
}

static long find_value(char **entries, const char *name, size_t name_length, char *value,
		       size_t size)
{
	long length = -1;

	for (; *entries && length < 0; entries++)
		length = copy_value(*entries, name, name_length, value, size);
	return length;
}

/* Looks in the first 8 KiB of /proc/self/environ, the kernel's copy of the environment. */
static long environment_file(const char *name, size_t name_length, char *value, size_t size)
{
	char text[8192];
	long bytes = os_read_file("/proc/self/environ", text, sizeof(text)), length = -1;

	for (char *entry = text; bytes > 0 && length < 0 && entry < text + bytes;
	     entry += strlen(entry) + 1)
		length = copy_value(entry, name, name_length, value, size);
	return length;
}

long os_environment(const char *name, char *value, size_t size)
{
	size_t name_length = strlen(name);
	char **entries = environ;

	if (os_auxiliary(AT_SECURE))
		return -1;
	if (!entries)		/* libc has not set it yet */
		entries = os_first_environment();
	return entries ? find_value(entries, name, name_length, value, size) :
			 environment_file(name, name_length, value, size);
}

FOR_KERNEL(os_environment);
