// SPDX-License-Identifier: MIT
/* Reads traces. Nothing in a file is trusted. */
#define _GNU_SOURCE
#include "loads/trace.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_SHIFT_OF_TRACE 12
#define END_PAGE (1ull << (47 - PAGE_SHIFT_OF_TRACE))
#define NO_SPACE TRACE_MAX_SPACES
#define CRC_BYTES 4

static const char magic[] = "usermm mm events 1\n";
#define MAGIC_BYTES (sizeof(magic) - 1)

static bool wrong(struct trace *trace, const char *what)
{
	if (!trace->error)
		trace->error = what;
	return false;
}

static uint32_t crc32(const uint8_t *bytes, size_t nr)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < nr; i++) {
		crc ^= bytes[i];
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static uint32_t stored_crc(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static bool take_number(struct trace *trace, uint64_t *number)
{
	*number = 0;
	for (unsigned int shift = 0; shift < 63; shift += 7) {
		uint8_t byte;

		if (trace->next == trace->end)
			return wrong(trace, "a record is cut off");
		byte = *trace->next++;
		*number |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return true;
	}
	return wrong(trace, "a number is too large");
}

/* Reads a number from the head's lowest bits; if all are set, plus the number that follows. */
static bool take_small(struct trace *trace, unsigned int head, unsigned int most, uint64_t *number)
{
	uint64_t more;

	*number = head & most;
	if (*number < most)
		return true;
	if (!take_number(trace, &more))
		return false;
	*number += more;
	return true;
}

/* The distance is modulo 2^64, so it may be negative. */
static bool is_near(uint64_t distance)
{
	return distance + (TRACE_NEAR_PAGES - 1) <= 2 * (TRACE_NEAR_PAGES - 1);
}

/* Reads a range, whose start is relative to one of the last ends. Its end becomes one of these. */
static bool take_range(struct trace *trace, unsigned int which, uint64_t pages, uint64_t *address)
{
	uint64_t *ends = trace->ends[trace->space], number, distance, page;

	if (!take_number(trace, &number))
		return false;
	distance = number & 1 ? ~(number >> 1) : number >> 1;
	page = ends[which] + distance;
	if (page >= END_PAGE || pages > END_PAGE - page)
		return wrong(trace, "a range reaches beyond the address space");
	if (!is_near(distance))
		which = TRACE_NR_ENDS - 1;
	memmove(ends + 1, ends, which * sizeof(*ends));
	ends[0] = page + pages;
	*address = page << PAGE_SHIFT_OF_TRACE;
	return true;
}

static bool take_space_number(struct trace *trace, unsigned int head, unsigned int *space)
{
	uint64_t number;

	if (!take_small(trace, head, 31, &number))
		return false;
	if (number >= TRACE_MAX_SPACES)
		return wrong(trace, "an address space has too large a number");
	*space = (unsigned int)number;
	return true;
}

static bool begin_space(struct trace *trace, unsigned int space)
{
	if (trace->live[space])
		return wrong(trace, "an address space begins that has not ended");
	trace->live[space] = true;
	return true;
}

static bool take_ranged(struct trace *trace, unsigned int head, struct trace_event *event)
{
	uint64_t pages, number;

	if (!take_small(trace, head, 7, &pages) || pages >= END_PAGE)
		return wrong(trace, "a range reaches beyond the address space");
	pages++;
	event->bytes = pages << PAGE_SHIFT_OF_TRACE;
	if (!take_range(trace, head >> 3 & 3, pages, &event->address))
		return false;
	if (event->kind == TRACE_TOUCH)
		trace->seen_pages += pages;
	if (event->kind == TRACE_MOVE)
		return take_range(trace, 0, pages, &event->to);
	if (event->kind != TRACE_PROTECT)
		return true;
	if (!take_number(trace, &number))
		return false;
	event->prot = (unsigned int)number;
	return number <= 7 || wrong(trace, "rights that there are none of");
}

static bool take_copy(struct trace *trace, unsigned int head, struct trace_event *event)
{
	if (!take_space_number(trace, head, &event->child) || !begin_space(trace, event->child))
		return false;
	memcpy(trace->ends[event->child], trace->ends[trace->space], sizeof(trace->ends[0]));
	return true;
}

static bool take_new(struct trace *trace, unsigned int head, struct trace_event *event)
{
	if (!take_space_number(trace, head, &event->space) || !begin_space(trace, event->space))
		return false;
	memset(trace->ends[event->space], 0, sizeof(trace->ends[0]));
	trace->space = event->space;
	return true;
}

static bool take_record(struct trace *trace, struct trace_event *event)
{
	unsigned int head = *trace->next++;

	*event = (struct trace_event){ .kind = head >> 5, .space = trace->space };
	trace->seen[event->kind]++;
	if (event->kind == TRACE_NEW)
		return take_new(trace, head, event);
	if (event->kind == TRACE_SPACE) {
		if (!take_space_number(trace, head, &trace->space))
			return false;
		return trace->live[trace->space] ||
		       wrong(trace, "a record is about no address space");
	}
	if (trace->space == NO_SPACE)
		return wrong(trace, "a record is about no address space");
	if (event->kind == TRACE_COPY)
		return take_copy(trace, head, event);
	if (event->kind != TRACE_EXIT)
		return take_ranged(trace, head, event);
	if (head & 31)
		return wrong(trace, "a record of an unknown kind");
	trace->live[trace->space] = false;
	trace->space = NO_SPACE;
	return true;
}

/* Does the trace have all the records that its head announces? */
static bool check_end(struct trace *trace)
{
	if (memcmp(trace->counts, trace->seen, sizeof(trace->counts)) ||
	    trace->pages != trace->seen_pages)
		return wrong(trace, "its records are not as many as its head says");
	for (unsigned int i = 0; i < TRACE_MAX_SPACES; i++)
		if (trace->live[i])
			return wrong(trace, "an address space does not end");
	return false;
}

bool trace_next(struct trace *trace, struct trace_event *event)
{
	if (trace->error)
		return false;
	do {
		if (trace->next == trace->end)
			return check_end(trace);
		if (!take_record(trace, event))
			return false;
	} while (event->kind == TRACE_SPACE);
	return true;
}

void trace_rewind(struct trace *trace)
{
	trace->next = trace->start;
	trace->space = NO_SPACE;
	trace->seen_pages = 0;
	memset(trace->seen, 0, sizeof(trace->seen));
	memset(trace->live, 0, sizeof(trace->live));
}

bool trace_open(struct trace *trace, const void *bytes, size_t nr)
{
	const uint8_t *file = bytes;

	memset(trace, 0, sizeof(*trace));
	if (nr < MAGIC_BYTES + CRC_BYTES || memcmp(file, magic, MAGIC_BYTES))
		return wrong(trace, "it is no trace of mm events of version 1");
	trace->next = file + MAGIC_BYTES;
	trace->end = file + nr - CRC_BYTES;
	if (crc32(file, nr - CRC_BYTES) != stored_crc(trace->end))
		return wrong(trace, "its checksum is wrong");
	for (unsigned int kind = 0; kind < NR_TRACE_KINDS; kind++)
		if (!take_number(trace, &trace->counts[kind]))
			return false;
	if (!take_number(trace, &trace->pages))
		return false;
	trace->start = trace->next;
	trace_rewind(trace);
	return true;
}

bool trace_open_file(struct trace *trace, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes = MAP_FAILED;
	struct stat status;

	memset(trace, 0, sizeof(*trace));
	if (fd < 0)
		return wrong(trace, "it cannot be opened");
	if (!fstat(fd, &status) && status.st_size > 0)
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return wrong(trace, "it cannot be read");
	return trace_open(trace, bytes, (size_t)status.st_size);
}
