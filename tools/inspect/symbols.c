// SPDX-License-Identifier: MIT
/* Names of code addresses: elfutils' libdwfl looks them up in the files that the target maps. */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "owners.h"
#include "source_lines.h"

struct symbols {
	Dwfl *dwfl;
	Elf *core;
	int file;
};

/*
 * Opens the file of a process's module. A path of the process may mean another file here, or none:
 * in a container, or after an upgrade. So the mapping itself is tried first, which only root may
 * open, and then the path as the process sees it.
 */
static int find_live_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 char **file_name, Elf **elf)
{
	const struct target *target = *userdata;
	const struct range *range = target ? target_range(target, base) : NULL;
	char path[4200];
	int file;

	if (!range || !range->path || *range->path != '/')
		return dwfl_linux_proc_find_elf(module, userdata, name, base, file_name, elf);
	snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", target->pid, range->start,
		 range->end);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", target->pid, range->path);
		file = open(path, O_RDONLY | O_CLOEXEC);
	}
	*file_name = file < 0 ? NULL : strdup(path);
	return file;
}

/* Debugging files that are installed; none is fetched. */
static const Dwfl_Callbacks live_callbacks = {
	.find_elf = find_live_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
};
static const Dwfl_Callbacks core_callbacks = {
	.find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
};

static int take_module(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		       void *target)
{
	(void)module, (void)name, (void)base;
	*userdata = target;
	return DWARF_CB_OK;
}

static bool report(struct symbols *symbols, const struct target *target)
{
	if (!target->is_core)
		return !dwfl_linux_proc_report(symbols->dwfl, target->pid);
	symbols->file = open(target->name, O_RDONLY | O_CLOEXEC);
	if (symbols->file < 0)
		return false;
	symbols->core = elf_begin(symbols->file, ELF_C_READ, NULL);
	return symbols->core && dwfl_core_file_report(symbols->dwfl, symbols->core, NULL) >= 0;
}

struct symbols *symbols_open(struct target *target)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	setenv("DEBUGINFOD_URLS", "", 1);
	elf_version(EV_CURRENT);
	symbols->file = -1;
	symbols->dwfl = dwfl_begin(target->is_core ? &core_callbacks : &live_callbacks);
	if (symbols->dwfl && report(symbols, target)) {
		dwfl_report_end(symbols->dwfl, NULL, NULL);
		dwfl_getmodules(symbols->dwfl, take_module, target, 0);
	}
	return symbols;
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	dwfl_end(symbols->dwfl);
	elf_end(symbols->core);
	if (symbols->file >= 0)
		close(symbols->file);
	free(symbols);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The address is a return address mostly, so the line is that of the byte in front of it. */
static void add_line(Dwfl_Module *module, uint64_t address, char *text, size_t bytes)
{
	int number = 0;
	const char *file = source_of_address(module, address - 1, &number);

	if (file)
		snprintf(text, bytes, " (%s:%d)", base_name(file), number);
}

void symbols_name(struct symbols *symbols, uint64_t address, char *text, size_t bytes)
{
	Dwfl_Module *module = symbols && symbols->dwfl ? dwfl_addrmodule(symbols->dwfl, address) :
							 NULL;
	const char *name, *file;
	GElf_Off offset = 0;
	Dwarf_Addr start = 0;
	GElf_Sym symbol;
	size_t used;

	snprintf(text, bytes, "%#lx", address);
	if (!module)
		return;
	name = dwfl_module_addrinfo(module, address - 1, &offset, &symbol, NULL, NULL, NULL);
	if (name) {
		snprintf(text, bytes, "%.100s+%#lx", name, (unsigned long)offset + 1);
		used = strlen(text);
		add_line(module, address, text + used, bytes - used);
		return;
	}
	file = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
	if (file)
		snprintf(text, bytes, "%.100s+%#lx", base_name(file),
			 (unsigned long)(address - start));
}
