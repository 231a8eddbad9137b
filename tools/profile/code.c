// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "profile/code.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "inspect/source_lines.h"
#include "profile/memory.h"
#include "usermm/command.h"
#include "usermm/say.h"

typedef char *demangle_fn(const char *name, char *buffer, size_t *length, int *status);

struct code {
	Dwfl *dwfl;
	struct mapping *mappings;
	size_t nr_mappings;
	void *locations;		/* tree of search.h */
	demangle_fn *demangle;
	void *cxx_library;
};

/* --- Files --------------------------------------------------------------------------------- */

/* Opens regular files alone: a device may do something when it is opened. */
static int open_file(const char *path)
{
	struct stat stat_of;

	if (*path != '/' || stat(path, &stat_of) || !S_ISREG(stat_of.st_mode))
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int find_elf(Dwfl_Module *module, void **user_data, const char *name, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	int file = open_file(name);

	(void)module, (void)user_data, (void)base, (void)elf;
	if (file >= 0)
		*file_name = copy_text(name);
	return file;
}

/* Debugging files that are installed; none is fetched. */
static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
};

static Dwfl *open_dwfl(const char *maps, size_t bytes)
{
	FILE *lines = bytes ? fmemopen((void *)maps, bytes, "r") : NULL;
	Dwfl *dwfl;

	if (!lines)
		return NULL;
	setenv("DEBUGINFOD_URLS", "", 1);
	dwfl = dwfl_begin(&callbacks);
	if (dwfl) {
		dwfl_linux_proc_maps_report(dwfl, lines);
		dwfl_report_end(dwfl, NULL, NULL);
	}
	fclose(lines);
	return dwfl;
}

/* --- Mappings ------------------------------------------------------------------------------ */

static bool read_mapping(const char *line, size_t length, struct mapping *mapping)
{
	char text[4400];
	int path_at = 0;

	if (length >= sizeof(text))
		return false;
	memcpy(text, line, length);
	text[length] = 0;
	*mapping = (struct mapping){ 0 };
	if (sscanf(text, "%lx-%lx %*s %lx %*s %*s %n", &mapping->start, &mapping->limit,
		   &mapping->offset, &path_at) < 3 || !path_at)
		return false;
	mapping->path = copy_text(text + path_at);
	return true;
}

static void read_mappings(struct code *code, const char *maps, size_t bytes)
{
	const char *end = maps + bytes;

	while (maps < end) {
		const char *line_end = memchr(maps, '\n', (size_t)(end - maps));
		size_t length = (size_t)((line_end ? line_end : end) - maps);

		code->mappings = grow_array(code->mappings, code->nr_mappings,
					    sizeof(*code->mappings));
		if (read_mapping(maps, length, &code->mappings[code->nr_mappings]))
			code->nr_mappings++;
		maps += length + 1;
	}
}

static struct mapping *find_mapping(struct code *code, uint64_t address)
{
	for (size_t i = 0; i < code->nr_mappings; i++)
		if (address - code->mappings[i].start <
		    code->mappings[i].limit - code->mappings[i].start)
			return &code->mappings[i];
	return NULL;
}

const struct mapping *code_mapping(const struct code *code, size_t i)
{
	return i < code->nr_mappings ? &code->mappings[i] : NULL;
}

static void find_build_id(Dwfl_Module *module, struct mapping *mapping)
{
	const unsigned char *bits;
	GElf_Addr where;
	int nr = module ? dwfl_module_build_id(module, &bits, &where) : 0;

	for (int i = 0; i < nr && 2 * (size_t)i + 3 <= sizeof(mapping->build_id); i++)
		sprintf(mapping->build_id + 2 * i, "%02x", bits[i]);
}

/* --- Names --------------------------------------------------------------------------------- */

/*
 * The name as people write it. Only the C++ library knows the rules, so it is loaded if it is
 * there. Rust's older names have a hash at their end.
 */
static char *demangle(struct code *code, const char *name)
{
	char *plain = NULL;
	int status = -1;
	size_t length;

	if (code->demangle && !strncmp(name, "_Z", 2))
		plain = code->demangle(name, NULL, NULL, &status);
	if (!plain)	/* "name@@VERSION" is known by its name */
		return need(strndup(name, strcspn(name, "@")));
	length = strlen(plain);
	if (length > 19 && !strncmp(plain + length - 19, "::h", 3) &&
	    strspn(plain + length - 16, "0123456789abcdef") == 16)
		plain[length - 19] = 0;
	return plain;
}

static char *name_of_die(struct code *code, Dwarf_Die *die)
{
	Dwarf_Attribute memory;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &memory))
		name = dwarf_formstring(&memory);
	if (!name)
		name = dwarf_diename(die);
	return name ? demangle(code, name) : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "library.so+0x123": where it is in the file. */
static char *name_of_place(const struct location *location)
{
	const struct mapping *mapping = location->mapping;
	char *text;
	int length;

	if (mapping && *mapping->path)
		length = asprintf(&text, "%s+%#lx", base_name(mapping->path),
				  location->address - mapping->start + mapping->offset);
	else
		length = asprintf(&text, "%#lx", location->address);
	return need(length < 0 ? NULL : text);
}

static void add_frame(struct location *location, char *function, const char *file, int line)
{
	struct code_frame *frame;

	location->frames = grow_array(location->frames, location->nr_frames, sizeof(*frame));
	frame = &location->frames[location->nr_frames++];
	*frame = (struct code_frame){
		.function = function ? function : name_of_place(location),
		.has_name = function, .file = file ? copy_text(file) : NULL, .line = line,
	};
}

