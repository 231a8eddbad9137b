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
	struct user_memory user;
	struct wire_call wire;
	char path[WIRE_PATH];
	struct task_struct *task;	/* NULL: not yet, or no more. Sync: lock */
	int fd;			/* the call's socket */
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

/* Odd, as no address is. Each event is reported once. */
static void watch_call(const struct call *call, int how, uint32_t events)
{
	struct epoll_event event = {
		.events = events | EPOLLONESHOT, .data.u64 = call->number << 1 | 1,
	};

	epoll_ctl(epoll_fd, how, call->fd, &event);
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

/* Copies from and to the caller. */

static bool send_request(const struct call *call, struct wire_request request, const void *data)
{
	struct iovec pieces[2] = {
		{ &request, sizeof(request) },
		{ (void *)data, request.kind == WIRE_WRITE ? request.bytes : 0 },
	};
	struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };

	return sendmsg(call->fd, &message, MSG_NOSIGNAL) >= 0;
}

/* How many bytes the caller copied. */
static unsigned long receive_answer(const struct call *call, void *data, unsigned long n)
{
	struct wire_answer answer;
	struct iovec pieces[2] = { { &answer, sizeof(answer) }, { data, n } };
	struct msghdr message = { .msg_iov = pieces, .msg_iovlen = data ? 2 : 1 };
	ssize_t got;

	do
		got = recvmsg(call->fd, &message, 0);
	while (got < 0 && errno == EINTR);
	if (got < (ssize_t)sizeof(answer) || answer.bytes > n)
		return 0;
	return answer.bytes;
}

static unsigned long copy_piece(const struct call *call, unsigned int kind, void *data,
				unsigned long address, unsigned long n)
{
	struct wire_request request = {
		.kind = kind, .bytes = (uint32_t)n, .address = address,
	};

	if (!send_request(call, request, data))
		return 0;
	return receive_answer(call, kind == WIRE_READ ? data : NULL, n);
}

/* A piece that cannot be copied is tried page by page, so that the bytes in front of a hole are. */
static unsigned long copy(const struct call *call, unsigned int kind, void *data,
			  unsigned long address, unsigned long n)
{
	while (n) {
		unsigned long piece = min(n, (unsigned long)WIRE_PIECE);
		unsigned long to_page = PAGE_SIZE - address % PAGE_SIZE;

		if (copy_piece(call, kind, data, address, piece) != piece) {
			piece = min(piece, to_page);
			if (copy_piece(call, kind, data, address, piece) != piece)
				break;
		}
		data = (char *)data + piece;
		address += piece;
		n -= piece;
	}
	return n;
}

static unsigned long read_user(struct user_memory *user, void *to, unsigned long from,
			       unsigned long n)
{
	return copy(container_of(user, struct call, user), WIRE_READ, to, from, n);
}

