/* SPDX-License-Identifier: MIT */
/*
 * The library that programs of `usermm module FILE.c -- PROGRAM` preload. It finds the module's
 * files behind paths, and passes calls for them to the module's process (../files/wire.h).
 *
 * Everything else goes to libc unchanged, and so does every call if the module's process is gone or
 * if there never was one.
 */
#ifndef KERNEL_PRELOAD_PRELOAD_H
#define KERNEL_PRELOAD_PRELOAD_H

#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../files/wire.h"

#define EXPORTED __attribute__((visibility("default")))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* libc's own function of that name, behind ours. */
void *next_function(const char *name);
#define NEXT(function)							\
	({								\
		static __typeof__(function) *next_;			\
									\
		if (!next_)						\
			next_ = (__typeof__(function) *)next_function(#function); \
		next_;							\
	})

/* A lock for a few steps that do not wait. */
static inline void lock_busy(bool *busy)
{
	while (__atomic_test_and_set(busy, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void unlock_busy(bool *busy)
{
	__atomic_clear(busy, __ATOMIC_RELEASE);
}

/* calls.c */

/* The folder with the placeholders; NULL: there is no module. */
const char *files_folder(void);
/* Is the descriptor a file of the module? errno stays. */
bool is_module_file(int fd);
/* A number that no other open file of the module has; 0 for other files. errno stays. */
ino_t file_number(int fd);
/* Connects to the module's process. Returns the socket, or -1 with errno. */
int connect_to_module(bool cloexec);
/*
 * Makes a call and waits for its end. Returns the result; or -1 with errno.
 *
 * The two parts of call_module() are for callers that wait otherwise. call_start() returns a socket
 * or -1. When the socket is readable, call_serve() does the next step; it returns true, with
 * *result, when the call has ended. To give a call up, close the socket before its end.
 */
long call_module(int fd, enum wire_operation operation, const char *path,
		 const int64_t arguments[4]);
int call_start(int fd, enum wire_operation operation, const char *path,
	       const int64_t arguments[4]);
bool call_serve(int socket, long *result);
#define CALL(fd, operation, ...) \
	call_module(fd, operation, NULL, (const int64_t[4]){ __VA_ARGS__ })

/* paths.c */

/* The path from the root on, as the module knows it; false if it is too long, or for no module. */
bool absolute_path(int folder, const char *path, char absolute[PATH_MAX]);
/*
 * Writes the path of this path's placeholder to place[]. False if no module has the path. A
 * relative path is relative to the descriptor of a folder, or AT_FDCWD.
 */
bool find_place(int folder, const char *path, char place[PATH_MAX]);
/*
 * True, with Linux's errno, if the path lies in one of the module's folders other than /dev: a
 * program must not remove, make or rename anything there. errno is `error` if the path is a new
 * name (but ENOENT in /proc).
 */
bool refuses_change(int folder, const char *path, int error);
/* The path of the placeholder's file in the module, links followed; false if it is a folder. */
bool path_in_module(const char *place, char path[WIRE_PATH]);

/* streams.c: standard streams whose descriptor is a file of the module now. */
void watch_standard_streams(int fd);

/* mappings.c */

void *map_module_file(void *address, size_t length, int protection, int flags, int fd,
		      int64_t offset);
/* Maps what a WIRE_SHOW says. False if the system does not. */
bool show_memory(const struct wire_request *request, int fd);

/* polls.c: as ppoll() */
int poll_files(struct pollfd *asked, nfds_t nr, const struct timespec *timeout,
	       const sigset_t *mask);

/* descriptors.c */
int open_module_file(const char *path, int flags);

#endif