/* Where the inlined function was called; *file stays as it is if that is unknown. */
static void find_call(Dwarf_Die *die, const char **file, int *line)
{
	Dwarf_Attribute memory;
	Dwarf_Files *files;
	Dwarf_Word number;
	Dwarf_Die unit;

	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &memory), &number))
		*line = (int)number;
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &memory), &number) &&
	    dwarf_diecu(die, &unit, NULL, NULL) && !dwarf_getsrcfiles(&unit, &files, NULL))
		*file = dwarf_filesrc(files, number, NULL, NULL);
}

/* The scopes that enclose the code, innermost first. Returns their number. */
static int find_scopes(Dwfl_Module *module, uint64_t code_address, Dwarf_Die **scopes)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_of_address(module, code_address, &bias), innermost;
	int nr = unit ? dwarf_getscopes(unit, code_address - bias, scopes) : 0;

	if (nr <= 0)
		return 0;
	/* These scopes are those of the source; wanted are those of the code. */
	innermost = (*scopes)[0];
	free(*scopes);
	nr = dwarf_getscopes_die(&innermost, scopes);
	return nr > 0 ? nr : 0;
}

static void add_named_frames(struct code *code, struct location *location)
{
	uint64_t at = location->address - 1;	/* the call, not what comes behind it */
	Dwfl_Module *module = code->dwfl ? dwfl_addrmodule(code->dwfl, at) : NULL;
	const char *file, *symbol = NULL;
	Dwarf_Die *scopes = NULL;
	int line = 0, nr;

	file = module ? source_of_address(module, at, &line) : NULL;
	nr = module ? find_scopes(module, at, &scopes) : 0;
	for (int i = 0; i < nr; i++) {
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		add_frame(location, name_of_die(code, &scopes[i]), file, line);
		find_call(&scopes[i], &file, &line);
	}
	if (module)
		symbol = dwfl_module_addrname(module, at);
	add_frame(location, symbol ? demangle(code, symbol) : NULL, file, line);
	if (nr)
		free(scopes);
	if (!location->mapping)
		return;
	if (!location->mapping->was_looked_up)
		find_build_id(module, location->mapping);
	location->mapping->was_looked_up = true;
	location->mapping->has_functions |= symbol != NULL;
	location->mapping->has_lines |= file != NULL;
}

/* --- Locations ----------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct location *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

const struct location *code_locate(struct code *code, uint64_t address)
{
	struct location *location = need(calloc(1, sizeof(*location)));
	void **found;

	location->address = address;
	found = need(tsearch(location, &code->locations, by_address));
	if (*found != location) {
		free(location);
		return *found;
	}
	location->mapping = find_mapping(code, address - 1);
	add_named_frames(code, location);
	return location;
}

static void free_location(void *node)
{
	struct location *location = node;

	for (unsigned int i = 0; i < location->nr_frames; i++) {
		free(location->frames[i].function);
		free(location->frames[i].file);
	}
	free(location->frames);
	free(location);
}

struct code *code_open(const char *maps, size_t bytes)
{
	struct code *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	read_mappings(code, maps, bytes);
	code->dwfl = open_dwfl(maps, bytes);
	code->cxx_library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (code->cxx_library)
		*(void **)&code->demangle = dlsym(code->cxx_library, "__cxa_demangle");
	return code;
}

void code_close(struct code *code)
{
	if (!code)
		return;
	tdestroy(code->locations, free_location);
	for (size_t i = 0; i < code->nr_mappings; i++)
		free(code->mappings[i].path);
	free(code->mappings);
	dwfl_end(code->dwfl);
	if (code->cxx_library)
		dlclose(code->cxx_library);
	free(code);
}

/* --- Warnings ------------------------------------------------------------------------------ */

static bool is_file_of_functions(const struct mapping *mapping)
{
	return mapping->was_looked_up && *mapping->path == '/';
}

static bool is_newer(const struct timespec *time, const struct timespec *than)
{
	return time->tv_sec > than->tv_sec ||
	       (time->tv_sec == than->tv_sec && time->tv_nsec > than->tv_nsec);
}

static void warn_about(const struct command *command, unsigned int nr, const char *first,
		       const char *what)
{
	if (nr == 1)
		say(stderr, "usermm %s: warning: %s %s\n", command->name, first, what);
	else if (nr)
		say(stderr, "usermm %s: warning: %u files, of which %s is the first: each %s\n",
		    command->name, nr, first, what);
}

void code_warn(const struct code *code, const struct command *command,
	       const struct timespec *written)
{
	const char *gone = NULL, *changed = NULL, *last = "";
	unsigned int nr_gone = 0, nr_changed = 0;
	struct stat stat_of;

	for (size_t i = 0; i < code->nr_mappings; i++) {
		const char *path = code->mappings[i].path;

		/* A file has several mappings, side by side. */
		if (!is_file_of_functions(&code->mappings[i]) || !strcmp(path, last))
			continue;
		last = path;
		if (stat(path, &stat_of)) {
			gone = nr_gone++ ? gone : path;
		} else if (is_newer(&stat_of.st_mtim, written)) {
			changed = nr_changed++ ? changed : path;
		}
	}
	warn_about(command, nr_gone, gone, "is not here, so its functions have no names");
	warn_about(command, nr_changed, changed,
		   "was changed after the profile was written, so names may be wrong");
}
