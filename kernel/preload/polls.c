// SPDX-License-Identifier: MIT
/* poll() and select() of several descriptors, of which some are the module's files. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "preload.h"

#define FEW 16

/*
 * Puts a call's socket in the place of each file of the module. True if one of these files has an
 * event now: then nobody waits.
 */
static bool begin_waits(const struct pollfd *asked, struct pollfd *polled, nfds_t nr, bool waits)
{
	bool ready = false;

	for (nfds_t i = 0; i < nr; i++) {
		const int64_t arguments[4] = { asked[i].events, waits };

		polled[i] = asked[i];
		polled[i].revents = 0;
		if (!is_module_file(asked[i].fd))
			continue;
		polled[i].events = POLLIN;
		polled[i].fd = call_start(asked[i].fd, WIRE_POLL, NULL, arguments);
		ready |= polled[i].fd < 0;
	}
	return ready;
}

static int end_waits(struct pollfd *asked, struct pollfd *polled, nfds_t nr)
{
	int found = 0;

	for (nfds_t i = 0; i < nr; i++) {
		long result = 0;

		asked[i].revents = polled[i].revents;
		if (polled[i].fd != asked[i].fd) {
			asked[i].revents = polled[i].fd < 0 ? POLLERR : 0;
			if (polled[i].revents)
				while (!call_serve(polled[i].fd, &result))
					;
			if (result < 0)
				result = POLLERR;
			asked[i].revents |= (short)result;
			if (polled[i].fd >= 0)
				close(polled[i].fd);
		}
		found += asked[i].revents != 0;
	}
	return found;
}

static bool has_module_file(const struct pollfd *asked, nfds_t nr)
{
	for (nfds_t i = 0; i < nr; i++)
		if (is_module_file(asked[i].fd))
			return true;
	return false;
}

static bool waits_at_all(const struct timespec *timeout)
{
	return !timeout || timeout->tv_sec || timeout->tv_nsec;
}

static int ask_all(struct pollfd *asked, nfds_t nr, const struct timespec *timeout,
		   const sigset_t *mask)
{
	bool waits = waits_at_all(timeout);
	struct pollfd few[FEW], *polled = nr <= FEW ? few : calloc(nr, sizeof(*polled));
	const struct timespec none = { 0 };
	int result, error;

	if (!polled) {
		errno = ENOMEM;
		return -1;
	}
	if (begin_waits(asked, polled, nr, waits))
		timeout = &none;
	/* Without waiting the answers come at once, but not before they are asked for. */
	if (!waits)
		for (nfds_t i = 0; i < nr; i++)
			if (polled[i].fd != asked[i].fd && polled[i].fd >= 0)
				NEXT(poll)(&polled[i], 1, -1);
	result = NEXT(ppoll)(polled, nr, timeout, mask);
	error = errno;
	if (result >= 0)
		result = end_waits(asked, polled, nr);
	else
		end_waits(asked, polled, nr);
	errno = error;
	if (polled != few)
		free(polled);
	return result;
}

/*
 * Asks once without waiting, since ask_all() then waits for the module's answers. A call that waits
 * ends as soon as any file is ready: perhaps before the module has answered that its file is ready,
 * too.
 */
int poll_files(struct pollfd *asked, nfds_t nr, const struct timespec *timeout,
	       const sigset_t *mask)
{
	const struct timespec none = { 0 };
	int result = ask_all(asked, nr, &none, mask);

	return result || !waits_at_all(timeout) ? result : ask_all(asked, nr, timeout, mask);
}

EXPORTED int (ppoll)(struct pollfd *asked, nfds_t nr, const struct timespec *timeout,
		     const sigset_t *mask)
{
	if (!files_folder() || !has_module_file(asked, nr))
		return NEXT(ppoll)(asked, nr, timeout, mask);
	return poll_files(asked, nr, timeout, mask);
}

