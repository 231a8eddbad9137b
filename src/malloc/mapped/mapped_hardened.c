/* SPDX-License-Identifier: MIT */
#include "malloc/mapped/mapped_hardened.h"

#include <errno.h>
#include <string.h>

#include "base/atomic.h"
#include "base/check.h"
#include "malloc/mapped/mapping_word.h"
#include "mm/huge.h"
#include "os/os.h"
#include "slab/debug/report.h"
#include "slab/slab_fast.h"

#define QUARANTINE_BLOCKS 64u
#define QUARANTINE_BLOCK_BYTES (64 * MIB)
/* Blocks may take 1/MAPPINGS_SHARE of the mappings that the kernel allows. Each block takes two. */
#define MAPPINGS_SHARE 4
#define MAPPINGS_UNKNOWN 0UL

_Static_assert(QUARANTINE_BLOCK_BYTES <= MAPPING_WORD_BYTES_MAX, "its pages fit");

/* The quarantine: a mapping_word() in each place. Sync: atomic exchange */
static unsigned long waiting[QUARANTINE_BLOCKS] __large_bss;
static uint32_t position;		/* the place to fill next. Sync: atomic relaxed */
static unsigned long mappings_max;	/* Sync: atomic relaxed; MAPPINGS_UNKNOWN at first */

int mapped_hardened_map(size_t bytes, size_t align, void **block)
{
	size_t guard = os_page_bytes(), front = max(align, guard), total;
	void *start;
	int error;

	if (__builtin_add_overflow(bytes, front + guard, &total))
		return -ENOMEM;
	error = os_reserve(total, front, &start);
	if (error)
		return error;
	/*
	 * Applies to the guards, too, so that grow() can make the one in front a part of the
	 * block's mapping.
	 */
	mm_huge_mapped(start, total);
	*block = (char *)start + front;
	error = os_commit(*block, bytes);
	if (error)
		os_unmap(start, total);
	else if (front > guard)
		os_unmap(start, front - guard);
	return error;
}

/* Unmaps a block with its guards. */
static void unmap(void *block, size_t bytes)
{
	size_t guard = os_page_bytes();

	os_unmap_or_discard((char *)block - guard, bytes + 2 * guard);
}

/* Makes the block inaccessible and takes its memory; false if the system refuses. */
static bool withdraw(void *block, size_t bytes)
{
	size_t guard = os_page_bytes();

	if (os_hide(block, bytes))
		return false;
	if (!os_discard(block, bytes))
		return true;
	/* The block may be locked. Unlocked with its guards, it stays one mapping with them. */
	return !os_unlock((char *)block - guard, bytes + 2 * guard) && !os_discard(block, bytes);
}

void mapped_hardened_release(void *block, size_t bytes)
{
	unsigned long old;
	uint32_t place;

	if (bytes > QUARANTINE_BLOCK_BYTES || !withdraw(block, bytes)) {
		unmap(block, bytes);
		return;
	}
	place = atomic_add_relaxed(&position, 1) % QUARANTINE_BLOCKS;
	old = atomic_exchange_acq_rel(&waiting[place], mapping_word(block, bytes));
	if (old)
		unmap(mapping_word_start(old), mapping_word_bytes(old));
}

/*
 * Reserves the place that a block has left, and puts it in the quarantine. If another mapping has
 * the addresses by now, only the guard behind is still there and is unmapped.
 */
static void leave_behind(char *old, size_t old_bytes)
{
	size_t guard = os_page_bytes();

	if (os_reserve_at(old - guard, guard + old_bytes))
		os_unmap(old + old_bytes, guard);
	else
		mapped_hardened_release(old, old_bytes);
}

static void hide_guard(void *page)
{
	static bool told;	/* Sync: atomic relaxed; two warnings do no harm */

	if (likely(!os_hide(page, os_page_bytes())) || atomic_load_relaxed(&told))
		return;
	atomic_store_relaxed(&told, true);
	report_warning("hardened=1: a block has no guard page at %p, since there are too many "
		       "mappings (vm.max_map_count); others may follow", page);
}

/*
 * The guard in front becomes a part of the block's mapping first, so that it moves with the block.
 * In the new place this page and the last one are made the guards. One mremap(2) does it all: the
 * kernel chooses the place, so no other thread can take it meanwhile, and moves all or nothing.
 */
