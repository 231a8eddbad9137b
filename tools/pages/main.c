// SPDX-License-Identifier: MIT
/*
 * usermm_pages FOLDER DATE HEADER...: writes the man pages and the completions into the folder.
 * usermm_pages --options: prints docs/options.md.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pages/pages.h"
#include "pages/roff.h"
#include "usermm/usermm.h"

#define MAX_HEADERS 40

static const char *folder;

static FILE *begin(const char *name)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	if (!out) {
		fprintf(stderr, "usermm_pages: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	return out;
}

static void end(FILE *out)
{
	if (ferror(out) | fclose(out)) {
		fprintf(stderr, "usermm_pages: %s: a file cannot be written\n", folder);
		exit(1);
	}
}

static void write_file(const char *name, void (*write)(FILE *out))
{
	FILE *out = begin(name);

	write(out);
	end(out);
}

static void write_commands(void)
{
	const struct command *command;
	char name[128];
	FILE *out;

	write_file("man1/usermm.1", pages_write_overview);
	for (unsigned int i = 0; (command = command_at(i)); i++) {
		if (!command->summary)
			continue;
		snprintf(name, sizeof(name), "man1/%s.1", pages_command_name(command));
		out = begin(name);
		pages_write_command(out, command);
		end(out);
	}
}

/* Is there a header whose page has this name? A call may have it, too. */
static int is_page(const struct header *all, unsigned int nr, const char *name)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(pages_header_name(&all[i]), name))
			return 1;
	return 0;
}

/* The header's page, and for each of its calls a file that leads to it. */
static void write_header(const struct header *header, const struct header *all, unsigned int nr)
{
	char page[128], name[256];
	FILE *out;

	snprintf(page, sizeof(page), "man3/%s." PAGES_CALLS_SECTION, pages_header_name(header));
	out = begin(page);
	if (!strcmp(pages_header_name(header), "usermm"))
		pages_write_library(out, all, nr);
	else
		pages_write_header(out, header);
	end(out);
	for (unsigned int i = 0; i < header->nr_names; i++) {
		if (is_page(all, nr, header->names[i]))
			continue;
		snprintf(name, sizeof(name), "man3/%s." PAGES_CALLS_SECTION, header->names[i]);
		out = begin(name);
		fprintf(out, ".so %s\n", page);
		end(out);
	}
}

static void write_headers(int nr, char **paths)
{
	static struct header headers[MAX_HEADERS];

	if (nr > MAX_HEADERS) {
		fprintf(stderr, "usermm_pages: more than %d headers\n", MAX_HEADERS);
		exit(1);
	}
	for (int i = 0; i < nr; i++)
		if (header_read(&headers[i], paths[i]))
			exit(1);
	for (int i = 0; i < nr; i++)
		write_header(&headers[i], headers, (unsigned int)nr);
}

static void make_folder(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s%s", folder, name);
	if (mkdir(path, 0777) && errno != EEXIST) {
		fprintf(stderr, "usermm_pages: %s: %s\n", path, strerror(errno));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "", "/man1", "/man3", "/man7", "/bash", "/zsh",
					       "/fish" };

	if (argc == 2 && !strcmp(argv[1], "--options")) {
		pages_write_options_markdown(stdout);
		return ferror(stdout) || fclose(stdout);
	}
	if (argc < 4) {
		fprintf(stderr, "usage: usermm_pages FOLDER DATE HEADER...\n");
		return 2;
	}
	folder = argv[1];
	roff_date = argv[2];
	roff_version = usermm_version();
	for (unsigned int i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		make_folder(folders[i]);
	write_commands();
	write_headers(argc - 3, argv + 3);
	write_file("man7/usermm-options.7", pages_write_options);
	write_file("bash/usermm", pages_write_bash);
	write_file("zsh/_usermm", pages_write_zsh);
	write_file("fish/usermm.fish", pages_write_fish);
	return 0;
}
