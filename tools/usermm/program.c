// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "program.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

#define SCRIPT_LINE_BYTES 256	/* the kernel looks for the interpreter's path in so many bytes */
#define SCRIPT_LEVELS 5 /* scripts whose interpreter is a script; with more, execve(2) fails */

/* A folder cannot be executed, and open(2) of a FIFO would wait. */
static bool is_executable(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

static bool find_program(const char *name, char path[PATH_MAX])
{
	const char *folders = strchr(name, '/') ? NULL : getenv("PATH");

	while (folders) {
		int length = (int)strcspn(folders, ":");

		/* An empty one is the working folder. */
		if (snprintf(path, PATH_MAX, "%.*s/%s", length ? length : 1,
			     length ? folders : ".", name) < PATH_MAX && is_executable(path))
			return true;
		folders = folders[length] ? folders + length + 1 : NULL;
	}
	return strchr(name, '/') && snprintf(path, PATH_MAX, "%s", name) < PATH_MAX &&
	       is_executable(path);
}

static bool read_at(int fd, void *to, size_t bytes, ElfW(Off) from)
{
	return pread(fd, to, bytes, (off_t)from) == (ssize_t)bytes;
}

/* Replaces the path by the one behind "#!". False if the file is no script. */
static bool read_interpreter(int fd, char path[PATH_MAX])
{
	char line[SCRIPT_LINE_BYTES + 1];
	ssize_t bytes = pread(fd, line, SCRIPT_LINE_BYTES, 0);
	const char *word;

	if (bytes < 2 || memcmp(line, "#!", 2))
		return false;
	line[bytes] = '\0';
	word = line + 2 + strspn(line + 2, " \t");
	snprintf(path, PATH_MAX, "%.*s", (int)strcspn(word, " \t\n"), word);
	return true;
}

static bool read_linker(int fd, const ElfW(Phdr) *segment, char linker[PATH_MAX])
{
	return segment->p_filesz && segment->p_filesz <= PATH_MAX &&
	       read_at(fd, linker, segment->p_filesz, segment->p_offset) &&
	       !linker[segment->p_filesz - 1];
}

/* Tells a static program that may be loaded anywhere from a dynamic linker. */
static bool is_position_independent(int fd, const ElfW(Phdr) *dynamic)
{
	ElfW(Dyn) entry;

	for (ElfW(Off) at = 0; at + sizeof(entry) <= dynamic->p_filesz; at += sizeof(entry)) {
		if (!read_at(fd, &entry, sizeof(entry), dynamic->p_offset + at) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_FLAGS_1)
			return entry.d_un.d_val & DF_1_PIE;
	}
	return false;
}

static enum linking read_linking(int fd, char linker[PATH_MAX])
{
	enum linking linking = LINKING_UNKNOWN;
	ElfW(Ehdr) elf;
	ElfW(Phdr) segment;

	if (!read_at(fd, &elf, sizeof(elf), 0) || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_ident[EI_CLASS] != OWN_CLASS || elf.e_phentsize != sizeof(segment))
		return LINKING_UNKNOWN;
	if (elf.e_type == ET_EXEC)
		linking = LINKING_STATIC;
	for (unsigned int i = 0; i < elf.e_phnum; i++) {
		if (!read_at(fd, &segment, sizeof(segment), elf.e_phoff + i * sizeof(segment)))
			return LINKING_UNKNOWN;
		if (segment.p_type == PT_INTERP)
			return read_linker(fd, &segment, linker) ? LINKING_DYNAMIC :
								   LINKING_UNKNOWN;
		if (segment.p_type == PT_DYNAMIC && is_position_independent(fd, &segment))
			linking = LINKING_STATIC;
	}
	return linking;
}

void program_read(const char *name, struct program *program)
{
	bool found = find_program(name, program->path);

	program->linking = LINKING_UNKNOWN;
	if (!found)
		*program->path = '\0';
	for (unsigned int i = 0; found && i <= SCRIPT_LEVELS; i++) {
		int fd = open(program->path, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return;
		found = read_interpreter(fd, program->path) && is_executable(program->path);
		if (!found)
			program->linking = read_linking(fd, program->linker);
		close(fd);
	}
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
