// SPDX-License-Identifier: MIT
/*
 * Serves the module's files to programs: see wire.h.
 *
 * One thread, the dispatcher, waits for all connections. Each call gets a thread of its own, since
 * it may sleep in the module. This thread is a task with the caller's name, numbers and rights.
 * While a call runs, the dispatcher watches its socket: if the caller has got a signal or is gone,
 * the call's task gets one, too.
 *
 * A program that closes a file and opens it again must find it released. The dispatcher therefore
 * looks for closed connections before it takes calls, and a call waits until all files that were
 * closed before it have been released.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "sched/context.h"
#include "files.h"
#include "serve_call.h"
#include "wire.h"

#define EVENTS 64

/* What an event is about. Calls end at any time, so an event of a call has its number alone. */
struct watched {
	enum { LISTENER, STOPPER, CONNECTION } kind;
	struct watched *next, **link;		/* of connections or of calls. Sync: lock */
};

/* A file whose last descriptor was closed, until release() has returned. */
struct release {
	struct release *next;
	unsigned long number;
	struct file *file;
};

struct connection {
	struct watched watched;
	struct file *file;	/* NULL: none was opened. Sync: lock */
	int fd;
	unsigned int users;	/* calls, and the socket. Sync: lock */
};

struct call {
	struct watched watched;
	struct connection *connection;
	struct served served;
	struct task_struct *task;	/* NULL: not yet, or no more. Sync: lock */
	u64 number;
	unsigned long releases;	/* the last one that was begun before it */
	bool interrupted, gone;	/* Sync: lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;	/* releases, nr_threads */
static struct watched *connections, *calls;		/* Sync: lock */
static struct release *releases;			/* Sync: lock */
static unsigned long nr_releases;			/* begun so far. Sync: lock */
static u64 nr_calls;					/* the dispatcher's */
static unsigned int nr_threads;				/* of calls and releases. Sync: lock */
static struct watched listener = { .kind = LISTENER }, stopper = { .kind = STOPPER };
static int listen_fd = -1, epoll_fd = -1, stop_fds[2] = { -1, -1 };
static pthread_t dispatcher;
static char socket_path[PATH_MAX];

static void link_in(struct watched **list, struct watched *watched)
{
	watched->next = *list;
	watched->link = list;
	if (*list)
		(*list)->link = &watched->next;
	*list = watched;
}

static void unlink_it(struct watched *watched)
{
	*watched->link = watched->next;
	if (watched->next)
		watched->next->link = watched->link;
}

static int watch(int fd, struct watched *watched, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watched };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/*
 * Watches the call's socket for one event. The number that stands for a call is odd, so it is no
 * address of a struct watched.
 */
static void watch_call(const struct call *call, int how, uint32_t events)
{
	struct epoll_event event = {
		.events = events | EPOLLONESHOT, .data.u64 = call->number << 1 | 1,
	};

	epoll_ctl(epoll_fd, how, call->served.fd, &event);
}

/* False without memory. */
static bool start_thread(void *(*function)(void *), void *data)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&thread, &attributes, function, data);
	pthread_attr_destroy(&attributes);
	return !error;
}

static void thread_ends(void)
{
	pthread_mutex_lock(&lock);
	nr_threads--;
	pthread_cond_broadcast(&released);
	pthread_mutex_unlock(&lock);
}

/* Connections. */

static void *release_file(void *data)
{
	struct release *release = data, **link = &releases;

	file_put(release->file);
	pthread_mutex_lock(&lock);
	while (*link != release)
		link = &(*link)->next;
	*link = release->next;
	nr_threads--;
	pthread_cond_broadcast(&released);
	pthread_mutex_unlock(&lock);
	free(release);
	return NULL;
}

/* Call it under the lock. Without memory the release is not waited for. */
static struct release *note_release(struct file *file)
{
	struct release *release = calloc(1, sizeof(*release));

	if (!release)
		return NULL;
	release->file = file;
	release->number = ++nr_releases;
	release->next = releases;
	releases = release;
	nr_threads++;
	return release;
}

/* Is one of these releases, or an older one, not done? Call it under the lock. */
static bool release_is_pending(unsigned long number)
{
	const struct release *release = releases;

	while (release && release->number > number)
		release = release->next;
	return release;
}