static int grow(char *old, size_t old_bytes, size_t bytes, void **block)
{
	size_t guard = os_page_bytes();
	void *start;
	int error = os_commit(old - guard, guard);

	if (error)
		return error;
	error = os_remap(old - guard, guard + old_bytes, guard + bytes + guard, &start);
	if (error) {
		hide_guard(old - guard);
		return error;
	}
	*block = (char *)start + guard;
	hide_guard(start);
	hide_guard((char *)*block + bytes);
	leave_behind(old, old_bytes);
	return 0;
}

/*
 * The first page that is cut off becomes the guard behind the block, the second one the guard in
 * front of the rest, which goes to the quarantine.
 */
static int shrink(char *block, size_t old_bytes, size_t bytes)
{
	size_t guard = os_page_bytes(), cut = old_bytes - bytes, hidden = min(cut, 2 * guard);
	int error = os_hide(block + bytes, hidden);

	if (error)
		return error;
	os_discard(block + bytes, hidden);
	if (cut > 2 * guard)
		mapped_hardened_release(block + bytes + 2 * guard, cut - 2 * guard);
	else	/* the rest has nothing but guards */
		os_unmap(block + bytes + guard, cut);
	return 0;
}

int mapped_hardened_resize(void *old, size_t old_bytes, size_t bytes, void **block)
{
	if (bytes > old_bytes)
		return grow(old, old_bytes, bytes, block);
	*block = old;
	return bytes < old_bytes ? shrink(old, old_bytes, bytes) : 0;
}

/* The bytes of all waiting blocks with their guards. */
static size_t waiting_bytes(void)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < QUARANTINE_BLOCKS; i++) {
		unsigned long word = atomic_load_relaxed(&waiting[i]);

		if (word)
			bytes += mapping_word_bytes(word) + 2 * os_page_bytes();
	}
	return bytes;
}

/*
 * May the request fit once the waiting blocks are unmapped? They make room for their own bytes, so
 * the rest of the request has to fit without them. But if not even one byte can be mapped, the
 * number of mappings may be the limit, and unmapping helps.
 */
static bool may_make_room(size_t bytes)
{
	size_t most = waiting_bytes();

	return most && (bytes <= most || os_can_map(bytes - most) || !os_can_map(1));
}

bool mapped_hardened_give_way(size_t bytes)
{
	bool any = false;

	if (!may_make_room(bytes))
		return false;
	for (unsigned int i = 0; i < QUARANTINE_BLOCKS; i++) {
		unsigned long word = atomic_exchange_acq_rel(&waiting[i], 0);

		if (word)
			unmap(mapping_word_start(word), mapping_word_bytes(word));
		any |= word != 0;
	}
	return any;
}

void mapped_hardened_report_freed(const char *function, const void *pointer, const void *caller)
{
	for (unsigned int i = 0; i < QUARANTINE_BLOCKS; i++) {
		unsigned long word = atomic_load_relaxed(&waiting[i]);
		unsigned long start = (unsigned long)mapping_word_start(word);
		unsigned long offset = (unsigned long)pointer - start;

		if (word && offset < mapping_word_bytes(word))
			slab_report_fatal(caller, "%s(%p): invalid pointer: %lu bytes inside a "
					  "mapping of %zu bytes at %p, which is already free: "
					  "double free", function, pointer, offset,
					  mapping_word_bytes(word), mapping_word_start(word));
	}
}

bool mapped_hardened_fits(size_t nr_blocks)
{
	unsigned long most = atomic_load_relaxed(&mappings_max);

	if (unlikely(most == MAPPINGS_UNKNOWN)) {
		most = max(os_max_mappings() / MAPPINGS_SHARE / 2, 1UL);
		atomic_store_relaxed(&mappings_max, most);
	}
	return nr_blocks < most;
}

/* The fence's value; never 0. */
static unsigned char fence_byte(void)
{
	return (unsigned char)(slab_mark_key >> 8) | 1;
}

void mapped_hardened_fence(void *block, size_t asked, size_t bytes)
{
	memset((char *)block + asked, fence_byte(), bytes - asked);
}

void mapped_hardened_check(const char *function, const void *block, size_t asked, size_t bytes,
			 const void *caller)
{
	const unsigned char *start = block;

	for (size_t i = asked; i < bytes; i++)
		if (unlikely(start[i] != fence_byte()))
			slab_report_fatal(caller, "%s(%p): heap overflow: byte %zu behind the %zu "
					  "bytes of the block was overwritten with 0x%02x (first "
					  "one, at %p; a mapping)", function, block, i - asked,
					  asked, (unsigned int)start[i],
					  (const void *)(start + i));
}
