/* SPDX-License-Identifier: MIT */
/*
 * A small HTTP/1.1 server: one request a connection, one connection at a time. It is for scrapes
 * of a few pages, by programs that wait for the answer.
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
struct http_page {
	const char *path;
	const char *type;
	void (*write)(FILE *out, void *context);
};

/*
 * Answers the next request at the socket by one of the pages, whose table ends with a path of
 * NULL. Whatever a client sends or does not send, this takes a few seconds at most.
 */
void http_answer(int socket, const struct http_page *pages, void *context);

#endif
