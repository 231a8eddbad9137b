// SPDX-License-Identifier: MIT
/* Does a module define names that the archive takes from libc? */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module.h"

/* The script has a line for each name: see cmake/kernel_names.cmake. */
#define LIBC_LINE "/* libc: %255s */"
#define NAME_BYTES 256

static bool is_defined(const ElfW(Sym) *symbol)
{
	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
}

/* The compiler has just made the object, so its tables are trusted. */
static bool object_defines(const char *object, const char *name)
{
	const ElfW(Ehdr) *header = (const void *)object;
	const ElfW(Shdr) *sections = (const void *)(object + header->e_shoff);

	for (unsigned int i = 0; i < header->e_shnum; i++) {
		const ElfW(Sym) *symbols = (const void *)(object + sections[i].sh_offset);
		const char *names;

		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		names = object + sections[sections[i].sh_link].sh_offset;
		for (size_t j = 0; j < sections[i].sh_size / sizeof(*symbols); j++)
			if (is_defined(&symbols[j]) && !strcmp(names + symbols[j].st_name, name))
				return true;
	}
	return false;
}

static bool object_defines_one(const char *object, FILE *script)
{
	char line[NAME_BYTES + 32], name[NAME_BYTES];

	rewind(script);
	while (fgets(line, sizeof(line), script))
		if (sscanf(line, LIBC_LINE, name) == 1 && object_defines(object, name))
			return true;
	return false;
}

/* With -flto the file may be no ELF object; then its names are unknown. */
static bool is_elf(const char *object, size_t bytes)
{
	return bytes > sizeof(ElfW(Ehdr)) && !memcmp(object, ELFMAG, SELFMAG);
}

static bool file_defines_one(const char *path, FILE *script)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *object = MAP_FAILED;
	bool defines = false;
	struct stat stat;

	if (fd < 0)
		return false;
	if (!fstat(fd, &stat) && stat.st_size)
		object = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (object == MAP_FAILED)
		return false;
	if (is_elf(object, (size_t)stat.st_size))
		defines = object_defines_one(object, script);
	munmap(object, (size_t)stat.st_size);
	return defines;
}

bool module_has_names_of_libc(const char *const *objects, unsigned int nr, const char *script)
{
	FILE *names = fopen(script, "re");
	bool has = false;

	for (unsigned int i = 0; names && i < nr && !has; i++)
		has = file_defines_one(objects[i], names);
	if (names)
		fclose(names);
	return has;
}
