/* SPDX-License-Identifier: MIT */
#include "malloc/early_blocks.h"

#include <sys/mman.h>

#include "base/system_call.h"
#include "malloc/malloc_slow.h"
#include "malloc/size_classes.h"

#define AREA_BYTES MIB
#define NR_AREAS 16

struct area {
	char *start;
	size_t bytes, used;
};

/* In front of each block. */
struct header {
	size_t bytes;
} __attribute__((__aligned__(MIN_ALIGN)));

/* Sync: written while the process starts, when it has one thread */
static struct area areas[NR_AREAS];
static unsigned int nr_areas __read_mostly;

/* Until the dynamic linker has relocated the library, the variable holds another address. */
static const char here;
static const char *volatile relocated_here = &here;

often_called bool early_is_now(void)
{
	return relocated_here != &here;
}

/* The address, or a negative errno. */
static long map(size_t bytes)
{
	const long protection = PROT_READ | PROT_WRITE;
	const long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#ifdef __s390x__
	const long arguments[] = { 0, (long)bytes, protection, flags, -1, 0 };

	return system_call(SYS_mmap, arguments);
#else
	return system_call(SYS_mmap, NULL, bytes, protection, flags, -1, 0);
#endif
}

static bool add_area(size_t bytes)
{
	long start;

	if (nr_areas == NR_AREAS)
		return false;
	bytes = max(bytes, (size_t)AREA_BYTES);
	start = map(bytes);
	if (start < 0)
		return false;
	areas[nr_areas++] = (struct area){ (char *)start, bytes, 0 };
	return true;
}

static void *take(struct area *area, size_t size, size_t align)
{
	unsigned long first = (unsigned long)area->start + area->used + sizeof(struct header);
	char *block = (char *)ALIGN(first, align);
	size_t offset = (size_t)(block - area->start);

	if (offset > area->bytes || size > area->bytes - offset)
		return NULL;
	((struct header *)block)[-1].bytes = size;
	area->used = offset + size;
	return block;
}

void *early_alloc(size_t size, size_t align)
{
	void *block = NULL;

	if (size > SIZE_MAX / 4 || align > SIZE_MAX / 4)
		return NULL;
	size = ALIGN(max(size, (size_t)1), (size_t)MIN_ALIGN);
	align = max(align, (size_t)MIN_ALIGN);
	if (nr_areas)
		block = take(&areas[nr_areas - 1], size, align);
	if (!block && add_area(size + align + sizeof(struct header)))
		block = take(&areas[nr_areas - 1], size, align);
	return block;
}

often_called size_t early_bytes(const void *pointer)
{
	for (unsigned int i = 0; i < nr_areas; i++)
		if ((unsigned long)pointer - (unsigned long)areas[i].start < areas[i].used)
			return ((const struct header *)pointer)[-1].bytes;
	return 0;
}

/* Copies by itself: memcpy() is another object's function. */
void *early_realloc(void *pointer, size_t size, const void *caller)
{
	size_t old_bytes = early_bytes(pointer);
	const volatile char *from = pointer;
	volatile char *to;
	void *block;

	if (!size || size <= old_bytes)
		return size ? pointer : NULL;
	block = malloc_slow(size, caller);
	to = block;
	for (size_t i = 0; to && i < old_bytes; i++)
		to[i] = from[i];
	return block;
}
