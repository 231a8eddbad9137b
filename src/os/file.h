/* SPDX-License-Identifier: MIT */
/* Files, by system calls. */
#ifndef OS_FILE_H
#define OS_FILE_H

#include "base/compiler.h"

struct stat;

/*
 * open(2) for reading. Sets errno, as libc's function does. A pipe that nobody writes to is not
 * waited for.
 */
int os_open_file(const char *path);
/* read(2) that signals do not interrupt. The number of bytes or a negative errno; errno stays. */
long os_read_some(int fd, void *buffer, size_t size);
void os_close_file(int fd);
/*
 * fstatat(2): sets st_ino, st_mode, st_size, and st_dev to a number that is the same for the same
 * device. 0 or a negative errno; errno itself stays.
 */
int os_file_status(int fd, const char *path, int flags, struct stat *status);

/*
 * Identifies the file behind a descriptor. Another thread may close all files, and open others that
 * get the same descriptors.
 */
struct os_file_id {
	unsigned long device, inode;
};
/* 0 or a negative errno: no file has the number. */
int os_file_identify(int fd, struct os_file_id *id);
bool os_file_is(int fd, const struct os_file_id *id);
/* Closes the file, unless its number is another file's by now. Returns whether it was the file. */
bool os_close_if_same(int fd, const struct os_file_id *id);

/*
 * open(2) for writing. os_create_file() makes the file or empties it. os_append_to_file() makes it
 * or writes at its end. os_create_new_file() fails with EEXIST if the name is taken. A file that is
 * made gets these permissions, without those that umask(2) takes away. A pipe that nobody reads is
 * not waited for (ENXIO); but a write to a full pipe waits for its reader. These three set errno,
 * too.
 */
int os_create_file(const char *path, unsigned int permissions);
int os_append_to_file(const char *path, unsigned int permissions);
int os_create_new_file(const char *path, unsigned int permissions);
/* Sets these permissions whatever umask(2) says, if the system permits. */
void os_set_permissions(int fd, unsigned int permissions);
/*
 * Lets processes that write texts to the same file, pipe or terminal take turns. The lock is the
 * process's (fcntl(2), F_SETLK, on the last byte that a file may have), until it unlocks or closes
 * the file. False if another process keeps the lock for wait_ms milliseconds, or the file takes no
 * locks.
 */
bool os_lock_file(int fd, unsigned int wait_ms);
void os_unlock_file(int fd);
/* The size of an ordinary file; negative if it is none. */
long os_file_size(int fd);
/* Makes the file shorter. */
void os_cut_file(int fd, long size);
/*
 * The mode of the file with this name (of a symbolic link itself, as lstat(2)); 0 if there is none.
 */
unsigned int os_file_mode(const char *path);
/* Renames at once, over what had the new name. 0 or a negative errno. */
int os_rename_file(const char *from, const char *to);
void os_remove_file(const char *path);

/*
 * Reads at most size - 1 bytes and ends them with a null byte. Returns the length, or a negative
 * errno; errno itself stays. -EBADF also if another thread has closed the file meanwhile.
 */
long os_read_file(const char *path, char *buffer, size_t size);
/*
 * Like os_read_file(), for the kernel's files about the machine and the process: `path` is taken
 * below os_root, where tests put another machine's files. Sync: os_root is written before any layer
 * is brought up.
 */
long os_read_fact(const char *path, char *buffer, size_t size);
extern const char *os_root;
/* open(2) of such a file for reading, closed by exec(2). The descriptor or a negative errno. */
int os_open_fact(const char *path);
/*
 * Is this a file of proc(5) or cgroups(7), and not one that somebody else has made? After chroot(2)
 * the names may be anybody's.
 */
bool os_is_kernels_file(int fd);
/* Reads the file as os_read_file() does, and closes it. A negative fd is returned. */
long os_read_and_close(int fd, char *buffer, size_t size);

#endif
