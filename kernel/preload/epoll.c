// SPDX-License-Identifier: MIT
/*
 * epoll of the module's files. A set of the system's knows nothing of their events. So the files of
 * each set are kept here, and a wait is a poll() of them and of the set, which has the others.
 *
 * An edge is reported as a level: again for as long as it lasts. A file that one thread adds while
 * another waits counts from the next wait on. A file leaves the set with the descriptor that it was
 * added by; Linux waits for its last one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

#include "preload.h"

struct watch {
	struct watch *next;
	int set, fd;
	ino_t inode;		/* of the connection: another one may get the descriptor */
	struct epoll_event event;
};

static struct watch *watches;	/* Sync: busy */
static bool busy;

/* Call it under the lock. */
static struct watch *find(int set, int fd, ino_t inode)
{
	struct watch *watch = watches;

	while (watch && (watch->set != set || watch->fd != fd || watch->inode != inode))
		watch = watch->next;
	return watch;
}

/* Removes all of the set whose files are closed, or, with `all`, all of it. */
static void clean(int set, bool all)
{
	int error = errno;

	lock_busy(&busy);
	for (struct watch **link = &watches, *watch; (watch = *link); ) {
		if (watch->set == set && (all || file_number(watch->fd) != watch->inode)) {
			*link = watch->next;
			free(watch);
		} else {
			link = &watch->next;
		}
	}
	unlock_busy(&busy);
	errno = error;
}

static int add(int set, int fd, ino_t inode, const struct epoll_event *event)
{
	struct watch *watch = malloc(sizeof(*watch));
	int error = watch ? 0 : ENOMEM;

	lock_busy(&busy);
	if (!error && find(set, fd, inode))
		error = EEXIST;
	if (!error) {
		*watch = (struct watch){ watches, set, fd, inode, *event };
		watches = watch;
	}
	unlock_busy(&busy);
	if (error)
		free(watch);
	return error;
}

static int change(int set, int fd, ino_t inode, const struct epoll_event *event)
{
	struct watch *watch;

	lock_busy(&busy);
	watch = find(set, fd, inode);
	if (watch)
		watch->event = *event;
	unlock_busy(&busy);
	return watch ? 0 : ENOENT;
}

static int drop(int set, int fd, ino_t inode)
{
	struct watch **link, *watch;

	lock_busy(&busy);
	watch = find(set, fd, inode);
	if (watch) {
		for (link = &watches; *link != watch; link = &(*link)->next)
			;
		*link = watch->next;
	}
	unlock_busy(&busy);
	free(watch);
	return watch ? 0 : ENOENT;
}

EXPORTED int (epoll_ctl)(int set, int operation, int fd, struct epoll_event *event)
{
	ino_t inode = file_number(fd);
	int error;

	if (!inode)
		return NEXT(epoll_ctl)(set, operation, fd, event);
	/* The file is not in the system's set: any other error is about the set. */
	if (NEXT(epoll_ctl)(set, EPOLL_CTL_DEL, fd, NULL) && errno != ENOENT)
		return -1;
	if (operation == EPOLL_CTL_DEL)
		error = drop(set, fd, inode);
	else if (!event)
		error = EFAULT;
	else if (operation == EPOLL_CTL_MOD)
		error = change(set, fd, inode, event);
	else if (operation != EPOLL_CTL_ADD)
		error = EINVAL;
	else if (CALL(fd, WIRE_CAN_POLL, 0) < 0)
		error = errno;
	else
		error = add(set, fd, inode, event);
	errno = error ? error : errno;
	return error ? -1 : 0;
}

/* Another set may have had this number. */
EXPORTED int (epoll_create)(int size)
{
	int set = NEXT(epoll_create)(size);

	clean(set, true);
	return set;
}

EXPORTED int (epoll_create1)(int flags)
{
	int set = NEXT(epoll_create1)(flags);

	clean(set, true);
	return set;
}

static size_t nr_in(int set)
{
	size_t nr = 0;

	if (!__atomic_load_n(&watches, __ATOMIC_RELAXED))
		return 0;
	clean(set, false);
	lock_busy(&busy);
	for (const struct watch *watch = watches; watch; watch = watch->next)
		nr += watch->set == set;
	unlock_busy(&busy);
	return nr;
}

