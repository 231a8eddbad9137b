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

#include "watch/stop.h"

#define REQUEST_BYTES 8192
/* So many connections are served at a time. Others wait to be accepted. */
#define CONNECTIONS_MAX 64
/* For the whole of a request, and for the whole of an answer. */
#define LIMIT_MS 3000
/* For the client to close the connection after the answer. */
#define END_MS 300

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
	if (bind(fd, &at.any, bytes) || listen(fd, CONNECTIONS_MAX)) {
		error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	show_address(fd, address);
	return fd;
}

/* --- Connections --------------------------------------------------------------------------- */

enum state {
	UNUSED,
	READING,		/* the request is not whole yet */
	WRITING,		/* the answer is not sent yet */
	ENDING,			/* all is sent; the client closes the connection */
};

struct connection {
	enum state state;
	int fd;
	long long deadline;	/* of this state */
	char *answer;		/* WRITING */
	size_t answer_bytes, sent;
	size_t used;		/* bytes of request[] */
	char request[REQUEST_BYTES];
};

struct http_server {
	int socket;
	const struct http_page *pages;
	void *context;
	struct connection connections[CONNECTIONS_MAX];
};

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

static void enter(struct connection *connection, enum state state, long long ms)
{
	connection->state = state;
	connection->deadline = now_ms() + ms;
}

static void end(struct connection *connection)
{
	close(connection->fd);
	free(connection->answer);
	connection->answer = NULL;
	connection->state = UNUSED;
}

/* --- Answers ------------------------------------------------------------------------------- */

static void set_answer(struct connection *connection, const char *status, const char *type,
		       const char *content, size_t length, bool has_content)
{
	char head[256];
	int bytes = snprintf(head, sizeof(head),
			     "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
			     "Connection: close\r\n\r\n", status, type, length);

	connection->answer_bytes = (size_t)bytes + (has_content ? length : 0);
	connection->answer = malloc(connection->answer_bytes);
	if (!connection->answer) {
		end(connection);
		return;
	}
	memcpy(connection->answer, head, (size_t)bytes);
	if (has_content)
		memcpy(connection->answer + bytes, content, length);
	connection->sent = 0;
	enter(connection, WRITING, LIMIT_MS);
}

static void set_status(struct connection *connection, const char *status, bool has_content)
{
	char text[128];

	snprintf(text, sizeof(text), "%s\n", status);
	set_answer(connection, status, "text/plain; charset=utf-8", text, strlen(text),
		   has_content);
}

static void set_page(struct connection *connection, const struct http_page *page, void *context,
		     bool has_content)
{
	char *content = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&content, &length);

	if (!out) {
		set_status(connection, "503 Service Unavailable", has_content);
		return;
	}
	page->write(out, context);
	if (fclose(out))
		set_status(connection, "503 Service Unavailable", has_content);
	else
		set_answer(connection, "200 OK", page->type, content, length, has_content);
	free(content);
}

static void answer(const struct http_server *server, struct connection *connection)
{
	const struct http_page *page = server->pages;
	char method[16], path[1024], version[16];
	bool is_head;

	if (sscanf(connection->request, "%15s %1023s %15s", method, path, version) != 3 ||
	    strncmp(version, "HTTP/1.", 7)) {
		set_status(connection, "400 Bad Request", true);
		return;
	}
	is_head = !strcmp(method, "HEAD");
	if (!is_head && strcmp(method, "GET")) {
		set_status(connection, "405 Method Not Allowed", true);
		return;
	}
	path[strcspn(path, "?")] = '\0';
	while (page->path && strcmp(path, page->path))
		page++;
	if (page->path)
		set_page(connection, page, server->context, !is_head);
	else
		set_status(connection, "404 Not Found", !is_head);
}

/* --- One step of a connection -------------------------------------------------------------- */

