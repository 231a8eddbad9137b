// SPDX-License-Identifier: MIT
/*
 * An ELF core. Its program headers say which addresses it has. A core may lack pages of mapped
 * files, for example code and constants. These are read from the files, if they are where the core
 * says.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libelf.h>
#include <gelf.h>

#include "target/target.h"

#define PAGE_BYTES 4096UL
#define HEADERS_MAX (1u << 20)
#define NOTES_MAX (256UL << 20)

struct load {
	uint64_t start, end;		/* of addresses */
	uint64_t file_end;		/* the core has the bytes up to here */
	uint64_t named_end;		/* and should have them up to here */
	uint64_t offset;		/* in the core */
	bool readable, writable, executable;
};

/* A mapping of a file, from the core's NT_FILE. */
struct mapped_file {
	uint64_t start, end, offset;
	char *path;
	int descriptor;			/* -1: not open yet; -2: cannot be opened */
};

struct core {
	int file;
	uint64_t bytes;			/* the file's size */
	struct load *loads;		/* by address */
	size_t nr_loads;
	struct mapped_file *files;
	size_t nr_files;
	char *notes;
	size_t notes_bytes;
};

/* --- Bytes ------------------------------------------------------------------------- */

static const struct load *find_load(const struct core *core, uint64_t address)
{
	size_t low = 0, high = core->nr_loads;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (core->loads[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < core->nr_loads && core->loads[low].start <= address ? &core->loads[low] :
									   NULL;
}

static struct mapped_file *find_file(struct core *core, uint64_t address)
{
	for (size_t i = 0; i < core->nr_files; i++)
		if (address >= core->files[i].start && address < core->files[i].end)
			return &core->files[i];
	return NULL;
}

/* A path in a damaged core may name anything. -2 if it is no file that can be read. */
static int open_regular(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat facts;

	if (descriptor >= 0 && (fstat(descriptor, &facts) || !S_ISREG(facts.st_mode))) {
		close(descriptor);
		descriptor = -1;
	}
	return descriptor < 0 ? -2 : descriptor;
}

/*
 * Is the file still the one that was mapped? A core has the first page of each ELF file: without it
 * nobody knows.
 */
static bool is_same_file(const struct core *core, const struct mapped_file *file, int descriptor)
{
	char then[PAGE_BYTES], now[PAGE_BYTES];

	for (size_t i = 0; i < core->nr_files; i++) {
		const struct mapped_file *first = &core->files[i];
		const struct load *load = find_load(core, first->start);

		if (first->offset || !first->path || strcmp(first->path, file->path))
			continue;
		if (!load || load->writable || load->file_end - first->start < PAGE_BYTES ||
		    pread(core->file, then, PAGE_BYTES,
			  (off_t)(first->start - load->start + load->offset)) != PAGE_BYTES)
			return true;
		return pread(descriptor, now, PAGE_BYTES, 0) == PAGE_BYTES &&
		       !memcmp(then, now, PAGE_BYTES);
	}
	return true;
}

/* Opens the file that a core names. -2: it cannot be read, or has changed since. */
static int open_mapped(const struct core *core, const struct mapped_file *file)
{
	int descriptor = open_regular(file->path);

	if (descriptor < 0 || is_same_file(core, file, descriptor))
		return descriptor;
	close(descriptor);
	return -2;
}

/* Reads what the file has at the address, up to `bytes`. Returns how many bytes; 0: none. */
static size_t read_file(struct core *core, uint64_t address, void *to, size_t bytes)
{
	struct mapped_file *file = find_file(core, address);
	ssize_t got;

	if (!file || !file->path)
		return 0;
	if (file->descriptor == -1)
		file->descriptor = open_mapped(core, file);
	if (file->descriptor < 0)
		return 0;
	if (bytes > file->end - address)
		bytes = file->end - address;
	got = pread(file->descriptor, to, bytes, (off_t)(address - file->start + file->offset));
	return got > 0 ? (size_t)got : 0;
}

/* Reads the first bytes of the piece that lie together; 0: the core does not have them. */
static size_t read_part(struct core *core, uint64_t address, void *to, size_t bytes)
{
	const struct load *load = find_load(core, address);
	ssize_t got;

	/* gdb's gcore leaves out what is as in the file, and then has no program header for it. */
	if (!load)
		return read_file(core, address, to, bytes);
	if (address >= load->file_end)
		return load->writable ? 0 : read_file(core, address, to, bytes);
	if (bytes > load->file_end - address)
		bytes = load->file_end - address;
	got = pread(core->file, to, bytes, (off_t)(address - load->start + load->offset));
	return got > 0 ? (size_t)got : 0;
}

/* Is the address in the part that a truncated core has lost? */
static bool is_cut_off(const struct core *core, uint64_t address)
{
	const struct load *load = find_load(core, address);

	return load && address >= load->file_end && address < load->named_end;
}

static enum inspect_status core_read(struct target *target, struct piece *pieces, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t at = 0, got; at < pieces[i].bytes; at += got) {
			got = read_part(target->own, pieces[i].address + at,
					(char *)pieces[i].to + at, pieces[i].bytes - at);
			target->nr_reads++;
			target->bytes_read += got;
			pieces[i].failed = !got;
			if (!got) {
				target->missed |= is_cut_off(target->own, pieces[i].address + at);
				break;
			}
		}
	return INSPECT_OK;
}

/* Only what is in the core itself: files are opened by the other thread alone. */
static void core_read_beside(struct target *target, struct piece *pieces, size_t n)
{
	struct core *core = target->own;

	for (size_t i = 0; i < n; i++) {
		const struct load *load = find_load(core, pieces[i].address);

		pieces[i].failed = !load || pieces[i].address >= load->file_end ||
				   load->file_end - pieces[i].address < pieces[i].bytes ||
				   read_part(core, pieces[i].address, pieces[i].to,
					     pieces[i].bytes) != pieces[i].bytes;
	}
}

static bool core_present(struct target *target, uint64_t address, size_t pages, uint8_t *bits)
{
	for (size_t i = 0; i < pages; i++) {
		const struct load *load = find_load(target->own, address + i * PAGE_BYTES);
		bool has = load && address + i * PAGE_BYTES < load->file_end;
		uint8_t bit = (uint8_t)(1 << i % 8);

		bits[i / 8] = (uint8_t)(has ? bits[i / 8] | bit : bits[i / 8] & ~bit);
	}
	return true;
}

/* --- Notes ------------------------------------------------------------------------- */

/* Calls fn with the contents of each note of the type that is whole. */
static void for_each_note(struct target *target, uint32_t type,
			  void (*fn)(struct target *target, const char *at, size_t bytes))
{
	const struct core *core = target->own;
	Elf64_Nhdr header;

	for (size_t at = 0; core->notes_bytes - at >= sizeof(header);) {
		size_t name, end;

		memcpy(&header, core->notes + at, sizeof(header));
		name = at + sizeof(header);
		at = name + (((size_t)header.n_namesz + 3) & ~3UL);
		end = at + header.n_descsz;
		if (at > core->notes_bytes || end > core->notes_bytes)
			return;
		/* Other owners of notes have types of their own. */
		if (header.n_type == type && header.n_namesz == 5 &&
		    !memcmp(core->notes + name, "CORE", 5))
			fn(target, core->notes + at, header.n_descsz);
		at = (end + 3) & ~3UL;
		if (at > core->notes_bytes)
			return;
	}
}

static void take_process(struct target *target, const char *at, size_t bytes)
{
	struct elf_prpsinfo info;

	if (bytes < sizeof(info))
		return;
	memcpy(&info, at, sizeof(info));
	target->pid = info.pr_pid;
	snprintf(target->command, sizeof(target->command), "%.*s", (int)sizeof(info.pr_fname),
		 info.pr_fname);
}

static void take_thread(struct target *target, const char *at, size_t bytes)
{
	struct elf_prstatus status;
	struct thread *thread;

	if (bytes < sizeof(status))
		return;
	memcpy(&status, at, sizeof(status));
	thread = target_add_thread(target, status.pr_pid);
	if (thread)
		registers_take(thread, &status.pr_reg, sizeof(status.pr_reg));
}

/* NT_FILE: count, page size, then start, end and offset of each; then their paths. */
static void take_files(struct target *target, const char *at, size_t bytes)
{
	struct core *core = target->own;
	uint64_t head[2], three[3];
	const char *text, *end = at + bytes;

	if (bytes < sizeof(head) || core->files)
		return;
	memcpy(head, at, sizeof(head));
	if (head[0] > (bytes - sizeof(head)) / sizeof(three))
		return;
	core->files = calloc(head[0] + 1, sizeof(*core->files));
	if (!core->files)
		return;
	text = at + sizeof(head) + head[0] * sizeof(three);
	for (uint64_t i = 0; i < head[0] && text < end; i++) {
		size_t length = strnlen(text, (size_t)(end - text));

		memcpy(three, at + sizeof(head) + i * sizeof(three), sizeof(three));
		if (length == (size_t)(end - text))
			return;
		core->files[core->nr_files++] = (struct mapped_file){
			.start = three[0], .end = three[1], .offset = three[2] * head[1],
			.path = strdup(text), .descriptor = -1,
		};
		text += length + 1;
	}
}

static enum inspect_status core_pause(struct target *target)
{
	for_each_note(target, NT_PRSTATUS, take_thread);
	return INSPECT_OK;
}

static void core_resume(struct target *target)
{
	(void)target;	/* nothing was paused */
}

static uint64_t core_run_time(struct target *target)
{
	(void)target;	/* it never runs again */
	return 0;
}

static enum inspect_status core_read_ranges(struct target *target)
{
	struct core *core = target->own;

	for (size_t i = 0; i < core->nr_loads; i++) {
		const struct load *load = &core->loads[i];
		const struct mapped_file *file = find_file(core, load->start);
		struct range range = {
			.start = load->start, .end = load->end, .readable = load->readable,
			.writable = load->writable, .executable = load->executable,
			.there_end = (load->file_end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1),
			.offset = file ? file->offset + (load->start - file->start) : 0,
			.path = file && file->path ? strdup(file->path) : NULL,
		};

		if (!target_add_range(target, &range))
			return target_fail(target, INSPECT_NO_MEMORY, "no memory");
	}
	return INSPECT_OK;
}

/* --- Open and close ---------------------------------------------------------------- */

static void core_close(struct target *target)
{
	struct core *core = target->own;

	for (size_t i = 0; i < core->nr_files; i++) {
		free(core->files[i].path);
		if (core->files[i].descriptor >= 0)
			close(core->files[i].descriptor);
	}
	if (core->file >= 0)
		close(core->file);
	free(core->files);
	free(core->loads);
	free(core->notes);
	free(core);
}

static const struct target_ops core_ops = {
	.read = core_read,
	.read_beside = core_read_beside,
	.present = core_present,
	.read_ranges = core_read_ranges,
	.pause = core_pause,
	.resume = core_resume,
	.run_time = core_run_time,
	.close = core_close,
};

static int by_address(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* How many of these bytes the file has. *lacking grows by the others. */
static uint64_t bytes_there(const struct core *core, uint64_t offset, uint64_t bytes,
			    uint64_t *lacking)
{
	uint64_t there = offset < core->bytes ? core->bytes - offset : 0;

	if (there >= bytes)
		return bytes;
	*lacking += bytes - there;
	return there;
}

/* Reads the notes of one program header behind those that are there already. */
static enum inspect_status take_notes(struct target *target, const GElf_Phdr *header,
				      uint64_t *lacking)
{
	struct core *core = target->own;
	uint64_t bytes = bytes_there(core, header->p_offset, header->p_filesz, lacking);
	char *notes;

	if (!bytes)
		return INSPECT_OK;
	if (bytes > NOTES_MAX - core->notes_bytes)
		return INSPECT_OK;
	notes = realloc(core->notes, core->notes_bytes + bytes + 1);
	if (!notes)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory for the core's notes");
	core->notes = notes;
	if (pread(core->file, notes + core->notes_bytes, bytes, (off_t)header->p_offset) !=
	    (ssize_t)bytes)
		return INSPECT_OK;
	core->notes_bytes += bytes;
	return INSPECT_OK;
}

/* An address range that is nonsense is left out. *lacking: bytes that the file should have. */
static void take_load(struct core *core, const GElf_Phdr *header, uint64_t *lacking)
{
	struct load load = {
		.start = header->p_vaddr, .end = header->p_vaddr + header->p_memsz,
		.offset = header->p_offset, .readable = header->p_flags & PF_R,
		.writable = header->p_flags & PF_W, .executable = header->p_flags & PF_X,
	};
	uint64_t bytes = header->p_filesz;

	if (load.end <= load.start)
		return;
	if (bytes > header->p_memsz)
		bytes = header->p_memsz;
	load.named_end = load.start + bytes;
	load.file_end = load.start + bytes_there(core, header->p_offset, bytes, lacking);
	core->loads[core->nr_loads++] = load;
}

/* With overlapping ranges the binary search would go wrong. */
static void sort_loads(struct core *core)
{
	size_t kept = 0;

	qsort(core->loads, core->nr_loads, sizeof(*core->loads), by_address);
	for (size_t i = 0; i < core->nr_loads; i++)
		if (!kept || core->loads[i].start >= core->loads[kept - 1].end)
			core->loads[kept++] = core->loads[i];
	core->nr_loads = kept;
}

static enum inspect_status take_headers(struct target *target, Elf *elf)
{
	struct core *core = target->own;
	uint64_t lacking = 0;
	size_t nr;
	GElf_Phdr header;
	enum inspect_status status = INSPECT_OK;

	if (elf_getphdrnum(elf, &nr) || !nr || nr > HEADERS_MAX)
		return target_fail(target, INSPECT_BAD_INPUT, "%s: the core has no program "
				   "headers; it was cut off, or is damaged", target->name);
	core->loads = calloc(nr, sizeof(*core->loads));
	if (!core->loads)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory");
	for (size_t i = 0; i < nr && status == INSPECT_OK; i++) {
		if (!gelf_getphdr(elf, (int)i, &header))
			return target_fail(target, INSPECT_BAD_INPUT,
					   "%s: program header %zu of the core cannot be read; it "
					   "was cut off, or is damaged", target->name, i);
		if (header.p_type == PT_LOAD)
			take_load(core, &header, &lacking);
		else if (header.p_type == PT_NOTE)
			status = take_notes(target, &header, &lacking);
	}
	sort_loads(core);
	if (lacking)
		snprintf(target->lacks, sizeof(target->lacks), "the core was cut off: it lacks %lu "
			 "of the bytes that its headers name", (unsigned long)lacking);
	return status;
}

static enum inspect_status take_elf(struct target *target, Elf *elf)
{
	GElf_Ehdr header;
	Elf64_Ehdr own = { .e_machine = EM_NONE };
	FILE *self = fopen("/proc/self/exe", "re");

	if (self && fread(&own, sizeof(own), 1, self) != 1)
		own.e_machine = EM_NONE;
	if (self)
		fclose(self);
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return target_fail(target, INSPECT_BAD_INPUT, "%s is no process id, and no ELF "
				   "core", target->name);
	if (header.e_type != ET_CORE)
		return target_fail(target, INSPECT_BAD_INPUT, "%s is an ELF file, but no core",
				   target->name);
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != own.e_machine ||
	    header.e_ident[EI_DATA] != own.e_ident[EI_DATA])
		return target_fail(target, INSPECT_BAD_INPUT, "%s is a core of another kind of "
				   "machine; inspect it with usermm for that one", target->name);
	return take_headers(target, elf);
}

enum inspect_status core_open(struct target *target, const char *path)
{
	struct core *core = calloc(1, sizeof(*core));
	enum inspect_status status;
	struct stat facts;
	Elf *elf;

	if (!core)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory");
	target->own = core;
	target->ops = &core_ops;
	target->is_core = true;
	snprintf(target->name, sizeof(target->name), "%s", path);
	core->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (core->file < 0)
		return target_fail(target, INSPECT_NO_INPUT, "%s is no process id, and no file "
				   "that can be read: %s", path, strerror(errno));
	if (fstat(core->file, &facts) || !S_ISREG(facts.st_mode))
		return target_fail(target, INSPECT_BAD_INPUT, "%s is no core: no regular file",
				   path);
	core->bytes = (uint64_t)facts.st_size;
	elf_version(EV_CURRENT);
	elf = elf_begin(core->file, ELF_C_READ, NULL);
	if (!elf)
		return target_fail(target, INSPECT_BAD_INPUT, "%s is no core: %s", path,
				   core->bytes ? elf_errmsg(-1) : "the file is empty");
	status = take_elf(target, elf);
	elf_end(elf);
	if (status != INSPECT_OK)
		return status;
	for_each_note(target, NT_PRPSINFO, take_process);
	for_each_note(target, NT_FILE, take_files);
	/* The first mapped file is the program, unless it was loaded above its libraries. */
	if (core->nr_files && core->files[0].path)
		snprintf(target->executable, sizeof(target->executable), "%s",
			 core->files[0].path);
	return INSPECT_OK;
}