/* Copies up to nr of the set's files, and what to ask of each. Returns how many. */
static size_t copy(int set, struct watch *copies, struct pollfd *polled, size_t nr)
{
	size_t n = 0;

	lock_busy(&busy);
	for (const struct watch *watch = watches; watch && n < nr; watch = watch->next) {
		if (watch->set != set)
			continue;
		copies[n] = *watch;
		/* poll(2) ignores -1: an EPOLLONESHOT descriptor that was reported already. */
		polled[n++] = (struct pollfd){
			.fd = watch->event.events & ~EPOLLONESHOT ? watch->fd : -1,
			.events = (short)watch->event.events,
		};
	}
	unlock_busy(&busy);
	return n;
}

static int report(const struct watch *copies, const struct pollfd *polled, size_t nr,
		  struct epoll_event *events, int max)
{
	int found = 0;

	for (size_t i = 0; i < nr && found < max; i++) {
		struct epoll_event event = copies[i].event;

		if (!polled[i].revents)
			continue;
		events[found].events = (unsigned short)polled[i].revents;
		events[found++].data = event.data;
		if (!(event.events & EPOLLONESHOT))
			continue;
		event.events = EPOLLONESHOT;
		change(copies[i].set, copies[i].fd, copies[i].inode, &event);
	}
	return found;
}

/* The set's own events are waited for at the end of the array. */
static int wait_with(int set, size_t nr, struct epoll_event *events, int max,
		     const struct timespec *timeout, const sigset_t *mask)
{
	struct watch *copies = calloc(nr, sizeof(*copies));
	struct pollfd *polled = calloc(nr + 1, sizeof(*polled));
	int found = 0, others = 0, result = 0;

	if (!copies || !polled) {
		free(copies);
		free(polled);
		errno = ENOMEM;
		return -1;
	}
	do {
		nr = copy(set, copies, polled, nr);
		polled[nr] = (struct pollfd){ .fd = set, .events = POLLIN };
		result = poll_files(polled, nr + 1, timeout, mask);
		if (result <= 0)
			continue;
		found = report(copies, polled, nr, events, max);
		if (polled[nr].revents && found < max)
			others = NEXT(epoll_wait)(set, events + found, max - found, 0);
		if (others < 0 && !found)
			result = -1;
		found += others > 0 ? others : 0;
	} while (result >= 0 && !found && !timeout);
	free(copies);
	free(polled);
	return result < 0 ? -1 : found;
}

/* The call of the system's own, without a file of the module's in the set. */
#define WAIT(call, timeout, mask)						\
	({									\
		size_t nr_ = max > 0 ? nr_in(set) : 0;				\
										\
		nr_ ? wait_with(set, nr_, events, max, timeout, mask) : (call);	\
	})

static struct timespec *in_seconds(struct timespec *time, int milliseconds)
{
	*time = (struct timespec){ milliseconds / 1000, milliseconds % 1000 * 1000000L };
	return milliseconds < 0 ? NULL : time;
}

EXPORTED int (epoll_wait)(int set, struct epoll_event *events, int max, int milliseconds)
{
	struct timespec time;

	return WAIT(NEXT(epoll_wait)(set, events, max, milliseconds),
		    in_seconds(&time, milliseconds), NULL);
}

EXPORTED int (epoll_pwait)(int set, struct epoll_event *events, int max, int milliseconds,
			   const sigset_t *mask)
{
	struct timespec time;

	return WAIT(NEXT(epoll_pwait)(set, events, max, milliseconds, mask),
		    in_seconds(&time, milliseconds), mask);
}

int epoll_pwait2(int set, struct epoll_event *events, int max, const struct timespec *timeout,
		 const sigset_t *mask);
EXPORTED int (epoll_pwait2)(int set, struct epoll_event *events, int max,
			    const struct timespec *timeout, const sigset_t *mask)
{
	return WAIT(NEXT(epoll_pwait2)(set, events, max, timeout, mask), timeout, mask);
}
