/* SPDX-License-Identifier: MIT */
/*
 * A small HTTP/1.1 server for a few pages: one request a connection, up to 64 connections at a
 * time, in one thread. Each client has three seconds for its request, and as many to take the
 * answer.
 */
#ifndef TOOLS_HTTP_H
#define TOOLS_HTTP_H

#include <stdbool.h>
#include <stdio.h>

#define HTTP_ADDRESS_BYTES 80

/*
 * Listens at "ADDRESS:PORT", with an address in numbers ("127.0.0.1:9464", "[::1]:9464"). Port 0
 * chooses one that is free. address[] gets the real address and port. Returns the socket; or -1
 * with errno set, EINVAL if the text is no address.
 */
int http_listen(const char *text, char address[HTTP_ADDRESS_BYTES]);

/* A page of the server. write() writes the page's content. */
struct http_server;
struct http_page {
	const char *path;
	const char *type;
	void (*write)(FILE *out, void *context);
};

/*
 * Answers requests at the socket by one of the pages, whose table ends with a path of NULL. NULL
 * without memory.
 */
struct http_server *http_open(int socket, const struct http_page *pages, void *context);
/* Does what can be done now, or waits up to wait_ms for something to do. */
void http_serve(struct http_server *server, int wait_ms);
/* Ends all connections and closes the socket. */
void http_close(struct http_server *server);

#endif