/* Ends the connection with its last user. The module's release() may sleep: it gets a thread. */
static void connection_put(struct connection *connection)
{
	struct release *release = NULL;
	struct file *file = NULL;
	bool last;

	pthread_mutex_lock(&lock);
	last = !--connection->users;
	if (last) {
		file = connection->file;
		unlink_it(&connection->watched);
		if (file)
			release = note_release(file);
	}
	pthread_mutex_unlock(&lock);
	if (!last)
		return;
	close(connection->fd);
	free(connection);
	if (file && !release)
		file_put(file);
	else if (release && !start_thread(release_file, release))
		release_file(release);
}

static void connect_one(void)
{
	struct connection *connection;
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	connection = calloc(1, sizeof(*connection));
	if (!connection) {
		close(fd);
		return;
	}
	connection->watched.kind = CONNECTION;
	connection->fd = fd;
	connection->users = 1;
	pthread_mutex_lock(&lock);
	link_in(&connections, &connection->watched);
	pthread_mutex_unlock(&lock);
	if (watch(fd, &connection->watched, EPOLLIN))
		connection_put(connection);
}

/* Calls. */

/*
 * The task of the program's thread, which is the same one in each of its calls. A thread that waits
 * for several files has several calls at a time, and the others get tasks of their own.
 */
static void become_caller(struct call *call)
{
	struct task_struct *task = usermm_program_enter(call->served.wire.tid,
							call->served.wire.pid,
							call->served.wire.comm);
	bool interrupted, gone;

	task->usermm_user = &call->served.user;
	served_take_rights(&call->served.wire);
	pthread_mutex_lock(&lock);
	call->task = task;
	while (release_is_pending(call->releases))
		pthread_cond_wait(&released, &lock);
	interrupted = call->interrupted;
	gone = call->gone;
	pthread_mutex_unlock(&lock);
	if (interrupted || gone)
		usermm_raise(gone ? SIGKILL : SIGINT, task);
}

/* Carries the call out. A file that it opened is the connection's from then on. */
static long carry_out(struct call *call)
{
	struct file *file;
	long result;

	pthread_mutex_lock(&lock);
	file = call->connection->file;
	pthread_mutex_unlock(&lock);
	result = served_carry_out(&call->served, file);
	if (call->served.opened) {
		pthread_mutex_lock(&lock);
		call->connection->file = call->served.opened;
		pthread_mutex_unlock(&lock);
	}
	return result;
}

static void *run_call(void *data)
{
	struct connection *connection;
	struct call *call = data;
	long result;

	become_caller(call);
	result = carry_out(call);
	/* The credentials are memory of the module's process. */
	current->usermm_user = NULL;
	pthread_mutex_lock(&lock);
	call->task = NULL;
	unlink_it(&call->watched);
	pthread_mutex_unlock(&lock);
	usermm_drop_creds(current);
	connection = call->connection;
	/*
	 * Put the connection before the result is sent. The program that has the result may close
	 * the file, and the file must have no user then.
	 */
	connection_put(connection);
	served_answer(&call->served, result);
	close(call->served.fd);
	free(call);
	thread_ends();
	return NULL;
}

static void start_call(struct connection *connection, struct call *call)
{
	call->connection = connection;
	served_begin(&call->served);
	pthread_mutex_lock(&lock);
	connection->users++;
	nr_threads++;
	call->releases = nr_releases;
	call->number = nr_calls++;
	link_in(&calls, &call->watched);
	pthread_mutex_unlock(&lock);
	watch_call(call, EPOLL_CTL_ADD, EPOLLRDHUP);
	if (start_thread(run_call, call))
		return;
	pthread_mutex_lock(&lock);
	connection->users--;
	nr_threads--;
	unlink_it(&call->watched);
	pthread_mutex_unlock(&lock);
	close(call->served.fd);	/* the caller gets EIO */
	free(call);
}