EXPORTED int (poll)(struct pollfd *asked, nfds_t nr, int milliseconds)
{
	const struct timespec timeout = {
		.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L,
	};

	if (!files_folder() || !has_module_file(asked, nr))
		return NEXT(poll)(asked, nr, milliseconds);
	return poll_files(asked, nr, milliseconds < 0 ? NULL : &timeout, NULL);
}

int __poll_chk(struct pollfd *asked, nfds_t nr, int milliseconds, size_t size);
EXPORTED int __poll_chk(struct pollfd *asked, nfds_t nr, int milliseconds, size_t size)
{
	if (nr * sizeof(*asked) > size || !files_folder() || !has_module_file(asked, nr))
		return NEXT(__poll_chk)(asked, nr, milliseconds, size);
	return poll(asked, nr, milliseconds);
}

static bool is_in(int fd, const fd_set *set)
{
	return set && FD_ISSET(fd, set);
}

static int selected(struct pollfd *asked, int nr, fd_set *reads, fd_set *writes, fd_set *excepts)
{
	int found = 0;

	for (int i = 0; i < nr; i++) {
		bool r = asked[i].revents & (POLLIN | POLLRDNORM | POLLHUP | POLLERR) &&
			 is_in(asked[i].fd, reads);
		bool w = asked[i].revents & (POLLOUT | POLLWRNORM | POLLERR) &&
			 is_in(asked[i].fd, writes);
		bool e = asked[i].revents & POLLPRI && is_in(asked[i].fd, excepts);

		if (reads && !r)
			FD_CLR(asked[i].fd, reads);
		if (writes && !w)
			FD_CLR(asked[i].fd, writes);
		if (excepts && !e)
			FD_CLR(asked[i].fd, excepts);
		found += r + w + e;
	}
	return found;
}

static int select_by_poll(int end, fd_set *reads, fd_set *writes, fd_set *excepts,
			  const struct timespec *timeout, const sigset_t *mask)
{
	struct pollfd asked[FD_SETSIZE];
	int nr = 0, result;

	for (int fd = 0; fd < end && fd < FD_SETSIZE; fd++) {
		short events = (short)((is_in(fd, reads) ? POLLIN | POLLRDNORM : 0) |
				       (is_in(fd, writes) ? POLLOUT | POLLWRNORM : 0) |
				       (is_in(fd, excepts) ? POLLPRI : 0));

		if (events)
			asked[nr++] = (struct pollfd){ .fd = fd, .events = events };
	}
	result = poll_files(asked, (nfds_t)nr, timeout, mask);
	return result < 0 ? result : selected(asked, nr, reads, writes, excepts);
}

static bool selects_module_file(int end, const fd_set *reads, const fd_set *writes,
				const fd_set *excepts)
{
	if (!files_folder())
		return false;
	for (int fd = 0; fd < end && fd < FD_SETSIZE; fd++)
		if ((is_in(fd, reads) || is_in(fd, writes) || is_in(fd, excepts)) &&
		    is_module_file(fd))
			return true;
	return false;
}

EXPORTED int (select)(int end, fd_set *reads, fd_set *writes, fd_set *excepts,
		      struct timeval *timeout)
{
	struct timespec time;

	if (!selects_module_file(end, reads, writes, excepts))
		return NEXT(select)(end, reads, writes, excepts, timeout);
	if (timeout)
		time = (struct timespec){ timeout->tv_sec, timeout->tv_usec * 1000 };
	return select_by_poll(end, reads, writes, excepts, timeout ? &time : NULL, NULL);
}

EXPORTED int (pselect)(int end, fd_set *reads, fd_set *writes, fd_set *excepts,
		       const struct timespec *timeout, const sigset_t *mask)
{
	if (!selects_module_file(end, reads, writes, excepts))
		return NEXT(pselect)(end, reads, writes, excepts, timeout, mask);
	return select_by_poll(end, reads, writes, excepts, timeout, mask);
}
