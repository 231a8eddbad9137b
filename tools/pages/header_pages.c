// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "pages/pages.h"
#include "pages/roff.h"

#define TITLE "usermm's library"
#define UMBRELLA "usermm.h"

/*
 * The first sentence of the header's comment, on one line and without its full stop. It may begin
 * with the library's name and a colon, which the page's own name replaces.
 */
static const char *first_sentence(const struct header *header)
{
	static const char own_name[] = "usermm: ";
	static char text[200];
	size_t length = 0, skip = 0;

	if (!strncmp(header->comment, own_name, strlen(own_name)))
		skip = strlen(own_name);
	for (const char *c = header->comment + skip; *c && length < sizeof(text) - 1; c++) {
		if ((*c == '.' && (c[1] == '\n' || c[1] == ' ')) ||
		    (*c == '\n' && c[1] == '\n'))
			break;
		text[length++] = *c == '\n' ? ' ' : *c;
	}
	text[length] = '\0';
	return text;
}

/* "usermm_slab" for slab.h, usermm for usermm.h. */
const char *pages_header_name(const struct header *header)
{
	static char name[80];
	int stem = (int)strcspn(header->file, ".");

	if (!strcmp(header->file, UMBRELLA))
		return "usermm";
	snprintf(name, sizeof(name), "usermm_%.*s", stem, header->file);
	return name;
}

/* The page's own name, and all calls. */
static char *all_names(const struct header *header)
{
	char *names = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&names, &bytes);

	if (!to)
		exit(1);
	fprintf(to, "%s", pages_header_name(header));
	for (unsigned int i = 0; i < header->nr_names; i++)
		if (strcmp(header->names[i], pages_header_name(header)))
			fprintf(to, ", %s", header->names[i]);
	fclose(to);
	return names;
}

static void put_entries(FILE *out, const struct header *header)
{
	for (unsigned int i = 0; i < header->nr_entries; i++) {
		const struct header_entry *entry = &header->entries[i];

		if (i)
			fprintf(out, ".PP\n");
		if (!*entry->declarations) {
			roff_comment(out, entry->comment);
			continue;
		}
		roff_lines(out, entry->declarations, strlen(entry->declarations) - 1, "B");
		if (!*entry->comment)
			continue;
		fprintf(out, ".RS 4\n");
		roff_comment(out, entry->comment);
		fprintf(out, ".RE\n");
	}
}

static void put_head(FILE *out, const struct header *header)
{
	char *names = all_names(header), title[80];
	char include[80];

	snprintf(title, sizeof(title), "%s", pages_header_name(header));
	for (char *c = title; *c; c++)
		*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	roff_begin(out, title, PAGES_CALLS_SECTION, TITLE);
	roff_name(out, names, first_sentence(header));
	roff_section(out, "SYNOPSIS");
	snprintf(include, sizeof(include), "#include <usermm/%s>", header->file);
	roff_lines(out, include, strlen(include), "B");
	roff_section(out, "DESCRIPTION");
	roff_comment(out, header->comment);
	free(names);
}

void pages_write_header(FILE *out, const struct header *header)
{
	put_head(out, header);
	roff_section(out, "CALLS AND TYPES");
	put_entries(out, header);
	roff_section(out, "SEE ALSO");
	roff_reference(out, "usermm", PAGES_CALLS_SECTION, 1);
}

void pages_write_library(FILE *out, const struct header *headers, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (strcmp(headers[i].file, UMBRELLA))
			continue;
		put_head(out, &headers[i]);
		roff_section(out, "CALLS AND TYPES");
		put_entries(out, &headers[i]);
	}
	roff_section(out, "PAGES");
	for (unsigned int i = 0; i < nr; i++)
		if (strcmp(headers[i].file, UMBRELLA))
			roff_term(out, pages_header_name(&headers[i]),
				  first_sentence(&headers[i]));
	roff_section(out, "SEE ALSO");
	roff_reference(out, "usermm", "1", 0);
	roff_reference(out, "usermm-options", "7", 1);
}