static int descriptor_of(struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

/*
 * A program without the library has got the file, and wrote to it as to any other: a static one. It
 * is told, and finds the end of the file.
 */
static void refuse_stranger(struct connection *connection)
{
	fprintf(stderr, "usermm module: a program used a module's file without the preloaded "
			"library (is it static?)\n");
	shutdown(connection->fd, SHUT_RDWR);
}

static void receive_call(struct connection *connection)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct call *call = calloc(1, sizeof(*call));
	struct iovec pieces[2] = {
		{ call ? &call->served.wire : NULL, sizeof(call->served.wire) },
		{ call ? call->served.path : NULL, sizeof(call->served.path) },
	};
	struct msghdr message = {
		.msg_iov = pieces, .msg_iovlen = 2, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t got;

	if (!call)
		return;
	got = recvmsg(connection->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (got > 0)
		call->served.fd = descriptor_of(&message);
	if (got >= (ssize_t)sizeof(call->served.wire) && call->served.wire.magic == WIRE_MAGIC &&
	    call->served.fd >= 0) {
		start_call(connection, call);
		return;
	}
	if (got > 0)
		refuse_stranger(connection);
	free(call);
	if (!got || (got < 0 && errno != EAGAIN && errno != EINTR)) {
		epoll_ctl(epoll_fd, EPOLL_CTL_DEL, connection->fd, NULL);
		connection_put(connection);
	}
}

/* The call may have ended meanwhile: it is looked for in the list. */
static void interrupt_call(u64 number, bool gone)
{
	struct call *call = NULL;

	pthread_mutex_lock(&lock);
	for (struct watched *at = calls; at; at = at->next) {
		call = container_of(at, struct call, watched);
		if (call->number == number)
			break;
		call = NULL;
	}
	if (call) {
		call->interrupted = true;
		call->gone |= gone;
		if (call->task)
			usermm_raise(gone ? SIGKILL : SIGINT, call->task);
		if (!gone)
			watch_call(call, EPOLL_CTL_MOD, 0);	/* the caller may still go */
	}
	pthread_mutex_unlock(&lock);
}

/*
 * Takes the events of closed connections first, because some calls among the other events may have
 * arrived after them.
 */
static void take_closed(const struct epoll_event *events, int nr, bool *done)
{
	for (int i = 0; i < nr; i++) {
		struct watched *watched = events[i].data.ptr;

		if (events[i].data.u64 & 1 || watched->kind != CONNECTION ||
		    !(events[i].events & (EPOLLHUP | EPOLLERR)))
			continue;
		if (events[i].events & EPOLLIN) {
			char byte;

			/* A last message, as of a program without the library, is still there. */
			if (recv(container_of(watched, struct connection, watched)->fd, &byte, 1,
				 MSG_PEEK | MSG_DONTWAIT) > 0)
				continue;
		}
		done[i] = true;
		receive_call(container_of(watched, struct connection, watched));
	}
}

static void *dispatch(void *unused)
{
	struct epoll_event events[EVENTS];
	bool done[EVENTS];

	(void)unused;
	for (;;) {
		int nr = epoll_wait(epoll_fd, events, EVENTS, -1);

		memset(done, 0, sizeof(done));
		take_closed(events, nr, done);
		for (int i = 0; i < nr; i++) {
			struct watched *watched = events[i].data.ptr;

			if (done[i])
				continue;
			if (events[i].data.u64 & 1)
				interrupt_call(events[i].data.u64 >> 1,
					       events[i].events & EPOLLHUP);
			else if (watched->kind == STOPPER)
				return NULL;
			else if (watched->kind == LISTENER)
				connect_one();
			else
				receive_call(container_of(watched, struct connection, watched));
		}
	}
}

static int listen_in(const char *folder)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(socket_path, sizeof(socket_path), "%s" SOCKET_NAME, folder);
	if (strlen(socket_path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, socket_path);
	listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (listen_fd < 0 || bind(listen_fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listen_fd, SOMAXCONN))
		return -errno;
	return 0;
}

int serve_begin(const char *folder)
{
	int error = placeholders_begin(folder);

	if (!error)
		error = listen_in(folder);
	if (error)
		return error;
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0 || pipe2(stop_fds, O_CLOEXEC))
		return -errno;
	error = watch(listen_fd, &listener, EPOLLIN);
	if (!error)
		error = watch(stop_fds[0], &stopper, EPOLLIN);
	if (!error)
		error = -pthread_create(&dispatcher, NULL, dispatch, NULL);
	return error;
}

/* Interrupts all calls, and waits for them and for releases. */
static void end_calls(void)
{
	pthread_mutex_lock(&lock);
	for (struct watched *at = calls; at; at = at->next) {
		struct call *call = container_of(at, struct call, watched);

		call->gone = true;
		shutdown(call->served.fd, SHUT_RDWR);
		if (call->task)
			usermm_raise(SIGKILL, call->task);
	}
	while (nr_threads)
		pthread_cond_wait(&released, &lock);
	pthread_mutex_unlock(&lock);
}

void serve_end(void)
{
	write(stop_fds[1], "", 1);
	pthread_join(dispatcher, NULL);
	close(listen_fd);
	unlink(socket_path);
	end_calls();
	while (connections)
		connection_put(container_of(connections, struct connection, watched));
	end_calls();
	close(epoll_fd);
	close(stop_fds[0]);
	close(stop_fds[1]);
}
