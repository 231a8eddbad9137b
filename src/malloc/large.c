/* SPDX-License-Identifier: MIT */
#include "malloc/large.h"

#include <string.h>

#include "base/atomic.h"
#include "base/check.h"
#include "base/options.h"
#include "os/lock.h"
#include "os/os.h"
#include "page/zone.h"

struct large_block {
	unsigned long start;
	size_t bytes;
};

/* Sync: table.lock. Sorted by address. The entries are a mapping of their own. */
static struct {
	struct lock lock;	/* RANK_LARGE */
	struct large_block *blocks;
	size_t used, room;
} table;

struct large_counts large_counts;

void large_init(void)
{
	lock_init(&table.lock, RANK_LARGE);
}

/* The index of the first block that does not start below. */
static size_t find_locked(unsigned long start)
{
	size_t low = 0, high = table.used;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (table.blocks[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct large_block *lookup_locked(const void *block)
{
	size_t index = find_locked((unsigned long)block);

	if (index == table.used || table.blocks[index].start != (unsigned long)block)
		return NULL;
	return &table.blocks[index];
}

static int make_room_locked(void)
{
	size_t bytes = table.room * sizeof(*table.blocks);
	size_t new_bytes = bytes ? bytes * 2 : ALIGN((size_t)4096, os_page_bytes());
	void *blocks;
	int error;

	if (table.used < table.room)
		return 0;
	error = bytes ? os_remap(table.blocks, bytes, new_bytes, &blocks) :
			os_map(new_bytes, os_page_bytes(), &blocks);
	if (!error) {
		table.blocks = blocks;
		table.room = new_bytes / sizeof(*table.blocks);
	}
	return error;
}

static void insert_locked(void *block, size_t bytes)
{
	size_t index = find_locked((unsigned long)block);

	memmove(&table.blocks[index + 1], &table.blocks[index],
		(table.used - index) * sizeof(*table.blocks));
	table.blocks[index] = (struct large_block){ (unsigned long)block, bytes };
	table.used++;
	atomic_store_relaxed(&large_counts.blocks, table.used);
	atomic_store_relaxed(&large_counts.bytes, large_counts.bytes + bytes);
}

static void remove_locked(struct large_block *block)
{
	size_t index = (size_t)(block - table.blocks);

	atomic_store_relaxed(&large_counts.bytes, large_counts.bytes - block->bytes);
	table.used--;
	memmove(block, block + 1, (table.used - index) * sizeof(*table.blocks));
	atomic_store_relaxed(&large_counts.blocks, table.used);
}

/* With limit= set large blocks count as well; without it the kernel decides. */
static bool charge(size_t bytes)
{
	return !options.limit || zone_charge(&zone, bytes / PAGE_SIZE);
}

static void uncharge(size_t bytes)
{
	if (options.limit)
		zone_uncharge(&zone, bytes / PAGE_SIZE);
}

void *large_alloc(size_t bytes, size_t align)
{
	void *block;
	int error;

	if (__builtin_add_overflow(bytes, os_page_bytes() - 1, &bytes))
		return NULL;
	bytes = ALIGN_DOWN(bytes, os_page_bytes());
	if (!bytes)
		bytes = os_page_bytes();
	if (!charge(bytes))
		return NULL;
	if (os_map(bytes, max(align, os_page_bytes()), &block)) {
		uncharge(bytes);
		return NULL;
	}
	lock_acquire(&table.lock);
	error = make_room_locked();
	if (!error) {
		insert_locked(block, bytes);
		atomic_store_relaxed(&large_counts.allocations, large_counts.allocations + 1);
	}
	lock_release(&table.lock);
	if (error) {
		os_unmap(block, bytes);
		uncharge(bytes);
		return NULL;
	}
	return block;
}

size_t large_bytes(const void *block)
{
	const struct large_block *entry;
	size_t bytes;

	lock_acquire(&table.lock);
	entry = lookup_locked(block);
	bytes = entry ? entry->bytes : 0;
	lock_release(&table.lock);
	return bytes;
}

void large_report_inside(const char *function, const void *pointer)
{
	struct large_block around = { 0, 0 };
	size_t index;

	lock_acquire(&table.lock);
	index = find_locked((unsigned long)pointer + 1);
	if (index)
		around = table.blocks[index - 1];
	lock_release(&table.lock);
	if ((unsigned long)pointer - around.start < around.bytes)
		report_fatal("%s(%p): invalid pointer: %lu bytes inside a mapping of %zu bytes at "
			     "%p; free the address that was returned",
			     function, pointer, (unsigned long)pointer - around.start,
			     around.bytes, (void *)around.start);
}

/* Takes the block out of the table; its bytes, or 0 if there is none. */
static size_t take_out(const void *block)
{
	struct large_block *entry;
	size_t bytes = 0;

	lock_acquire(&table.lock);
	entry = lookup_locked(block);
	if (entry) {
		bytes = entry->bytes;
		remove_locked(entry);
	}
	lock_release(&table.lock);
	return bytes;
}

bool large_free(void *block)
{
	size_t bytes = take_out(block);

	/* A mapping that cannot be split (too many already) at least gives up its RAM. */
	if (bytes && os_unmap(block, bytes))
		os_discard(block, bytes);
	uncharge(bytes);
	return bytes;
}

/*
 * The lock is held while the mapping moves: until the table knows the new
 * address, nobody may get the old one.
 */
void *large_resize(void *block, size_t bytes)
{
	struct large_block *entry;
	size_t old_bytes;
	void *moved = NULL;

	if (__builtin_add_overflow(bytes, os_page_bytes() - 1, &bytes))
		return NULL;
	bytes = ALIGN_DOWN(bytes, os_page_bytes());
	lock_acquire(&table.lock);
	entry = lookup_locked(block);
	old_bytes = entry ? entry->bytes : 0;
	if (!entry || (bytes > old_bytes && !charge(bytes - old_bytes)))
		goto out;
	if (!os_remap(block, old_bytes, bytes, &moved)) {
		remove_locked(entry);
		insert_locked(moved, bytes);
		if (bytes < old_bytes)
			uncharge(old_bytes - bytes);
	} else if (bytes > old_bytes) {
		uncharge(bytes - old_bytes);
	}
out:
	lock_release(&table.lock);
	return moved;
}
