// SPDX-License-Identifier: MIT
/* What live processes and cores have in common. */
#include "target/target.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096UL
/* target_read_sparse() reads this much at a time. */
#define SPARSE_PAGES 1024UL

enum inspect_status target_fail(struct target *target, enum inspect_status status,
				const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(target->error, sizeof(target->error), format, arguments);
	va_end(arguments);
	target->status = status;
	return status;
}

/* --- Open -------------------------------------------------------------------------- */

static bool is_number(const char *text)
{
	for (const char *at = text; *at; at++)
		if (!isdigit((unsigned char)*at))
			return false;
	return *text;
}

static enum inspect_status open_as(struct target *target, const char *text)
{
	char *end;
	long pid;

	if (!is_number(text))
		return core_open(target, text);
	errno = 0;
	pid = strtol(text, &end, 10);
	if (errno || pid <= 0 || pid > INT32_MAX)
		return target_fail(target, INSPECT_NO_PROCESS, "there is no process %s", text);
	return live_open(target, (pid_t)pid);
}

struct target *target_open(const char *text, enum inspect_status *status,
			   char error[INSPECT_TEXT_BYTES])
{
	struct target *target = calloc(1, sizeof(*target));

	if (!target) {
		snprintf(error, INSPECT_TEXT_BYTES, "no memory");
		*status = INSPECT_NO_MEMORY;
		return NULL;
	}
	*status = open_as(target, text);
	if (*status == INSPECT_OK)
		*status = target_read_ranges(target);
	if (*status == INSPECT_OK)
		return target;
	snprintf(error, INSPECT_TEXT_BYTES, "%s", target->error);
	target_close(target);
	return NULL;
}

void target_close(struct target *target)
{
	if (!target)
		return;
	if (target->ops)
		target->ops->close(target);
	target_forget_ranges(target);
	target_forget_threads(target);
	free(target);
}

/* --- Bytes ------------------------------------------------------------------------- */

enum inspect_status target_read_pieces(struct target *target, struct piece *pieces, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pieces[i].failed = false;
	return n ? target->ops->read(target, pieces, n) : INSPECT_OK;
}

bool target_read(struct target *target, uint64_t address, void *to, size_t bytes)
{
	struct piece piece = { .address = address, .to = to, .bytes = bytes };

	return target_read_pieces(target, &piece, 1) == INSPECT_OK && !piece.failed;
}

bool target_read_text(struct target *target, uint64_t address, char *to, size_t bytes)
{
	size_t used = 0;

	/* Page by page: the text may end just before memory that cannot be read. */
	while (used + 1 < bytes) {
		size_t part = PAGE_BYTES - (address + used) % PAGE_BYTES;

		if (part > bytes - 1 - used)
			part = bytes - 1 - used;
		if (!target_read(target, address + used, to + used, part))
			return false;
		if (memchr(to + used, '\0', part))
			return true;
		used += part;
	}
	to[used] = '\0';
	return true;
}

/* Reads the runs of pages whose bits are set. Zero where that fails. */
static enum inspect_status read_runs(struct target *target, uint64_t address, char *to,
				     size_t pages, const uint8_t *bits)
{
	struct piece pieces[SPARSE_PAGES / 2 + 1];
	size_t n = 0;
	enum inspect_status status;

	for (size_t page = 0, end; page < pages; page = end) {
		bool has = bits[page / 8] >> page % 8 & 1;

		for (end = page; end < pages && (bits[end / 8] >> end % 8 & 1) == has;)
			end++;
		if (!has)
			memset(to + page * PAGE_BYTES, 0, (end - page) * PAGE_BYTES);
		else
			pieces[n++] = (struct piece){ .address = address + page * PAGE_BYTES,
						      .to = to + page * PAGE_BYTES,
						      .bytes = (end - page) * PAGE_BYTES };
	}
	status = target_read_pieces(target, pieces, n);
	/* A page in the middle may have gone: then page by page. */
	for (size_t i = 0; i < n && status == INSPECT_OK; i++)
		for (size_t at = 0; pieces[i].failed && at < pieces[i].bytes; at += PAGE_BYTES)
			if (!target_read(target, pieces[i].address + at, (char *)pieces[i].to + at,
					 PAGE_BYTES))
				memset((char *)pieces[i].to + at, 0, PAGE_BYTES);
	return status;
}

enum inspect_status target_read_sparse(struct target *target, uint64_t address, void *to,
				       size_t bytes)
{
	uint8_t bits[SPARSE_PAGES / 8];
	enum inspect_status status = INSPECT_OK;

	for (size_t at = 0; at < bytes && status == INSPECT_OK; at += SPARSE_PAGES * PAGE_BYTES) {
		size_t pages = (bytes - at) / PAGE_BYTES;

		if (pages > SPARSE_PAGES)
			pages = SPARSE_PAGES;
		if (!target->ops->present(target, address + at, pages, bits))
			memset(bits, 0xff, sizeof(bits));
		status = read_runs(target, address + at, (char *)to + at, pages, bits);
	}
	return status;
}

/* --- Ranges ------------------------------------------------------------------------ */

void target_forget_ranges(struct target *target)
{
	for (size_t i = 0; i < target->nr_ranges; i++)
		free(target->ranges[i].path);
	free(target->ranges);
	target->ranges = NULL;
	target->nr_ranges = 0;
}

/* The array's room is the next power of two, so it need not be stored. */
static void *grow(void *array, size_t nr, size_t item_bytes)
{
	if (nr & (nr - 1))
		return array;
	return realloc(array, (nr ? 2 * nr : 1) * item_bytes);
}

struct range *target_add_range(struct target *target, const struct range *range)
{
	struct range *ranges = grow(target->ranges, target->nr_ranges, sizeof(*ranges));

	if (!ranges)
		return NULL;
	target->ranges = ranges;
	ranges[target->nr_ranges] = *range;
	return &ranges[target->nr_ranges++];
}

const struct range *target_range_from(const struct target *target, uint64_t address)
{
	size_t low = 0, high = target->nr_ranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (target->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < target->nr_ranges ? &target->ranges[low] : NULL;
}

const struct range *target_range(const struct target *target, uint64_t address)
{
	const struct range *range = target_range_from(target, address);

	return range && range->start <= address ? range : NULL;
}

enum inspect_status target_read_ranges(struct target *target)
{
	target_forget_ranges(target);
	return target->ops->read_ranges(target);
}

/* --- Threads ----------------------------------------------------------------------- */

void target_forget_threads(struct target *target)
{
	free(target->threads);
	target->threads = NULL;
	target->nr_threads = 0;
}

struct thread *target_add_thread(struct target *target, pid_t id)
{
	struct thread *threads = grow(target->threads, target->nr_threads, sizeof(*threads));

	if (!threads)
		return NULL;
	target->threads = threads;
	threads[target->nr_threads] = (struct thread){ .id = id };
	return &threads[target->nr_threads++];
}

enum inspect_status target_pause(struct target *target)
{
	target_forget_threads(target);
	return target->ops->pause(target);
}

void target_resume(struct target *target)
{
	target->ops->resume(target);
}
