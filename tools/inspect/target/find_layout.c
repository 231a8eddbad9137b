// SPDX-License-Identifier: MIT
/*
 * Looks at the ELF header of each mapped file in memory, and from there at its notes. If a core
 * lacks a header or a note, it is read from the file itself.
 */
#include "target/find_layout.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"

/* The first bytes of a file, which mostly have all program headers and notes. */
#define HEAD_BYTES 4096UL
#define NOTE_BYTES_MAX 65536UL
#define HEADERS_MAX 64

/* A file of the target that may be the library. */
struct object {
	const struct range *range;	/* where its first byte is mapped */
	uint64_t bias;			/* of its addresses */
	unsigned char head[HEAD_BYTES];
};

static bool has_mapped_start(const struct range *range)
{
	return range->path && *range->path == '/' && !range->offset && range->readable;
}

/* Copies `bytes` bytes of the object, from its head if they are there. */
static bool read_object(struct target *target, const struct object *object, uint64_t offset,
			void *to, size_t bytes)
{
	if (offset <= HEAD_BYTES && bytes <= HEAD_BYTES - offset) {
		memcpy(to, object->head + offset, bytes);
		return true;
	}
	return target_read(target, object->range->start + offset, to, bytes);
}

static bool is_ours(const Elf64_Ehdr *header)
{
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum <= HEADERS_MAX;
}

/* Reads a note's addresses, each of which is a distance from its own place. */
static void take_addresses(const char *at, size_t bytes, uint64_t place, uint64_t bias,
			   uint64_t *addresses, size_t nr)
{
	int32_t distance;

	for (size_t i = 0; i < nr && (i + 1) * sizeof(distance) <= bytes; i++) {
		memcpy(&distance, at + i * sizeof(distance), sizeof(distance));
		addresses[i] = place + i * sizeof(distance) + (uint64_t)(int64_t)distance;
		if (addresses[i] == bias)	/* the linker found no such variable */
			addresses[i] = 0;
	}
}

static enum inspect_status take_values(struct target *target, struct layout *layout,
				       const char *at, size_t bytes)
{
	struct layout_values values = { 0 };
	size_t whole = sizeof(values);

	memcpy(&values, at, bytes < whole ? bytes : whole);
	snprintf(layout->release, sizeof(layout->release), "%.*s", LAYOUT_RELEASE_BYTES,
		 values.release);
	if (bytes < offsetof(struct layout_values, values) || values.version != LAYOUT_VERSION ||
	    values.nr != NR_LAYOUT_VALUES || bytes < whole ||
	    values.values[LAYOUT_nr_options] != sizeof(struct options) / sizeof(unsigned long))
		return target_fail(target, INSPECT_OTHER_VERSION, "%s has usermm %.16s, layout "
				   "version %u; this tool reads version %u: use the usermm command "
				   "of that library", target->name, layout->release, values.version,
				   LAYOUT_VERSION);
	memcpy(layout->values, values.values, sizeof(layout->values));
	return INSPECT_OK;
}

/*
 * Reads the notes in `bytes` bytes at `notes`, which the target has at `place`. *found says whether
 * one of them was ours.
 */
static enum inspect_status take_notes(struct target *target, struct layout *layout,
				      const char *notes, size_t bytes, uint64_t place,
				      uint64_t bias, bool *found)
{
	enum inspect_status status = INSPECT_OK;
	Elf64_Nhdr header;
	size_t next;

	for (size_t at = 0; bytes - at >= sizeof(header) && status == INSPECT_OK; at = next) {
		const char *name = notes + at + sizeof(header);
		size_t value;

		memcpy(&header, notes + at, sizeof(header));
		value = at + sizeof(header) + (((size_t)header.n_namesz + 3) & ~3UL);
		next = value + (((size_t)header.n_descsz + 3) & ~3UL);
		if (value > bytes || header.n_descsz > bytes - value)
			break;
		if (next > bytes)
			next = bytes;
		if (header.n_namesz != sizeof(LAYOUT_NAME) ||
		    memcmp(name, LAYOUT_NAME, sizeof(LAYOUT_NAME)))
			continue;
		*found = true;
		if (header.n_type == LAYOUT_VALUES)
			status = take_values(target, layout, notes + value, header.n_descsz);
		else if (header.n_type == LAYOUT_CORE)
			take_addresses(notes + value, header.n_descsz, place + value, bias,
				       layout->addresses, NR_LAYOUT_CORE);
		else if (header.n_type == LAYOUT_MALLOC)
			take_addresses(notes + value, header.n_descsz, place + value, bias,
				       layout->addresses + NR_LAYOUT_CORE,
				       NR_LAYOUT_ADDRESSES - NR_LAYOUT_CORE);
	}
	return status;
}

