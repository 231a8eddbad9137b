// SPDX-License-Identifier: MIT
/*
 * mmap() of the module's files. The module's process sends the memory of the pages
 * (../files/mmap.c). Where it has no page, the mapping is one of an empty file: there the program
 * gets SIGBUS.
 *
 * A mapping keeps its file open by a descriptor of its own until munmap() ends it whole. A child of
 * fork() has the mapping too, but only the process that made it tells the module of its end. Where
 * munmap() takes a part, the rest stays, and the module learns nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload.h"

#define FIRST_DESCRIPTOR 64	/* apart from those that programs number themselves */

struct mapping {
	struct mapping *next;
	char *start;
	size_t length;
	long number;		/* the module's */
	int fd;
	/* the file that fd had: if fd has another one now, the program closed it */
	ino_t file;
	pid_t pid;
};

static struct mapping *mappings;	/* Sync: busy */
static bool busy;

bool show_memory(const struct wire_request *request, int fd)
{
	return NEXT(mmap)((void *)(uintptr_t)request->address, request->bytes, request->protection,
			  (request->flags & MAP_TYPE) | MAP_FIXED, fd, (off_t)request->result) !=
	       MAP_FAILED;
}

static void *reserve(void *address, size_t length, int flags)
{
	int fd = memfd_create("module", MFD_CLOEXEC);
	void *start;

	if (fd < 0)
		return MAP_FAILED;
	start = NEXT(mmap)(address, length, PROT_READ | PROT_WRITE,
			   MAP_SHARED | (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)), fd, 0);
	close(fd);
	return start;
}

static void *fail(void *start, size_t length, struct mapping *mapping, int error)
{
	if (start != MAP_FAILED)
		NEXT(munmap)(start, length);
	if (mapping && mapping->fd >= 0)
		close(mapping->fd);
	free(mapping);
	errno = error;
	return MAP_FAILED;
}

void *map_module_file(void *address, size_t length, int protection, int flags, int fd,
		      int64_t offset)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mapping *mapping;
	void *start;

	if (!length || offset < 0 || offset % (int64_t)page)
		return fail(MAP_FAILED, 0, NULL, EINVAL);
	length = (length + page - 1) / page * page;
	mapping = calloc(1, sizeof(*mapping));
	if (!mapping)
		return fail(MAP_FAILED, 0, NULL, ENOMEM);
	mapping->fd = NEXT(fcntl)(fd, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
	start = mapping->fd < 0 ? MAP_FAILED : reserve(address, length, flags);
	if (start == MAP_FAILED)
		return fail(start, length, mapping, errno);
	mapping->number = CALL(fd, WIRE_MAP, (intptr_t)start, (int64_t)length,
			       (int64_t)flags << 32 | (uint32_t)protection, offset);
	if (mapping->number < 0)
		return fail(start, length, mapping, errno);
	mapping->file = file_number(mapping->fd);
	mapping->start = start;
	mapping->length = length;
	mapping->pid = getpid();
	lock_busy(&busy);
	mapping->next = mappings;
	mappings = mapping;
	unlock_busy(&busy);
	return start;
}

/* Takes one that lies in the range out of the list; NULL if there is none. */
static struct mapping *take(const char *start, size_t length)
{
	struct mapping **link, *mapping;

	lock_busy(&busy);
	for (link = &mappings; *link; link = &(*link)->next)
		if ((*link)->start >= start &&
		    (*link)->start + (*link)->length <= start + length)
			break;
	mapping = *link;
	if (mapping)
		*link = mapping->next;
	unlock_busy(&busy);
	return mapping;
}

static void end_mapping(struct mapping *mapping)
{
	if (file_number(mapping->fd) == mapping->file) {
		if (mapping->pid == getpid())
			CALL(mapping->fd, WIRE_UNMAP, mapping->number);
		close(mapping->fd);
	}
	free(mapping);
}

EXPORTED int (munmap)(void *address, size_t length)
{
	int result = NEXT(munmap)(address, length), error = errno;
	struct mapping *mapping;

	while (!result && __atomic_load_n(&mappings, __ATOMIC_RELAXED) &&
	       (mapping = take(address, length)) != NULL) {
		end_mapping(mapping);
	}
	errno = error;
	return result;
}
