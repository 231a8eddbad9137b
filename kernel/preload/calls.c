// SPDX-License-Identifier: MIT
/* Calls to the module's process: see ../files/wire.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload.h"

static char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
static struct sockaddr_un address = { .sun_family = AF_UNIX };

void *next_function(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

/* Read once, since programs change their environment. */
static __attribute__((constructor(101))) void read_environment(void)
{
	const char *text = getenv(FILES_VARIABLE);

	if (!text || strlen(text) + sizeof(SOCKET_NAME) > sizeof(address.sun_path))
		return;
	strcpy(folder, text);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s" SOCKET_NAME, text);
}

const char *files_folder(void)
{
	return *folder ? folder : NULL;
}

/* A connection's peer has the name that the module's process gave to its socket. */
bool is_module_file(int fd)
{
	struct sockaddr_un peer;
	socklen_t length = sizeof(peer);
	int error = errno;
	bool is;

	if (!*folder || fd < 0)
		return false;
	is = !getpeername(fd, (struct sockaddr *)&peer, &length) && peer.sun_family == AF_UNIX &&
	     length > sizeof(peer.sun_family) && !strncmp(peer.sun_path, address.sun_path,
							  sizeof(peer.sun_path));
	errno = error;
	return is;
}

ino_t file_number(int fd)
{
	struct stat stat;
	int error = errno;
	ino_t number = 0;

	/* By system call, because this library replaces fstat(). */
	if (is_module_file(fd) && !syscall(SYS_newfstatat, fd, "", &stat, AT_EMPTY_PATH))
		number = stat.st_ino;
	errno = error;
	return number;
}

int connect_to_module(bool cloexec)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | (cloexec ? SOCK_CLOEXEC : 0), 0);

	if (fd < 0)
		return -1;
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	errno = ENXIO;		/* the module is gone */
	return -1;
}

static bool send_call(int fd, struct iovec *pieces, int reply)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	struct msghdr message = {
		.msg_iov = pieces, .msg_iovlen = 2, .msg_control = &control,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t sent;

	memcpy(CMSG_DATA(&control.header), &reply, sizeof(reply));
	do
		sent = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent >= 0;
}

int call_start(int fd, enum wire_operation operation, const char *path,
	       const int64_t arguments[4])
{
	struct wire_call call = {
		.magic = WIRE_MAGIC, .operation = operation, .pid = getpid(),
		.tid = (int32_t)syscall(SYS_gettid), .uid = geteuid(), .gid = getegid(),
		.path_bytes = path ? (uint32_t)strlen(path) + 1 : 0,
	};
	struct iovec pieces[2] = { { &call, sizeof(call) }, { (void *)path, call.path_bytes } };
	int sockets[2];
	bool sent;

	prctl(PR_GET_NAME, call.comm);
	memcpy(call.arguments, arguments, sizeof(call.arguments));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -1;
	sent = send_call(fd, pieces, sockets[1]);
	close(sockets[1]);
	if (sent)
		return sockets[0];
	close(sockets[0]);
	errno = EIO;
	return -1;
}

/* The system copies from the address, so a bad one is an error here and no crash. */
static void send_memory(int socket, const struct wire_request *request)
{
	struct wire_answer answer = { .bytes = request->bytes };
	struct iovec pieces[2] = {
		{ &answer, sizeof(answer) },
		{ (void *)(uintptr_t)request->address, request->bytes },
	};
	struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };
	ssize_t sent;

	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return;
	answer.bytes = 0;
	send(socket, &answer, sizeof(answer), MSG_NOSIGNAL);
}

/* The next message, whose head has been looked at, goes to the address. */
static void receive_memory(int socket, const struct wire_request *request)
{
	struct wire_request again;
	struct iovec pieces[2] = {
		{ &again, sizeof(again) }, { (void *)(uintptr_t)request->address, request->bytes },
	};
	struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };
	struct wire_answer answer = { 0 };
	ssize_t got;

	do
		got = recvmsg(socket, &message, 0);
	while (got < 0 && errno == EINTR);
	if (got == (ssize_t)(sizeof(again) + request->bytes))
		answer.bytes = request->bytes;
	else			/* an address that is none at all leaves the message there */
		recv(socket, &again, sizeof(again), MSG_DONTWAIT);
	send(socket, &answer, sizeof(answer), MSG_NOSIGNAL);
}

/* The next message has a descriptor of memory that is to be mapped. */
static void receive_descriptor(int socket)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct wire_request request;
	struct iovec piece = { &request, sizeof(request) };
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct wire_answer answer = { 0 };
	int fd = -1;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == (ssize_t)sizeof(request) &&
	    CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	if (fd >= 0) {
		if (show_memory(&request, fd))
			answer.bytes = request.bytes;
		close(fd);
	}
	send(socket, &answer, sizeof(answer), MSG_NOSIGNAL);
}

bool call_serve(int socket, long *result)
{
	struct wire_request request;
	ssize_t got = recv(socket, &request, sizeof(request), MSG_PEEK);

	if (got < 0 && errno == EINTR) {
		/* A handler ran: the module shall give up its wait, and say how it ended. */
		shutdown(socket, SHUT_WR);
		return false;
	}
	if (got < (ssize_t)sizeof(request)) {
		*result = -EIO;		/* the module's process has ended */
		return true;
	}
	if (request.kind == WIRE_WRITE) {
		receive_memory(socket, &request);
		return false;
	}
	if (request.kind == WIRE_SHOW) {
		receive_descriptor(socket);
		return false;
	}
	recv(socket, &request, sizeof(request), 0);
	if (request.kind == WIRE_READ) {
		send_memory(socket, &request);
		return false;
	}
	*result = request.result;
	return true;
}

/* What Linux says to the program where a signal ended a wait: -ERESTARTSYS and its like. */
#define FIRST_RESTART 512
#define LAST_RESTART 516
#define MAX_ERRNO 4095

long call_module(int fd, enum wire_operation operation, const char *path,
		 const int64_t arguments[4])
{
	int socket = call_start(fd, operation, path, arguments);
	long result;

	if (socket < 0)
		return -1;
	while (!call_serve(socket, &result))
		;
	close(socket);
	if (result >= 0 || result < -MAX_ERRNO)
		return result;
	errno = result <= -FIRST_RESTART && result >= -LAST_RESTART ? EINTR : (int)-result;
	return -1;
}