/* Reads what there is. An empty line ends the request. */
static void read_more(const struct http_server *server, struct connection *connection)
{
	char *request = connection->request;
	ssize_t length = recv(connection->fd, request + connection->used,
			      REQUEST_BYTES - 1 - connection->used, 0);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length <= 0) {
		set_status(connection, "400 Bad Request", true);
		return;
	}
	connection->used += (size_t)length;
	request[connection->used] = '\0';
	if (strlen(request) == connection->used &&
	    (strstr(request, "\r\n"
			     "\r\n") || strstr(request, "\n\n")))
		answer(server, connection);
	else if (connection->used == REQUEST_BYTES - 1)
		set_status(connection, "431 Request Header Fields Too Large", true);
}

/*
 * A close() with bytes that nobody read would reset the connection, and the client might lose the
 * answer. So the client closes it first, or has some time for that.
 */
static void write_more(struct connection *connection)
{
	ssize_t sent = send(connection->fd, connection->answer + connection->sent,
			    connection->answer_bytes - connection->sent, MSG_NOSIGNAL);

	if (sent < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (sent <= 0) {
		end(connection);
		return;
	}
	connection->sent += (size_t)sent;
	if (connection->sent < connection->answer_bytes)
		return;
	shutdown(connection->fd, SHUT_WR);
	enter(connection, ENDING, END_MS);
}

static void read_rest(struct connection *connection)
{
	char rest[1024];
	ssize_t length = recv(connection->fd, rest, sizeof(rest), 0);

	if (!length || (length < 0 && errno != EAGAIN && errno != EINTR))
		end(connection);
}

static void go_on(const struct http_server *server, struct connection *connection, bool is_ready)
{
	if (!is_ready && now_ms() < connection->deadline)
		return;
	if (!is_ready && connection->state == READING)
		set_status(connection, "408 Request Timeout", true);
	else if (!is_ready)
		end(connection);
	else if (connection->state == READING)
		read_more(server, connection);
	else if (connection->state == WRITING)
		write_more(connection);
	else
		read_rest(connection);
}

/* --- All connections ----------------------------------------------------------------------- */

static struct connection *find_unused(struct http_server *server)
{
	for (unsigned int i = 0; i < CONNECTIONS_MAX; i++)
		if (server->connections[i].state == UNUSED)
			return &server->connections[i];
	return NULL;
}

static void accept_all(struct http_server *server)
{
	struct connection *connection;

	while ((connection = find_unused(server))) {
		connection->fd = accept4(server->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (connection->fd < 0)
			return;
		connection->used = 0;
		enter(connection, READING, LIMIT_MS);
	}
}

/* What poll() shall wait for. *wait_ms becomes the time until the next deadline, if less. */
static unsigned int fill_in(struct http_server *server, struct pollfd *ready,
			    struct connection **of, int *wait_ms)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &server->connections[i];
		long long left = connection->deadline - now_ms();

		if (connection->state == UNUSED)
			continue;
		of[nr] = connection;
		ready[nr++] = (struct pollfd){
			.fd = connection->fd,
			.events = connection->state == WRITING ? POLLOUT : POLLIN,
		};
		left = left < 0 ? 0 : left;
		*wait_ms = left < *wait_ms ? (int)left : *wait_ms;
	}
	return nr;
}

void http_serve(struct http_server *server, int wait_ms)
{
	struct pollfd ready[CONNECTIONS_MAX + 1];
	struct connection *of[CONNECTIONS_MAX];
	unsigned int nr = fill_in(server, ready, of, &wait_ms);

	ready[nr] = (struct pollfd){
		.fd = find_unused(server) ? server->socket : -1, .events = POLLIN,
	};
	if (stop_poll(ready, nr + 1, wait_ms / 1000.0) < 0)
		return;	/* a signal came */
	for (unsigned int i = 0; i < nr; i++)
		go_on(server, of[i], ready[i].revents);
	if (ready[nr].revents)
		accept_all(server);
}

struct http_server *http_open(int socket, const struct http_page *pages, void *context)
{
	struct http_server *server = calloc(1, sizeof(*server));

	if (server) {
		server->socket = socket;
		server->pages = pages;
		server->context = context;
	}
	return server;
}

void http_close(struct http_server *server)
{
	for (unsigned int i = 0; i < CONNECTIONS_MAX; i++)
		if (server->connections[i].state != UNUSED)
			end(&server->connections[i]);
	close(server->socket);
	free(server);
}