static unsigned long write_user(struct user_memory *user, unsigned long to, const void *from,
				unsigned long n)
{
	return copy(container_of(user, struct call, user), WIRE_WRITE, (void *)from, to, n);
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

static long call_open(struct call *call)
{
	struct file_node *node = node_find(call->path);
	struct file *file;

	if (!node)
		return -ENOENT;
	if (call->connection->file)
		return -EINVAL;
	file = file_open(node, (unsigned int)call->wire.arguments[0]);
	if (IS_ERR(file))
		return PTR_ERR(file);
	pthread_mutex_lock(&lock);
	call->connection->file = file;
	pthread_mutex_unlock(&lock);
	return 0;
}

static long send_stat(struct call *call, const struct inode *inode)
{
	struct wire_stat stat = {
		.mode = inode->i_mode, .links = inode->i_nlink, .uid = inode->i_uid.val,
		.gid = inode->i_gid.val, .major = MAJOR(inode->i_rdev),
		.minor = MINOR(inode->i_rdev), .inode = inode->i_ino, .size = inode->i_size,
	};
	void *to = (void *)(unsigned long)call->wire.arguments[3];

	return copy_to_user(to, &stat, sizeof(stat)) ? -EFAULT : 0;
}

static long call_stat(struct call *call)
{
	struct file_node *node = node_find(call->path);

	return node ? send_stat(call, &node->inode) : -ENOENT;
}

/* Only for devices of the module. The node stays until it is removed or the run ends. */
static long call_mknod(struct call *call)
{
	umode_t mode = (umode_t)call->wire.arguments[0];
	dev_t number = MKDEV((dev_t)call->wire.arguments[1], (dev_t)call->wire.arguments[2]);
	struct file_node *node;
	char *name = strrchr(call->path, '/');

	if (!S_ISCHR(mode) || !device_has_driver(number))
		return -EOPNOTSUPP;
	if (!capable(CAP_MKNOD))
		return -EPERM;
	if (!name)
		return -EINVAL;
	*name++ = '\0';
	node = node_create_device(node_base(*call->path ? call->path : "/"), name, mode, number);
	if (IS_ERR(node))
		return PTR_ERR(node);
	files_lock();
	node->is_base = true;
	files_unlock();
	return 0;
}

static long call_transfer(struct call *call, struct file *file, bool reads)
{
	void *buffer = (void *)(unsigned long)call->wire.arguments[0];
	size_t n = (size_t)call->wire.arguments[1];
	loff_t pos = call->wire.arguments[2], *own = pos >= 0 ? &pos : NULL;

	return reads ? file_read(file, buffer, n, own) : file_write(file, buffer, n, own);
}

static long call_file(struct call *call, struct file *file)
{
	const int64_t *arguments = call->wire.arguments;

	switch (call->wire.operation) {
	case WIRE_FILE_STAT:
		return send_stat(call, file->f_inode);
	case WIRE_TRANSFER_READ:
		return call_transfer(call, file, true);
	case WIRE_TRANSFER_WRITE:
		return call_transfer(call, file, false);
	case WIRE_SEEK:
		return file_seek(file, arguments[0], (int)arguments[1]);
	case WIRE_IOCTL:
		return file_ioctl(file, (unsigned int)arguments[0], (unsigned long)arguments[1]);
	case WIRE_POLL:
		return (long)file_wait(file, (__poll_t)arguments[0], arguments[1]);
	case WIRE_FSYNC:
		return file_fsync(file);
	case WIRE_GET_FLAGS:
		return (long)READ_ONCE(file->f_flags);
	case WIRE_SET_FLAGS:
		return file_set_flags(file, (unsigned int)arguments[0]);
	case WIRE_SET_OWNER:
		file->usermm_owner = (int)arguments[0];
		return 0;
	case WIRE_GET_OWNER:
		return file->usermm_owner;
	}
	return -ENOSYS;
}

static long carry_out(struct call *call)
{
	struct file *file;

	switch (call->wire.operation) {
	case WIRE_OPEN:
		return call_open(call);
	case WIRE_STAT:
		return call_stat(call);
	case WIRE_MKNOD:
		return call_mknod(call);
	}
	pthread_mutex_lock(&lock);
	file = call->connection->file;
	pthread_mutex_unlock(&lock);
	return file ? call_file(call, file) : -EBADF;
}

/* The caller's rights, until the thread ends. Without memory the task has none at all. */
static void take_rights(const struct wire_call *wire)
{
	static const struct cred nobody = {
		.usage = REFCOUNT_INIT(2), .uid = { 65534 }, .euid = { 65534 },
	};
	struct cred *cred = prepare_kernel_cred(NULL);

	if (!cred) {
		WRITE_ONCE(current->cred, &nobody);
		return;
	}
	cred->uid = cred->euid = cred->suid = cred->fsuid = KUIDT_INIT(wire->uid);
	cred->gid = cred->egid = cred->sgid = cred->fsgid = KGIDT_INIT(wire->gid);
	if (wire->uid)
		cred->cap_effective = cred->cap_permitted = CAP_EMPTY_SET;
	commit_creds(cred);
}

/*
 * The task of the program's thread, which is the same one in each of its calls. A thread that waits
 * for several files has several calls at a time, and the others get tasks of their own.
 */
static void become_caller(struct call *call)
{
	struct task_struct *task = usermm_program_enter(call->wire.tid, call->wire.pid,
							call->wire.comm);
	bool interrupted, gone;

	task->usermm_user = &call->user;
	take_rights(&call->wire);
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

static void *run_call(void *data)
{
	struct connection *connection;
	struct call *call = data;
	struct wire_request result = { .kind = WIRE_RESULT };

	become_caller(call);
	result.result = carry_out(call);
	/* The credentials are memory of the module's process. */
	current->usermm_user = NULL;
	pthread_mutex_lock(&lock);
	call->task = NULL;
	unlink_it(&call->watched);
	pthread_mutex_unlock(&lock);
	put_cred(xchg(&current->cred, NULL));
	connection = call->connection;
	/*
	 * The connection first: who has got the result may close the file, and then finds that
	 * nobody uses it.
	 */
	connection_put(connection);
	send_request(call, result, NULL);
	close(call->fd);
	free(call);
	thread_ends();
	return NULL;
}

static void start_call(struct connection *connection, struct call *call)
{
	call->connection = connection;
	call->user = (struct user_memory){ .read = read_user, .write = write_user };
	call->wire.comm[sizeof(call->wire.comm) - 1] = '\0';
	call->path[WIRE_PATH - 1] = '\0';
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
	close(call->fd);	/* the caller gets EIO */
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
		{ call ? &call->wire : NULL, sizeof(call->wire) },
		{ call ? call->path : NULL, sizeof(call->path) },
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
		call->fd = descriptor_of(&message);
	if (got >= (ssize_t)sizeof(call->wire) && call->wire.magic == WIRE_MAGIC && call->fd >= 0) {
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

/* Connections that were closed come before calls that arrived later. */
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
		shutdown(call->fd, SHUT_RDWR);
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
