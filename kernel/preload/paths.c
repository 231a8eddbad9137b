// SPDX-License-Identifier: MIT
/*
 * Paths of the module's files. A path P is the module's if its placeholder FOLDER/P exists. Folders
 * that every Linux has (/proc, /sys/class, ...) stay the machine's, unless the machine lacks them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

/* By system call, because this library replaces stat(). */
static bool has_mode(const char *path, bool follows, struct stat *stat)
{
	return !syscall(SYS_newfstatat, AT_FDCWD, path, stat, follows ? 0 : AT_SYMLINK_NOFOLLOW);
}

/* Appends the parts of a path, without ".", ".." and double slashes. */
static bool append(char *absolute, size_t size, const char *path)
{
	size_t length = strlen(absolute);

	while (*path) {
		size_t part = strcspn(path, "/");

		if (part == 2 && path[0] == '.' && path[1] == '.') {
			while (length && absolute[length - 1] != '/')
				length--;
			length -= length > 0;
		} else if (part && !(part == 1 && *path == '.')) {
			if (length + part + 2 > size)
				return false;
			absolute[length++] = '/';
			memcpy(absolute + length, path, part);
			length += part;
		}
		absolute[length] = '\0';
		path += part;
		path += strspn(path, "/");
	}
	return true;
}

/* A folder of placeholders is one of the module's paths again. */
static void strip_top(char *absolute)
{
	size_t length = strlen(files_folder());

	if (!strncmp(absolute, files_folder(), length) &&
	    (absolute[length] == '/' || !absolute[length]))
		memmove(absolute, absolute + length, strlen(absolute + length) + 1);
}

static bool start_of(int folder, const char *path, char absolute[PATH_MAX])
{
	char link[32];
	ssize_t n;

	*absolute = '\0';
	if (*path == '/')
		return true;
	if (folder == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/self/cwd");
	else
		snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	n = syscall(SYS_readlinkat, AT_FDCWD, link, absolute, PATH_MAX - 1);
	if (n <= 0)
		return false;
	absolute[n] = '\0';
	return *absolute == '/';
}

bool absolute_path(int folder, const char *path, char absolute[PATH_MAX])
{
	if (!files_folder() || !path || !*path || !start_of(folder, path, absolute) ||
	    !append(absolute, PATH_MAX, path))
		return false;
	strip_top(absolute);
	return true;
}

bool find_place(int folder, const char *path, char place[PATH_MAX])
{
	char absolute[PATH_MAX];
	struct stat stat, real;
	int error = errno;
	bool found = false;

	if (absolute_path(folder, path, absolute)) {
		found = *absolute && snprintf(place, PATH_MAX, "%s%s", files_folder(),
					      absolute) < PATH_MAX && has_mode(place, false, &stat);
		if (found && S_ISDIR(stat.st_mode) && stat.st_mode & S_ISVTX)
			found = !has_mode(absolute, true, &real);
	}
	errno = error;
	return found;
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

bool refuses_change(int folder, const char *path, int error)
{
	char absolute[PATH_MAX], place[PATH_MAX];
	bool there = find_place(folder, path, place);

	if (!absolute_path(folder, path, absolute) || !*absolute || is_below(absolute, "/dev"))
		return false;
	*strrchr(absolute, '/') = '\0';
	if (!there && !find_place(AT_FDCWD, absolute, place))
		return false;
	errno = there ? EPERM : is_below(absolute, "/proc") ? ENOENT : error;
	return true;
}

EXPORTED char *(realpath)(const char *restrict path, char *restrict result)
{
	char place[PATH_MAX], real[PATH_MAX];

	if (!find_place(AT_FDCWD, path, place))
		return NEXT(realpath)(path, result);
	if (!NEXT(realpath)(place, real))
		return NULL;
	strip_top(real);
	return result ? strcpy(result, real) : strdup(real);
}

bool path_in_module(const char *place, char path[WIRE_PATH])
{
	char real[PATH_MAX];
	struct stat stat;
	int error = errno;
	bool is_file;

	is_file = has_mode(place, true, &stat) && S_ISREG(stat.st_mode) &&
		  NEXT(realpath)(place, real);
	if (is_file) {
		strip_top(real);
		is_file = strlen(real) < WIRE_PATH;
	}
	if (is_file)
		strcpy(path, real);
	errno = error;
	return is_file;
}
