/* SPDX-License-Identifier: MIT */
#include "os/report/report_file.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic.h"
#include "base/check.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/random.h"
#include "os/report/kept_stderr.h"
#include "os/report/process.h"

/* --- Its name -------------------------------------------------------------------------------- */

/* Replaces %p, %n and %% of the pattern. False if the name is too long. */
static bool name_file(struct report_file *file, const char *pattern)
{
	char *path = file->path;
	size_t used = 0;

	for (; *pattern && used < REPORT_PATH_BYTES - 1; pattern++) {
		size_t room = REPORT_PATH_BYTES - used;

		if (*pattern != '%')
			path[used++] = *pattern;
		else if (*++pattern == 'p')
			used += fmt_format(path + used, room, "%d", os_current_process());
		else if (*pattern == 'n')
			used += fmt_format(path + used, room, "%u",
					   atomic_add_relaxed(&file->nr_written, 1) + 1);
		else
			path[used++] = *pattern;
	}
	path[min(used, REPORT_PATH_BYTES - 1UL)] = '\0';
	return used < REPORT_PATH_BYTES - 1;
}

/* The pattern has a character behind each %: options_parse() refuses others. */
bool report_file_is_of_process(const char *pattern)
{
	for (; *pattern; pattern++)
		if (*pattern == '%' && *++pattern == 'p')
			return true;
	return false;
}

/* Names the unfinished file, in the same directory. The end of a very long name is cut off. */
static void name_unfinished(struct report_file *file)
{
	const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
	size_t length = min(strlen(name), (size_t)NAME_MAX + 1 - REPORT_SUFFIX_BYTES);
	size_t used = (size_t)(name - file->path) + length;

	memcpy(file->unfinished, file->path, used);
	fmt_format(file->unfinished + used, REPORT_SUFFIX_BYTES, ".%x", (unsigned int)os_random());
}

/* --- Writing --------------------------------------------------------------------------------- */

/* 0 or a negative errno. */
static int write_open_file(struct report_file *file, const struct report *report, int fd)
{
	fmt_writer_open_in(&file->out, fd, report->memory, report->memory_bytes);
	report->write(&file->out);
	return fmt_writer_close(&file->out);
}

/*
 * Opens a file that will take the file's name and permissions when it is complete. -1 if the name
 * is no ordinary file, or on failure.
 */
static int open_unfinished(struct report_file *file, const struct report *report)
{
	unsigned int mode = os_file_mode(file->path);
	int fd;

	if (mode && !S_ISREG(mode))
		return -1;
	name_unfinished(file);
	fd = os_create_new_file(file->unfinished, mode ? 0600 : report->permissions);
	if (fd >= 0 && mode)
		os_set_permissions(fd, mode & 0777);
	return fd;
}

/* If no new file can be made (a directory without write permission), writes to the file itself. */
static int replace(struct report_file *file, const struct report *report)
{
	int fd = open_unfinished(file, report), error;
	bool unfinished = fd >= 0;

	if (fd < 0)
		fd = os_create_file(file->path, report->permissions);
	if (fd < 0)
		return -errno;
	error = write_open_file(file, report, fd);
	os_close_file(fd);
	if (!error && unfinished)
		error = os_rename_file(file->unfinished, file->path);
	if (error && unfinished)
		os_remove_file(file->unfinished);
	return error;
}

/*
 * If only a part of the report can be written, cuts this part off again. Does so only with the
 * lock: without it another process may have written behind the part.
 */
static int append(struct report_file *file, const struct report *report)
{
	int fd = os_append_to_file(file->path, report->permissions), error;
	bool locked;
	long size;

	if (fd < 0)
		return -errno;
	locked = os_lock_file(fd, REPORT_WAIT_MS);
	size = os_file_size(fd);
	error = write_open_file(file, report, fd);
	if (error && locked && size >= 0)
		os_cut_file(fd, size);
	os_close_file(fd);
	return error;
}

void report_file_write(struct report_file *file, const struct report *report)
{
	int saved_errno = errno, error = 0, fd = kept_stderr();

	if (process_files_are_forbidden())
		error = -EPERM;
	if (!name_file(file, report->pattern))
		error = -ENAMETOOLONG;
	else if (!error)
		error = report->append ? append(file, report) : replace(file, report);
	if (error && fd >= 0)
		report_warning_to(fd, "%s=%s: %s cannot be written: error %d", report->option,
				  file->path, report->what, -error);
	errno = saved_errno;
}

/* --- One writer at a time ------------------------------------------------------------------- */

/*
 * `writer` is os_fork_generation + 1, or 0. In a child of fork() another value is another process's
 * writer, which does not exist there.
 */
bool report_file_begin(struct report_file *file, os_signals *before)
{
	uint64_t self = os_fork_generation + 1UL, owner = atomic_load_relaxed(&file->writer);

	if (!os_process_is_own())
		return false;
	os_block_signals(OS_SIGNALS_ALL & ~OS_SIGNALS_FAULTS, before);
	/* pairs with report_file_end(): the last writer's file is finished */
	if (owner != self && atomic_cas_acquire(&file->writer, &owner, self))
		return true;
	os_restore_signals(before);
	return false;
}

void report_file_end(struct report_file *file, const os_signals *before)
{
	/* pairs with report_file_begin() */
	atomic_store_release(&file->writer, 0UL);
	os_restore_signals(before);
}

void report_file_write_at_exit(struct report_file *file, const struct report *report)
{
	os_signals before;

	for (unsigned int i = 0; i < REPORT_WAIT_MS && os_process_is_own(); i++) {
		if (report_file_begin(file, &before)) {
			report_file_write(file, report);
			report_file_end(file, &before);
			return;
		}
		os_sleep_us(1000);
	}
}
