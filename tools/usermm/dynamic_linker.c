// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "dynamic_linker.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

static int open_program(const char *program)
{
	const char *folders = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(program, '/'))
		return open(program, O_RDONLY | O_CLOEXEC);
	while (folders) {
		int length = (int)strcspn(folders, ":");

		/* An empty one is the working folder. */
		if (snprintf(path, sizeof(path), "%.*s/%s", length ? length : 1,
			     length ? folders : ".", program) < (int)sizeof(path) &&
		    !access(path, X_OK))
			return open(path, O_RDONLY | O_CLOEXEC);
		folders = folders[length] ? folders + length + 1 : NULL;
	}
	return -1;
}

static bool read_at(int fd, void *to, size_t bytes, ElfW(Off) from)
{
	return pread(fd, to, bytes, (off_t)from) == (ssize_t)bytes;
}

static bool read_linker(int fd, char linker[PATH_MAX])
{
	ElfW(Ehdr) elf;
	ElfW(Phdr) segment;

	if (!read_at(fd, &elf, sizeof(elf), 0) || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_ident[EI_CLASS] != OWN_CLASS || elf.e_phentsize != sizeof(segment))
		return false;
	for (unsigned int i = 0; i < elf.e_phnum; i++) {
		if (!read_at(fd, &segment, sizeof(segment), elf.e_phoff + i * sizeof(segment)))
			return false;
		if (segment.p_type != PT_INTERP)
			continue;
		return segment.p_filesz && segment.p_filesz <= PATH_MAX &&
		       read_at(fd, linker, segment.p_filesz, segment.p_offset) &&
		       !linker[segment.p_filesz - 1];
	}
	return false;
}

bool linker_of_program(const char *program, char linker[PATH_MAX])
{
	int fd = open_program(program);
	bool found = fd >= 0 && read_linker(fd, linker);

	if (fd >= 0)
		close(fd);
	return found;
}

static int find_own(struct dl_phdr_info *info, size_t bytes, void *linker)
{
	(void)bytes;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			*(const char **)linker =
				(const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	}
	/* The program comes first; the libraries behind it are not asked. */
	return 1;
}

const char *linker_of_this(void)
{
	const char *linker = NULL;

	dl_iterate_phdr(find_own, &linker);
	return linker;
}

static bool is_musl(const char *linker)
{
	const char *slash = strrchr(linker, '/');

	return !strncmp(slash ? slash + 1 : linker, "ld-musl-", strlen("ld-musl-"));
}

bool linkers_differ(const char *one, const char *other)
{
	return is_musl(one) != is_musl(other);
}
