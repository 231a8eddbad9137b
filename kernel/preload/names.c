// SPDX-License-Identifier: MIT
/* Calls that take a path, for the module's files: their placeholders stand for them. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "preload.h"

/* Asks the module about the file. Returns 0, or -1 with errno. */
static int ask(int fd, enum wire_operation operation, const char *path, struct wire_stat *answer)
{
	const int64_t arguments[4] = { 0, 0, 0, (intptr_t)answer };

	return (int)call_module(fd, operation, path, arguments);
}

static int ask_path(const char *path, struct wire_stat *answer)
{
	int fd = connect_to_module(true), result, error;

	if (fd < 0)
		return -1;
	result = ask(fd, WIRE_STAT, path, answer);
	error = errno;
	close(fd);
	errno = error;
	return result;
}

/*
 * The status of a placeholder's file. The system answers for a folder or a link, the module for a
 * file.
 */
#define STAT_PLACE(place, follows, result, fill, system)			\
	({									\
		char path_[WIRE_PATH];						\
		struct wire_stat answer_;					\
		int done_ = (system);						\
		bool is_file_ = !done_ && path_in_module(place, path_);		\
										\
		if (is_file_ && ((follows) || !is_link(place))) {		\
			done_ = ask_path(path_, &answer_);			\
			if (!done_)						\
				fill(result, &answer_);				\
		}								\
		done_;								\
	})

static bool is_link(const char *place)
{
	char target[2];

	return NEXT(readlink)(place, target, sizeof(target)) >= 0;
}

#define FILL(name, type)							\
static void name(struct type *stat, const struct wire_stat *answer)		\
{										\
	stat->st_mode = answer->mode;						\
	stat->st_nlink = answer->links;						\
	stat->st_uid = answer->uid;						\
	stat->st_gid = answer->gid;						\
	stat->st_rdev = makedev(answer->major, answer->minor);			\
	stat->st_ino = answer->inode;						\
	stat->st_size = answer->size;						\
	stat->st_blocks = 0;							\
}
FILL(fill_stat, stat)
FILL(fill_stat64, stat64)

#define STAT(name, type, fill, follows)						\
EXPORTED int (name)(const char *restrict path, struct type *restrict result)	\
{										\
	char place[PATH_MAX];							\
										\
	if (!find_place(AT_FDCWD, path, place))					\
		return NEXT(name)(path, result);				\
	return STAT_PLACE(place, follows, result, fill, NEXT(name)(place, result)); \
}
STAT(stat, stat, fill_stat, true)
STAT(lstat, stat, fill_stat, false)
STAT(stat64, stat64, fill_stat64, true)
STAT(lstat64, stat64, fill_stat64, false)

#define FSTAT(name, type, fill)							\
EXPORTED int (name)(int fd, struct type *result)				\
{										\
	struct wire_stat answer;						\
	int error = NEXT(name)(fd, result);					\
										\
	if (!error && is_module_file(fd)) {					\
		error = ask(fd, WIRE_FILE_STAT, NULL, &answer);			\
		if (!error)							\
			fill(result, &answer);					\
	}									\
	return error;								\
}
FSTAT(fstat, stat, fill_stat)
FSTAT(fstat64, stat64, fill_stat64)

#define FSTATAT(name, type, fill, of_descriptor)				\
EXPORTED int (name)(int folder, const char *restrict path,			\
		    struct type *restrict result, int flags)			\
{										\
	char place[PATH_MAX];							\
										\
	if (!*path && flags & AT_EMPTY_PATH && is_module_file(folder))		\
		return of_descriptor(folder, result);				\
	if (!find_place(folder, path, place))					\
		return NEXT(name)(folder, path, result, flags);			\
	return STAT_PLACE(place, !(flags & AT_SYMLINK_NOFOLLOW), result, fill,	\
			  NEXT(name)(AT_FDCWD, place, result, flags));		\
}
FSTATAT(fstatat, stat, fill_stat, fstat)
FSTATAT(fstatat64, stat64, fill_stat64, fstat64)

static void fill_statx(struct statx *stat, const struct wire_stat *answer)
{
	stat->stx_mode = (uint16_t)answer->mode;
	stat->stx_nlink = answer->links;
	stat->stx_uid = answer->uid;
	stat->stx_gid = answer->gid;
	stat->stx_rdev_major = answer->major;
	stat->stx_rdev_minor = answer->minor;
	stat->stx_ino = answer->inode;
	stat->stx_size = (uint64_t)answer->size;
	stat->stx_blocks = 0;
}

EXPORTED int (statx)(int folder, const char *restrict path, int flags, unsigned int mask,
		     struct statx *restrict stat)
{
	char place[PATH_MAX];
	struct wire_stat answer;
	int result;

