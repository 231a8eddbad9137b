// SPDX-License-Identifier: MIT
/*
 * Names of functions, for stack traces. dladdr() knows only exported functions, but most of a
 * module's functions are static. So this file reads the symbol table of the program's file. Signal
 * handlers call it, so it allocates nothing.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module/environment.h"
#include "module/module_run.h"

struct search {
	unsigned long address;
	unsigned long base;		/* the load address of the object found */
	const char *path;
	bool found, is_program;
};

static int covers(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		unsigned long start = info->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD || search->address < start ||
		    search->address >= start + header->p_memsz)
			continue;
		search->base = info->dlpi_addr;
		/* In this list the program has an empty name. */
		search->is_program = !*info->dlpi_name;
		search->path = search->is_program ? usermm_program_file() : info->dlpi_name;
		search->found = true;
		return 1;
	}
	return 0;
}

/* Finds the function that contains the offset, in one table of symbols. */
static const ElfW(Sym) *find_symbol(const char *file, const ElfW(Shdr) *table,
				    unsigned long offset)
{
	const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);

	for (size_t i = 0; i < table->sh_size / sizeof(*symbols); i++)
		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    symbols[i].st_shndx != SHN_UNDEF && offset >= symbols[i].st_value &&
		    offset < symbols[i].st_value + symbols[i].st_size)
			return &symbols[i];
	return NULL;
}

/* The name without the prefix that the archive adds. */
static const char *plain_name(const char *name)
{
	static const char prefix[] = "usermm.";

	return strncmp(name, prefix, sizeof(prefix) - 1) ? name : name + sizeof(prefix) - 1;
}

static bool search_file(const char *file, unsigned long offset, char *text, size_t size)
{
	const ElfW(Ehdr) *header = (const void *)file;
	const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);

	for (unsigned int i = 0; i < header->e_shnum; i++) {
		const ElfW(Sym) *symbol;

		if (sections[i].sh_type != SHT_SYMTAB && sections[i].sh_type != SHT_DYNSYM)
			continue;
		symbol = find_symbol(file, &sections[i], offset);
		if (!symbol)
			continue;
		snprintf(text, size, "%s+0x%lx/0x%lx",
			 plain_name(file + sections[sections[i].sh_link].sh_offset +
				    symbol->st_name),
			 offset - symbol->st_value, (unsigned long)symbol->st_size);
		return true;
	}
	return false;
}

/* Maps the file, which the caller unmaps; NULL if that is impossible. */
static const char *map_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *file = MAP_FAILED;
	struct stat stat;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &stat) && stat.st_size >= (off_t)sizeof(ElfW(Ehdr))) {
		*size = (size_t)stat.st_size;
		file = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	return file == MAP_FAILED ? NULL : file;
}

static bool search_path(const struct search *search, char *text, size_t size)
{
	size_t file_size;
	const char *file = map_file(search->path, &file_size);
	bool found;

	if (!file)
		return false;
	found = search_file(file, search->address - search->base, text, size);
	munmap((void *)file, file_size);
	return found;
}

static unsigned long find_global(const char *file, const ElfW(Shdr) *table, const char *names,
				 const char *name)
{
	const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);

	for (size_t i = 0; i < table->sh_size / sizeof(*symbols); i++)
		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    ELF64_ST_BIND(symbols[i].st_info) == STB_GLOBAL &&
		    symbols[i].st_shndx != SHN_UNDEF && !strcmp(names + symbols[i].st_name, name))
			return symbols[i].st_value;
	return 0;
}

/* Called for the first object, which is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(unsigned long *)base = info->dlpi_addr;
	return 1;
}

void *symbol_find(const char *name)
{
	size_t size;
	const char *file = map_file(usermm_program_file(), &size);
	const ElfW(Ehdr) *header = (const void *)file;
	unsigned long value = 0, base = 0;

	for (unsigned int i = 0; file && !value && i < header->e_shnum; i++) {
		const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);

		if (sections[i].sh_type == SHT_SYMTAB)
			value = find_global(file, &sections[i],
					    file + sections[sections[i].sh_link].sh_offset, name);
	}
	if (file)
		munmap((void *)file, size);
	dl_iterate_phdr(take_base, &base);
	return value ? (void *)(base + value) : NULL;
}

bool symbol_is_known(const void *address)
{
	struct search search = { .address = (unsigned long)address };

	dl_iterate_phdr(covers, &search);
	return search.found;
}

unsigned long symbol_offset(const void *address)
{
	struct search search = { .address = (unsigned long)address };

	dl_iterate_phdr(covers, &search);
	return search.address - search.base;
}

/* The archive's code, if the program is linked with the archive (cmake/kernel_names.cmake). */
extern const char __start_usermm_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_usermm_text[] __attribute__((weak, visibility("hidden")));

bool symbol_is_program(const void *address)
{
	struct search search = { .address = (unsigned long)address };

	if ((const char *)address >= __start_usermm_text &&
	    (const char *)address < __stop_usermm_text)
		return false;
	dl_iterate_phdr(covers, &search);
	return search.found && search.is_program;
}

void symbol_text(const void *address, char *text, size_t size)
{
	struct search search = { .address = (unsigned long)address };

	dl_iterate_phdr(covers, &search);
	if (search.found && search_path(&search, text, size))
		return;
	if (search.found && !search.is_program)		/* people can look into its file */
		snprintf(text, size, "%s+0x%lx", search.path, search.address - search.base);
	else
		snprintf(text, size, "%p", address);
}