static enum inspect_status look_at_notes(struct target *target, struct layout *layout,
					 const struct object *object, const Elf64_Phdr *header,
					 bool *found)
{
	size_t bytes = header->p_filesz;
	enum inspect_status status = INSPECT_OK;
	char *notes;

	if (!bytes || bytes > NOTE_BYTES_MAX)
		return INSPECT_OK;
	notes = malloc(bytes);
	if (!notes)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory");
	if (read_object(target, object, header->p_offset, notes, bytes))
		status = take_notes(target, layout, notes, bytes, object->bias + header->p_vaddr,
				    object->bias, found);
	free(notes);
	return status;
}

static enum inspect_status look_at(struct target *target, struct layout *layout,
				   struct object *object, bool *found)
{
	Elf64_Phdr headers[HEADERS_MAX];
	enum inspect_status status = INSPECT_OK;
	Elf64_Ehdr header;

	memcpy(&header, object->head, sizeof(header));
	*found = false;
	if (!is_ours(&header) || !read_object(target, object, header.e_phoff, headers,
					      header.e_phnum * sizeof(*headers)))
		return INSPECT_OK;
	for (unsigned int i = 0; i < header.e_phnum; i++)
		if (headers[i].p_type == PT_LOAD && !headers[i].p_offset) {
			object->bias = object->range->start - headers[i].p_vaddr;
			break;
		}
	for (unsigned int i = 0; i < header.e_phnum && status == INSPECT_OK; i++)
		if (headers[i].p_type == PT_NOTE)
			status = look_at_notes(target, layout, object, &headers[i], found);
	snprintf(layout->library, sizeof(layout->library), "%.255s", object->range->path);
	return status;
}

/* Does this copy of the library have memory? Another copy may serve the process instead. */
static bool has_memory(struct target *target, const struct layout *layout)
{
	uint64_t base = 0;

	return target_read(target, layout->addresses[LAYOUT_AT_mm_window] +
			   layout->values[LAYOUT_mm_window_base], &base, sizeof(base)) && base;
}

/* Reads the heads of all files that are mapped from their first byte on. */
static size_t read_heads(struct target *target, struct object *objects, struct piece *pieces)
{
	size_t nr = 0;

	for (size_t i = 0; i < target->nr_ranges; i++)
		if (has_mapped_start(&target->ranges[i])) {
			objects[nr].range = &target->ranges[i];
			pieces[nr] = (struct piece){ .address = target->ranges[i].start,
						     .to = objects[nr].head, .bytes = HEAD_BYTES };
			nr++;
		}
	return nr;
}

static enum inspect_status find(struct target *target, struct layout *layout,
				struct object *objects, struct piece *pieces)
{
	size_t nr = read_heads(target, objects, pieces);
	enum inspect_status status = target_read_pieces(target, pieces, nr), other = INSPECT_OK;
	bool have_one = false, found;

	for (size_t i = 0; i < nr && status == INSPECT_OK; i++) {
		struct layout next = { 0 };
		enum inspect_status one;

		if (pieces[i].failed)
			continue;
		one = look_at(target, &next, &objects[i], &found);
		if (one == INSPECT_OTHER_VERSION)
			other = one;
		else if (one != INSPECT_OK)
			return one;
		if (one != INSPECT_OK || !found || (have_one && !has_memory(target, &next)))
			continue;
		*layout = next;
		have_one = true;
		if (has_memory(target, layout))
			return INSPECT_OK;
	}
	if (status != INSPECT_OK || have_one)
		return status;
	if (other != INSPECT_OK)
		return other;
	if (*target->lacks)
		return target_fail(target, INSPECT_CUT_CORE, "%s: %s; %s", target->name,
				   target->lacks, nr ? "usermm is not in the rest" :
				   "its notes, which say where the library is, are among them");
	return target_fail(target, INSPECT_NO_USERMM, "%s%s%s%s does not run on usermm%s",
			   target->name, *target->command ? " (" : "", target->command,
			   *target->command ? ")" : "", target->is_core ?
			   ", or the core and the machine lack the library's file" : "");
}

enum inspect_status layout_find(struct target *target, struct layout *layout)
{
	struct object *objects;
	struct piece *pieces;
	enum inspect_status status;
	size_t nr = 1;

	for (size_t i = 0; i < target->nr_ranges; i++)
		nr += has_mapped_start(&target->ranges[i]);
	objects = calloc(nr, sizeof(*objects));
	pieces = calloc(nr, sizeof(*pieces));
	status = objects && pieces ? find(target, layout, objects, pieces) :
				     target_fail(target, INSPECT_NO_MEMORY, "no memory");
	free(objects);
	free(pieces);
	return status;
}
