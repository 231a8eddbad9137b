// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watch/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_BYTES 8192
/* For the whole of a request, and for the whole of an answer. */
#define LIMIT_MS 3000

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* "127.0.0.1:80" or "[::1]:80"; false if the text is something else. */
static bool read_address(const char *text, union address *address, socklen_t *bytes)
{
	const char *colon = strrchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : 0;
	char host[INET6_ADDRSTRLEN + 2], *end;
	unsigned long port;

	if (!length || length >= sizeof(host) || colon[1] < '0' || colon[1] > '9')
		return false;
	port = strtoul(colon + 1, &end, 10);
	if (*end || port > 65535)
		return false;
	*address = (union address){ 0 };
	if (*text == '[' && text[length - 1] == ']') {
		snprintf(host, sizeof(host), "%.*s", (int)length - 2, text + 1);
		address->v6.sin6_family = AF_INET6;
		address->v6.sin6_port = htons((unsigned short)port);
		*bytes = sizeof(address->v6);
		return inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1;
	}
	snprintf(host, sizeof(host), "%.*s", (int)length, text);
	address->v4.sin_family = AF_INET;
	address->v4.sin_port = htons((unsigned short)port);
	*bytes = sizeof(address->v4);
	return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1;
}

static void show_address(int fd, char text[HTTP_ADDRESS_BYTES])
{
	char host[INET6_ADDRSTRLEN] = "?";
	union address address = { 0 };
	socklen_t bytes = sizeof(address);

	getsockname(fd, &address.any, &bytes);
	if (address.any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &address.v6.sin6_addr, host, sizeof(host));
		snprintf(text, HTTP_ADDRESS_BYTES, "[%s]:%u", host, ntohs(address.v6.sin6_port));
	} else {
		inet_ntop(AF_INET, &address.v4.sin_addr, host, sizeof(host));
		snprintf(text, HTTP_ADDRESS_BYTES, "%s:%u", host, ntohs(address.v4.sin_port));
	}
}

int http_listen(const char *text, char address[HTTP_ADDRESS_BYTES])
{
	union address at;
	socklen_t bytes;
	int fd, one = 1, error;

	if (!read_address(text, &at, &bytes)) {
		errno = EINVAL;
		return -1;
	}
	fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	/* A port whose last connections still linger is free. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, &at.any, bytes) || listen(fd, 16)) {
		error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	show_address(fd, address);
	return fd;
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* Waits until the connection is ready. False: the time is up. */
static bool wait_for(int fd, short events, long long deadline)
{
	struct pollfd ready = { .fd = fd, .events = events };
	long long left;

	while ((left = deadline - now_ms()) > 0)
		if (poll(&ready, 1, (int)left) > 0)
			return true;
	return false;
}

/* Reads up to the empty line. False: there is none, and the answer is *status. */
static bool read_request(int fd, char request[REQUEST_BYTES], const char **status)
{
	long long deadline = now_ms() + LIMIT_MS;
	size_t used = 0;

	while (used < REQUEST_BYTES - 1) {
		ssize_t length;

		if (!wait_for(fd, POLLIN, deadline)) {
			*status = "408 Request Timeout";
			return false;
		}
		length = recv(fd, request + used, REQUEST_BYTES - 1 - used, 0);
		if (length < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (length <= 0) {
			*status = "400 Bad Request";
			return false;
		}
		used += (size_t)length;
		request[used] = '\0';
		if (strlen(request) == used && (strstr(request, "\r\n"
								"\r\n") || strstr(request, "\n\n")))
			return true;
	}
	*status = "431 Request Header Fields Too Large";
	return false;
}

static void send_all(int fd, const char *text, size_t length)
{
	long long deadline = now_ms() + LIMIT_MS;

	while (length && wait_for(fd, POLLOUT, deadline)) {
		ssize_t sent = send(fd, text, length, MSG_NOSIGNAL);

		if (sent < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (sent <= 0)
			return;
		text += sent;
		length -= (size_t)sent;
	}
}

/*
 * Ends the connection. A close() with bytes that nobody read would reset it, and the client might
 * lose the answer.
 */
static void finish(int fd)
{
	long long deadline = now_ms() + LIMIT_MS / 10;
	char rest[1024];

	shutdown(fd, SHUT_WR);
	while (wait_for(fd, POLLIN, deadline))
		if (recv(fd, rest, sizeof(rest), 0) <= 0)
			break;
	close(fd);
}

static void send_answer(int fd, const char *status, const char *type, const char *content,
			size_t length, bool has_content)
{
	char head[256];
	int bytes = snprintf(head, sizeof(head),
			     "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
			     "Connection: close\r\n\r\n", status, type, length);

	send_all(fd, head, (size_t)bytes);
	if (has_content)
		send_all(fd, content, length);
}

static void send_status(int fd, const char *status, bool has_content)
{
	char text[128];

	snprintf(text, sizeof(text), "%s\n", status);
	send_answer(fd, status, "text/plain; charset=utf-8", text, strlen(text), has_content);
}

static void send_page(int fd, const struct http_page *page, void *context, bool has_content)
{
	char *content = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&content, &length);

	if (!out) {
		send_status(fd, "503 Service Unavailable", has_content);
		return;
	}
	page->write(out, context);
	if (fclose(out))
		send_status(fd, "503 Service Unavailable", has_content);
	else
		send_answer(fd, "200 OK", page->type, content, length, has_content);
	free(content);
}

static void answer(int fd, const char *request, const struct http_page *pages, void *context)
{
	char method[16], path[1024], version[16];
	bool is_head;

	if (sscanf(request, "%15s %1023s %15s", method, path, version) != 3 ||
	    strncmp(version, "HTTP/1.", 7)) {
		send_status(fd, "400 Bad Request", true);
		return;
	}
	is_head = !strcmp(method, "HEAD");
	if (!is_head && strcmp(method, "GET")) {
		send_status(fd, "405 Method Not Allowed", true);
		return;
	}
	path[strcspn(path, "?")] = '\0';
	for (; pages->path; pages++)
		if (!strcmp(path, pages->path)) {
			send_page(fd, pages, context, !is_head);
			return;
		}
	send_status(fd, "404 Not Found", !is_head);
}

void http_answer(int socket, const struct http_page *pages, void *context)
{
	int fd = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	char request[REQUEST_BYTES];
	const char *status;

	if (fd < 0)
		return;
	if (read_request(fd, request, &status))
		answer(fd, request, pages, context);
	else
		send_status(fd, status, true);
	finish(fd);
}