	if (!*path && flags & AT_EMPTY_PATH && is_module_file(folder)) {
		result = NEXT(statx)(folder, path, flags, mask, stat);
		if (!result)
			result = ask(folder, WIRE_FILE_STAT, NULL, &answer);
		if (!result)
			fill_statx(stat, &answer);
		return result;
	}
	if (!find_place(folder, path, place))
		return NEXT(statx)(folder, path, flags, mask, stat);
	return STAT_PLACE(place, !(flags & AT_SYMLINK_NOFOLLOW), stat, fill_statx,
			  NEXT(statx)(AT_FDCWD, place, flags, mask, stat));
}

/* What programs for an older glibc call; the version is that of the structure. */
int __xstat(int version, const char *path, struct stat *stat);
int __lxstat(int version, const char *path, struct stat *stat);
int __fxstat(int version, int fd, struct stat *stat);
int __xstat64(int version, const char *path, struct stat64 *stat);
int __lxstat64(int version, const char *path, struct stat64 *stat);
int __fxstat64(int version, int fd, struct stat64 *stat);

#ifdef __GLIBC__
#define XSTAT(name, first, type, plain)						\
EXPORTED int (name)(int version, first, struct type *result)			\
{										\
	(void)version;								\
	return plain(subject, result);						\
}
XSTAT(__xstat, const char *subject, stat, stat)
XSTAT(__lxstat, const char *subject, stat, lstat)
XSTAT(__fxstat, int subject, stat, fstat)
XSTAT(__xstat64, const char *subject, stat64, stat64)
XSTAT(__lxstat64, const char *subject, stat64, lstat64)
XSTAT(__fxstat64, int subject, stat64, fstat64)
#endif

/* Calls that act on the placeholder in the file's place. */
#define BY_PATH(result, name, parameters, call_real, call_place)		\
EXPORTED result (name) parameters						\
{										\
	char place[PATH_MAX];							\
										\
	return find_place(AT_FDCWD, path, place) ? NEXT(name) call_place :	\
						   NEXT(name) call_real;	\
}
#define AT_PATH(result, name, parameters, call_real, call_place)		\
EXPORTED result (name) parameters						\
{										\
	char place[PATH_MAX];							\
										\
	return find_place(folder, path, place) ? NEXT(name) call_place :	\
						 NEXT(name) call_real;		\
}
BY_PATH(int, access, (const char *path, int mode), (path, mode), (place, mode))
BY_PATH(int, eaccess, (const char *path, int mode), (path, mode), (place, mode))
BY_PATH(int, euidaccess, (const char *path, int mode), (path, mode), (place, mode))
BY_PATH(int, chmod, (const char *path, mode_t mode), (path, mode), (place, mode))
BY_PATH(int, chown, (const char *path, uid_t uid, gid_t gid), (path, uid, gid), (place, uid, gid))
BY_PATH(int, chdir, (const char *path), (path), (place))
BY_PATH(ssize_t, readlink, (const char *restrict path, char *restrict buffer, size_t size),
	(path, buffer, size), (place, buffer, size))
BY_PATH(DIR *, opendir, (const char *path), (path), (place))
BY_PATH(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t size),
	(path, name, value, size), (place, name, value, size))
BY_PATH(ssize_t, lgetxattr, (const char *path, const char *name, void *value, size_t size),
	(path, name, value, size), (place, name, value, size))
BY_PATH(ssize_t, listxattr, (const char *path, char *list, size_t size), (path, list, size),
	(place, list, size))
BY_PATH(ssize_t, llistxattr, (const char *path, char *list, size_t size), (path, list, size),
	(place, list, size))
AT_PATH(int, faccessat, (int folder, const char *path, int mode, int flags),
	(folder, path, mode, flags), (AT_FDCWD, place, mode, flags))
AT_PATH(int, fchmodat, (int folder, const char *path, mode_t mode, int flags),
	(folder, path, mode, flags), (AT_FDCWD, place, mode, flags))
AT_PATH(int, fchownat, (int folder, const char *path, uid_t uid, gid_t gid, int flags),
	(folder, path, uid, gid, flags), (AT_FDCWD, place, uid, gid, flags))
AT_PATH(ssize_t, readlinkat,
	(int folder, const char *restrict path, char *restrict buffer, size_t size),
	(folder, path, buffer, size), (AT_FDCWD, place, buffer, size))

/*
 * The module's process changes the path: a device of the module, or a folder that the module makes
 * and removes (configfs). False if the path is none of these; then the system does it.
 */
static bool change(enum wire_operation operation, const char *path, const int64_t arguments[4],
		   int *result)
{
	int fd = connect_to_module(true), error;

	if (fd < 0)
		return false;
	*result = (int)call_module(fd, operation, path, arguments);
	error = errno;
	close(fd);
	errno = error;
	return !*result || (error != EOPNOTSUPP && error != ENXIO);
}

