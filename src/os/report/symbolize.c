/* SPDX-License-Identifier: MIT */
/*
 * The kernel's list of mappings is read. The dynamic linker could tell, too, but its lock may be
 * held by a thread that waits for one of usermm's.
 */
#include "os/report/symbolize.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/upward_hooks.h"
#include "os/file.h"
#include "os/report/process.h"
#include "os/text.h"

#define LINE_BYTES 512
#define PROGRAM "/proc/self/exe"
#define CODE_FILES_MAX 128

/* Sync: written before files are forbidden, and read afterwards */
static struct os_file code_files[CODE_FILES_MAX] __large_bss;

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

/* The next line without its newline, cut to fit. False behind the last one. */
static bool next_line(struct reader *reader, char *line, size_t size)
{
	size_t length = 0;
	int byte;

	while ((byte = next_byte(reader)) >= 0 && byte != '\n')
		if (length < size - 1)
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
static bool read_file_line(const char *line, struct os_file *file)
{
	const char *rest = read_hex(line, &file->start), *path;

	if (*rest++ != '-')
		return false;
	rest = strchr(read_hex(rest, &file->end) + 1, ' ');
	path = strchr(line, '/');
	if (!rest || !path)
		return false;
	read_hex(rest + 1, &file->offset);
	fmt_format(file->path, sizeof(file->path), "%s", path);
	return true;
}

static bool has_address(const struct os_file *file, unsigned long address)
{
	return address >= file->start && address < file->end;
}

/* Looks in the kernel's list of mappings. If found, `line` is its line there, cut to fit. */
static bool look_up_line(unsigned long address, struct os_file *file, char *line, size_t size)
{
	int saved_errno = errno;
	struct reader reader = { .fd = process_open_file("/proc/self/maps") };
	bool found = false;

	while (reader.fd >= 0 && !found && next_line(&reader, line, size))
		found = read_file_line(line, file) && has_address(file, address);
	if (reader.fd >= 0)
		os_close_file(reader.fd);
	errno = saved_errno;
	return found;
}

/* "start-end r-xp ..." */
static bool is_code(const char *line)
{
	const char *permissions = strchr(line, ' ');

	return permissions && permissions[strspn(permissions, " rw-")] == 'x';
}

void os_keep_code_files(void)
{
	int saved_errno = errno;
	struct reader reader = { .fd = os_open_file("/proc/self/maps") };
	struct os_file file;
	char line[LINE_BYTES];
	unsigned int nr = 0;

	while (reader.fd >= 0 && nr < CODE_FILES_MAX && next_line(&reader, line, sizeof(line)))
		if (is_code(line) && read_file_line(line, &file))
			code_files[nr++] = file;
	if (reader.fd >= 0)
		os_close_file(reader.fd);
	errno = saved_errno;
}

static bool look_up_kept(unsigned long address, struct os_file *file)
{
	for (unsigned int i = 0; i < CODE_FILES_MAX; i++)
		if (has_address(&code_files[i], address)) {
			*file = code_files[i];
			return true;
		}
	return false;
}

static bool look_up(unsigned long address, struct os_file *file)
{
	char line[LINE_BYTES];

	if (process_files_are_forbidden())
		return look_up_kept(address, file);
	return look_up_line(address, file, line, sizeof(line));
}

static const struct os_file *find_file(struct os_files *files, unsigned long address)
{
	struct os_file *file;

	for (unsigned int i = 0; i < OS_FILES_SEEN; i++)
		if (has_address(&files->seen[i], address))
			return &files->seen[i];
	file = &files->seen[files->next];
	files->next = (files->next + 1) % OS_FILES_SEEN;
	if (look_up(address, file))
		return file;
	*file = (struct os_file){ 0 };
	return NULL;
}

static void describe(const struct os_file *file, const void *address, char *text, size_t size)
{
	if (file)
		fmt_format(text, size, "%s+0x%lx", file->path,
			   (unsigned long)address - file->start + file->offset);
	else
		fmt_format(text, size, "%p", address);
}

void (*os_describe_hook)(const void *address, char *text, size_t size);

void os_describe_in_files(struct os_files *files, const void *address, char *text, size_t size)
{
	if (os_describe_hook)
		os_describe_hook(address, text, size);
	else
		describe(find_file(files, (unsigned long)address), address, text, size);
}

void os_describe_address(const void *address, char *text, size_t size)
{
	struct os_file file;

	if (os_describe_hook)
		os_describe_hook(address, text, size);
	else if (look_up((unsigned long)address, &file))
		describe(&file, address, text, size);
	else
		describe(NULL, address, text, size);
}

/* --- The program ------------------------------------------------------------------------------ */

/* The inode of a mapping's file: "start-end perms offset major:minor inode path". */
static unsigned long read_inode(const char *line)
{
	const char *inode = text_skip_words(line, 4);

	return inode ? text_number(&inode) : 0;
}

/*
 * Finds the program's file and inode by its first instruction, which is in no other file. 0: not
 * found.
 */
static unsigned long find_program(char path[OS_PROGRAM_PATH_BYTES])
{
	struct os_file file;
	const char *name;
	unsigned long inode;

	if (!look_up_line(getauxval(AT_ENTRY), &file, path, OS_PROGRAM_PATH_BYTES))
		return 0;
	inode = read_inode(path);
	name = strchr(path, '/');
	memmove(path, name, strlen(name) + 1);
	return inode;
}

/*
 * Falls back to /proc/self/exe: a program may have moved its code to memory without a file (huge
 * pages).
 */
bool os_program_path(char path[OS_PROGRAM_PATH_BYTES])
{
	int saved_errno = errno;
	long length;

	if (find_program(path))
		return true;
	length = syscall(SYS_readlinkat, AT_FDCWD, PROGRAM, path, OS_PROGRAM_PATH_BYTES - 1);
	path[max(length, 0L)] = '\0';
	errno = saved_errno;
	return length > 0;
}

void os_program_file(char path[OS_PROGRAM_PATH_BYTES])
{
	unsigned long inode = find_program(path);
	int saved_errno = errno;
	struct stat status;

	if (!inode || (!fstatat(AT_FDCWD, PROGRAM, &status, 0) && status.st_ino == inode))
		fmt_format(path, OS_PROGRAM_PATH_BYTES, "%s", PROGRAM);
	errno = saved_errno;
}

FOR_KERNEL(os_describe_hook);
FOR_KERNEL(os_program_file);
