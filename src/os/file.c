/* SPDX-License-Identifier: MIT */
/* Some of libc's functions for files are cancellation points; system_call() is none. */
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/fmt.h"
#include "base/system_call.h"
#include "os/clock.h"

#define PATH_BYTES 512

/*
 * Returns the descriptor or a negative errno. After chroot(2) any name may be a pipe's, so this
 * does not wait for a pipe's writer.
 */
static int open_for_reading(const char *path)
{
	return (int)system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int os_open_file(const char *path)
{
	return (int)system_call_set_errno(open_for_reading(path));
}

static int open_for_writing(const char *path, int how, unsigned int permissions)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | how;

	return (int)system_call_set_errno(system_call(SYS_openat, AT_FDCWD, path, flags,
						      permissions));
}

/*
 * Opens without waiting for a pipe's reader. Later writes wait as usual: O_NONBLOCK is taken away.
 */
static int open_at_once(const char *path, int how, unsigned int permissions)
{
	int fd = open_for_writing(path, how | O_NONBLOCK, permissions);

	if (fd >= 0)
		system_call(SYS_fcntl, fd, F_SETFL, how & O_APPEND);
	return fd;
}

seldom_called int os_create_file(const char *path, unsigned int permissions)
{
	return open_at_once(path, O_TRUNC, permissions);
}

seldom_called int os_append_to_file(const char *path, unsigned int permissions)
{
	return open_at_once(path, O_APPEND, permissions);
}

int os_create_new_file(const char *path, unsigned int permissions)
{
	return open_for_writing(path, O_EXCL, permissions);
}

void os_set_permissions(int fd, unsigned int permissions)
{
	system_call(SYS_fchmod, fd, permissions);
}

/* 0 or a negative errno. */
static int set_lock(int fd, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = LONG_MAX,
			      .l_len = 1 };

	return (int)system_call(SYS_fcntl, fd, F_SETLK, &lock);
}

seldom_called bool os_lock_file(int fd, unsigned int wait_ms)
{
	int error;

	while ((error = set_lock(fd, F_WRLCK)) && (error == -EAGAIN || error == -EACCES) &&
	       wait_ms--)
		os_sleep_us(1000);
	return !error;
}

void os_unlock_file(int fd)
{
	set_lock(fd, F_UNLCK);
}

#ifdef SYS_newfstatat
/*
 * On all processors that have this call and that usermm is tested on, libc's struct stat is the
 * kernel's.
 */
int os_file_status(int fd, const char *path, int flags, struct stat *status)
{
	if (!*path)
		return (int)system_call(SYS_fstat, fd, status);
	return (int)system_call(SYS_newfstatat, fd, path, status, flags);
}
#else
/* Newer processors have statx(2) alone. file.h names the fields that are set. */
int os_file_status(int fd, const char *path, int flags, struct stat *status)
{
	struct statx found;
	int error = (int)system_call(SYS_statx, fd, path, flags, STATX_BASIC_STATS, &found);

	if (error)
		return error;
	*status = (struct stat){
		.st_dev = (dev_t)found.stx_dev_major << 32 | found.stx_dev_minor,
		.st_ino = found.stx_ino,
		.st_mode = found.stx_mode,
		.st_size = (off_t)found.stx_size,
	};
	return 0;
}
#endif

long os_file_size(int fd)
{
	struct stat status;

	if (os_file_status(fd, "", AT_EMPTY_PATH, &status) || !S_ISREG(status.st_mode))
		return -1;
	return (long)status.st_size;
}

void os_cut_file(int fd, long size)
{
	system_call(SYS_ftruncate, fd, size);
}

seldom_called unsigned int os_file_mode(const char *path)
{
	struct stat status;

	return os_file_status(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &status) ? 0 : status.st_mode;
}

int os_rename_file(const char *from, const char *to)
{
	return (int)system_call(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

void os_remove_file(const char *path)
{
	system_call(SYS_unlinkat, AT_FDCWD, path, 0);
}

long os_read_some(int fd, void *buffer, size_t size)
{
	long n;

	do
		n = system_call(SYS_read, fd, buffer, size);
	while (n == -EINTR);
	return n;
}

void os_close_file(int fd)
{
	system_call(SYS_close, fd);
}

int os_file_identify(int fd, struct os_file_id *id)
{
	struct stat status;
	int error = os_file_status(fd, "", AT_EMPTY_PATH, &status);

	if (!error)
		*id = (struct os_file_id){ status.st_dev, status.st_ino };
	return error;
}

bool os_file_is(int fd, const struct os_file_id *id)
{
	struct os_file_id now;

	return !os_file_identify(fd, &now) && now.device == id->device && now.inode == id->inode;
}

bool os_close_if_same(int fd, const struct os_file_id *id)
{
	if (!os_file_is(fd, id))
		return false;
	os_close_file(fd);
	return true;
}

/* glibc's variable. If libc has none, there may always be other threads. */
extern char __libc_single_threaded __attribute__((__weak__));

static bool is_single_threaded(void)
{
	return &__libc_single_threaded && __libc_single_threaded;
}

/*
 * If another thread closes the file and opens a pipe, the pipe may get the same number. pread(2)
 * then fails, where read(2) would take the pipe's bytes.
 */
static long read_all(int fd, char *buffer, size_t size)
{
	size_t used = 0;
	long n;

	do {
		n = system_call(SYS_pread64, fd, buffer + used, size - 1 - used, used);
		used += n > 0 ? (size_t)n : 0;
	} while ((n > 0 && used < size - 1) || n == -EINTR);
	buffer[used] = '\0';
	return n < 0 ? n : (long)used;
}

long os_read_and_close(int fd, char *buffer, size_t size)
{
	struct os_file_id id;
	long n;

	if (fd < 0)
		return fd;
	if (is_single_threaded()) {
		n = read_all(fd, buffer, size);
		os_close_file(fd);
		return n;
	}
	if (os_file_identify(fd, &id))
		return -EBADF;
	n = read_all(fd, buffer, size);
	return os_close_if_same(fd, &id) ? n : -EBADF;
}

long os_read_file(const char *path, char *buffer, size_t size)
{
	return os_read_and_close(open_for_reading(path), buffer, size);
}

const char *os_root = "";

/* Out of line, so that only a process with an os_root uses stack for below_root. */
static noinline int open_below_root(const char *path)
{
	char below_root[PATH_BYTES];

	fmt_format(below_root, sizeof(below_root), "%s%s", os_root, path);
	return open_for_reading(below_root);
}

int os_open_fact(const char *path)
{
	return *os_root ? open_below_root(path) : open_for_reading(path);
}

bool os_is_kernels_file(int fd)
{
	struct statfs system;

	if (*os_root)
		return true;
	return !system_call(SYS_fstatfs, fd, &system) &&
	       (system.f_type == PROC_SUPER_MAGIC || system.f_type == CGROUP_SUPER_MAGIC ||
		system.f_type == CGROUP2_SUPER_MAGIC);
}

long os_read_fact(const char *path, char *buffer, size_t size)
{
	return os_read_and_close(os_open_fact(path), buffer, size);
}
