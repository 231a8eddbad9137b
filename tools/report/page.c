// SPDX-License-Identifier: MIT
#include "report/page.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "usermm/command.h"
#include "usermm/say.h"

void html_put(FILE *out, const char *text)
{
	char *clean = malloc(4 * strlen(text) + 1);

	if (!clean)
		return;
	say_clean(clean, 4 * strlen(text) + 1, text);
	for (const char *at = clean; *at; at++)
		switch (*at) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			putc(*at, out);
		}
	free(clean);
}

/* Copies a part of the page. 0 or -1. */
static int put_part(const struct page *page, const char *name)
{
	char buffer[4096];
	size_t length;
	FILE *from;

	snprintf(page->failed, page->failed_bytes, "%s/%s", page->folder, name);
	from = fopen(page->failed, "re");
	if (!from)
		return -1;
	while ((length = fread(buffer, 1, sizeof(buffer), from)))
		fwrite(buffer, 1, length, page->out);
	if (ferror(from) | fclose(from))
		return -1;
	return 0;
}

static int put_parts(const struct page *page, const char *const *names, const char *before,
		     const char *behind)
{
	for (unsigned int i = 0; i < PAGE_PARTS_MAX && names[i]; i++) {
		fputs(before, page->out);
		if (put_part(page, names[i]))
			return -1;
		fputs(behind, page->out);
	}
	return 0;
}

int page_begin(const struct page *page, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>", page->out);
	html_put(page->out, title);
	fputs("</title>\n<style>\n", page->out);
	if (put_parts(page, page->parts->styles, "", ""))
		return -1;
	fputs("</style>\n</head>\n<body>\n<header><h1>", page->out);
	html_put(page->out, title);
	fputs("</h1>\n<button type=\"button\" id=\"theme\" hidden>dark or "
	      "light</button></header>\n", page->out);
	return 0;
}

int page_end(const struct page *page)
{
	if (put_parts(page, page->parts->licences, "<!--\n", "-->\n") ||
	    put_parts(page, page->parts->scripts, "<script>\n", "</script>\n"))
		return -1;
	fputs("</body>\n</html>\n", page->out);
	return 0;
}

const char *report_parts(void)
{
	/* In a build; installed, from bin/ and from libexec/usermm/. */
	static const char *const candidates[] = {
		"report", "../share/usermm/report", "../../share/usermm/report",
	};
	static char path[PATH_MAX];

	for (unsigned int i = 0; i < ARRAY_SIZE(candidates); i++)
		if (beside_program(candidates[i], path))
			return path;
	return NULL;
}