static bool change_folder(enum wire_operation operation, int folder, const char *path, int *result)
{
	const int64_t none[4] = { 0 };
	char absolute[PATH_MAX], place[PATH_MAX], *name;

	/* If the folder above has no placeholder, the module has nothing there. */
	if (!files_folder() || !absolute_path(folder, path, absolute))
		return false;
	name = strrchr(absolute, '/');
	if (!name || name == absolute)
		return false;
	*name = '\0';
	if (!find_place(AT_FDCWD, absolute, place))
		return false;
	*name = '/';
	return change(operation, absolute, none, result);
}

EXPORTED int (mkdirat)(int folder, const char *path, mode_t mode)
{
	char place[PATH_MAX];
	int result;

	if (change_folder(WIRE_MKDIR, folder, path, &result))
		return result;
	if (refuses_change(folder, path, EPERM))
		return -1;
	return find_place(folder, path, place) ? NEXT(mkdirat)(AT_FDCWD, place, mode) :
						 NEXT(mkdirat)(folder, path, mode);
}

EXPORTED int (mkdir)(const char *path, mode_t mode)
{
	return mkdirat(AT_FDCWD, path, mode);
}

EXPORTED int (unlinkat)(int folder, const char *path, int flags)
{
	char place[PATH_MAX];
	int result;

	if (flags & AT_REMOVEDIR && change_folder(WIRE_RMDIR, folder, path, &result))
		return result;
	if (!find_place(folder, path, place))
		return NEXT(unlinkat)(folder, path, flags);
	return refuses_change(folder, path, EPERM) ? -1 : NEXT(unlinkat)(AT_FDCWD, place, flags);
}

EXPORTED int (unlink)(const char *path)
{
	return unlinkat(AT_FDCWD, path, 0);
}

/* Nobody gives the module's files other names. */
EXPORTED int (renameat2)(int folder, const char *path, int new_folder, const char *new_path,
			 unsigned int flags)
{
	if (refuses_change(folder, path, EPERM) || refuses_change(new_folder, new_path, EPERM))
		return -1;
	return NEXT(renameat2)(folder, path, new_folder, new_path, flags);
}

#ifdef GLOB_ALTDIRFUNC
static struct dirent *next_entry(void *folder)
{
	return readdir(folder);
}

static struct dirent64 *next_entry64(void *folder)
{
	return readdir64(folder);
}

static void *open_folder(const char *path)
{
	return opendir(path);
}

static void close_folder(void *folder)
{
	closedir(folder);
}

/* glob() looks for the files by calls inside of libc, unless it is told which to use. */
#define GLOB(name, type, read_entry, get_lstat, get_stat)			\
EXPORTED int (name)(const char *restrict pattern, int flags,			\
		    int (*fails)(const char *, int), type *restrict found)	\
{										\
	if (files_folder() && !(flags & GLOB_ALTDIRFUNC)) {			\
		found->gl_opendir = open_folder;				\
		found->gl_readdir = read_entry;					\
		found->gl_closedir = close_folder;				\
		found->gl_lstat = get_lstat;					\
		found->gl_stat = get_stat;					\
		flags |= GLOB_ALTDIRFUNC;					\
	}									\
	return NEXT(name)(pattern, flags, fails, found);			\
}
GLOB(glob, glob_t, next_entry, lstat, stat)
GLOB(glob64, glob64_t, next_entry64, lstat64, stat64)
#endif

EXPORTED int (renameat)(int folder, const char *path, int new_folder, const char *new_path)
{
	return renameat2(folder, path, new_folder, new_path, 0);
}

EXPORTED int (rename)(const char *path, const char *new_path)
{
	return renameat2(AT_FDCWD, path, AT_FDCWD, new_path, 0);
}

EXPORTED int (rmdir)(const char *path)
{
	return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

EXPORTED int (symlinkat)(const char *target, int folder, const char *path)
{
	return refuses_change(folder, path, EPERM) ? -1 : NEXT(symlinkat)(target, folder, path);
}

EXPORTED int (symlink)(const char *target, const char *path)
{
	return symlinkat(target, AT_FDCWD, path);
}

EXPORTED int (mknodat)(int folder, const char *path, mode_t mode, dev_t number)
{
	char absolute[PATH_MAX];

	const int64_t arguments[4] = { mode, major(number), minor(number) };

	int result;

	if (S_ISCHR(mode) && absolute_path(folder, path, absolute) &&
	    change(WIRE_MKNOD, absolute, arguments, &result))
		return result;
	return NEXT(mknodat)(folder, path, mode, number);
}

EXPORTED int (mknod)(const char *path, mode_t mode, dev_t number)
{
	return mknodat(AT_FDCWD, path, mode, number);
}
