/* SPDX-License-Identifier: MIT */
/*
 * Whose code an address is, for reports. The dynamic linker knows, but its lock may be
 * held by a thread that waits for one of ours; so the kernel's list of mappings is read.
 */
#include <errno.h>
#include <string.h>

#include "base/fmt.h"
#include "os/os.h"

#define LINE_BYTES 512

struct reader {
	int fd;
	size_t used, next;
	char buffer[1024];
};

static int next_byte(struct reader *reader)
{
	if (reader->next == reader->used) {
		long n = os_read_some(reader->fd, reader->buffer, sizeof(reader->buffer));

		if (n <= 0)
			return -1;
		reader->used = (size_t)n;
		reader->next = 0;
	}
	return (unsigned char)reader->buffer[reader->next++];
}

/* The next line without its end, cut to fit; false behind the last one. */
static bool next_line(struct reader *reader, char *line)
{
	size_t length = 0;
	int byte;

	while ((byte = next_byte(reader)) >= 0 && byte != '\n')
		if (length < LINE_BYTES - 1)
			line[length++] = (char)byte;
	line[length] = '\0';
	return byte >= 0;
}

static const char *read_hex(const char *text, unsigned long *value)
{
	for (*value = 0;; text++) {
		if (*text >= '0' && *text <= '9')
			*value = *value << 4 | (unsigned long)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			*value = *value << 4 | (unsigned long)(*text - 'a' + 10);
		else
			return text;
	}
}

/* "start-end perms offset device inode   path" */
static bool describe(const char *line, unsigned long address, char *text, size_t size)
{
	unsigned long start, end, offset;
	const char *rest = read_hex(line, &start), *path;

	if (*rest++ != '-')
		return false;
	rest = strchr(read_hex(rest, &end) + 1, ' ');
	path = strchr(line, '/');
	if (address < start || address >= end || !rest || !path)
		return false;
	read_hex(rest + 1, &offset);
	fmt_format(text, size, "%s+0x%lx", path, address - start + offset);
	return true;
}

void os_describe_address(const void *address, char *text, size_t size)
{
	int saved_errno = errno;
	struct reader reader = { .fd = os_open_file("/proc/self/maps") };
	char line[LINE_BYTES];
	bool found = false;

	while (reader.fd >= 0 && !found && next_line(&reader, line))
		found = describe(line, (unsigned long)address, text, size);
	if (!found)
		fmt_format(text, size, "%p", address);
	if (reader.fd >= 0)
		os_close_file(reader.fd);
	errno = saved_errno;
}
