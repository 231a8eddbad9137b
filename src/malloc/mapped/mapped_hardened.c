/* SPDX-License-Identifier: MIT */
#include "malloc/mapped/mapped_hardened.h"

#include <errno.h>
#include <string.h>

#include "base/atomic.h"
#include "base/check.h"
#include "base/word_pair.h"
#include "malloc/mapped/mapped_reuse.h"
#include "malloc/mapped/mapping_word.h"
#include "mm/huge.h"
#include "os/os.h"
#include "slab/debug/report.h"
#include "slab/hardened/hardened_object.h"
#include "slab/slab_fast.h"

#define QUARANTINE_BLOCKS 64u
#define QUARANTINE_BLOCK_BYTES (64 * MIB)
/* Blocks may take 1/MAPPINGS_SHARE of the mappings that the kernel allows. Each block takes two. */
#define MAPPINGS_SHARE 4
#define MAPPINGS_UNKNOWN 0UL
/* Blocks that wait may take 1/ADDRESSES_SHARE of RLIMIT_AS, for which addresses count. */
#define ADDRESSES_SHARE 16
/* A smaller block has no room behind: moving its pages is cheap. */
#define ROOM_FROM_BYTES (512 * KIB)
/* Steps of the room for each doubling of the size. A step is a multiple of any system's page. */
#define ROOM_STEPS 8

_Static_assert(QUARANTINE_BLOCK_BYTES <= MAPPING_WORD_BYTES_MAX, "its pages fit");

/* The quarantine: a mapping_word() in each place. Sync: atomic exchange */
static unsigned long waiting[QUARANTINE_BLOCKS] __large_bss;
static uint32_t position;		/* the place to fill next. Sync: atomic relaxed */
static unsigned long mappings_max;	/* Sync: atomic relaxed; MAPPINGS_UNKNOWN at first */
static size_t most_waiting_bytes;	/* Sync: atomic relaxed; 0: not known */

/*
 * How many bytes of addresses a block gets: its own, and room behind to grow. All sizes between two
 * steps get the same number, so a block that grows by pages moves eight times until it is twice as
 * large.
 */
static size_t reserved_bytes(size_t bytes)
{
	return bytes < ROOM_FROM_BYTES ? bytes :
					 ALIGN(bytes, (1UL << ilog2(bytes)) / ROOM_STEPS);
}

static int map_new(size_t bytes, size_t align, void **block)
{
	size_t guard = os_page_bytes(), front = max(align, guard), total;
	void *start;
	int error;

	if (__builtin_add_overflow(reserved_bytes(bytes), front + guard, &total))
		return -ENOMEM;
	error = os_reserve_dumped(total, front, &start);
	if (error)
		return error;
	/*
	 * Applies to the guards, too, so that grow() can make the one in front a part of the
	 * block's mapping.
	 */
	mm_huge_mapped(start, total);
	*block = (char *)start + front;
	error = os_show(*block, bytes);
	if (error)
		os_unmap(start, total);
	else if (front > guard)
		os_unmap(start, front - guard);
	return error;
}

int mapped_hardened_map(size_t bytes, size_t align, void **block)
{
	if (align <= os_page_bytes()) {
		*block = mapped_reuse_take(bytes);
		if (*block)
			return 0;
	}
	return map_new(bytes, align, block);
}

/* The bytes of all waiting blocks with their guards. */
static often_called size_t waiting_bytes(void)
{
	size_t bytes = 0;

	/* If none ever waited, a look would cost a page fault. */
	if (!atomic_load_relaxed(&position))
		return 0;
	for (unsigned int i = 0; i < QUARANTINE_BLOCKS; i++) {
		unsigned long word = atomic_load_relaxed(&waiting[i]);

		if (word)
			bytes += mapping_word_bytes(word) + 2 * os_page_bytes();
	}
	return bytes;
}

/* How many bytes may wait? */
static size_t most_waiting(void)
{
	size_t most = atomic_load_relaxed(&most_waiting_bytes);
	uint64_t limit;

	if (likely(most))
		return most;
	limit = os_address_space_limit();
	most = limit == UINT64_MAX ? SIZE_MAX : max(limit / ADDRESSES_SHARE, 1UL);
	atomic_store_relaxed(&most_waiting_bytes, most);
	return most;
}

/* Unmaps addresses with the guards on both sides. */
static void unmap(void *start, size_t bytes)
{
	size_t guard = os_page_bytes();

	os_unmap_or_discard((char *)start - guard, bytes + 2 * guard);
}

/* Unmaps all waiting blocks. Was there any? */
static bool unmap_waiting(void)
{
	bool any = false;

	for (unsigned int i = 0; i < QUARANTINE_BLOCKS; i++) {
		/* pairs with wait_or_unmap(): the addresses are inaccessible, with their guards */
		unsigned long word = atomic_exchange_acquire(&waiting[i], 0);

		if (word)
			unmap(mapping_word_start(word), mapping_word_bytes(word));
		any |= word != 0;
	}
	return any;
}

/*
 * Puts addresses into the quarantine that are inaccessible, with their guards; or unmaps them. They
 * take the place of those that wait longest.
 */
static void wait_or_unmap(void *start, size_t bytes)
{
	size_t most = most_waiting();
	unsigned long old;
	uint32_t place;

	if (bytes > min(MAPPING_WORD_BYTES_MAX, most)) {
		unmap(start, bytes);
		return;
	}
	if (most != SIZE_MAX && waiting_bytes() > most - bytes)
		unmap_waiting();
	place = atomic_add_relaxed(&position, 1) % QUARANTINE_BLOCKS;
	/*
	 * pairs with itself and with unmap_waiting(): whoever takes the addresses out unmaps them
	 * after this thread has withdrawn them
	 */
	old = atomic_exchange_acq_rel(&waiting[place], mapping_word(start, bytes));
	if (old)
		unmap(mapping_word_start(old), mapping_word_bytes(old));
}

static void hide_and_wait(void *block, size_t bytes)
{
	if (bytes > QUARANTINE_BLOCK_BYTES || os_withdraw(block, bytes))
		unmap(block, reserved_bytes(bytes));
	else
		wait_or_unmap(block, reserved_bytes(bytes));
}

void mapped_hardened_release(void *block, size_t bytes)
{
	if (!mapped_reuse_put(block, bytes))
		hide_and_wait(block, bytes);
}

/*
 * Reserves the place that a block has left, and puts it in the quarantine. If another mapping has
 * the addresses by now, only the room and the guard behind are still there and are unmapped.
 */
static void leave_behind(char *old, size_t old_bytes)
{
	size_t guard = os_page_bytes(), reserved = reserved_bytes(old_bytes);

	if (os_reserve_at(old - guard, guard + old_bytes))
		os_unmap(old + old_bytes, reserved - old_bytes + guard);
	else if (old_bytes > QUARANTINE_BLOCK_BYTES)
		unmap(old, reserved);
	else
		wait_or_unmap(old, reserved);
}

static void warn_of_guard(const void *page)
{
	static bool told;	/* Sync: atomic relaxed; two warnings do no harm */

	if (atomic_load_relaxed(&told))
		return;
	atomic_store_relaxed(&told, true);
	report_warning("hardened=1: a block has no guard page at %p, since there are too many "
		       "mappings (vm.max_map_count); others may follow", page);
}

/*
 * The guard in front becomes a part of the block's mapping first, so that it moves with the block.
 * In the new place this page becomes the guard again, and the room and the last page are hidden.
 * One mremap(2) does it all: the kernel chooses the place, so no other thread can take it
 * meanwhile, and moves all or nothing.
 */
static int move(char *old, size_t old_bytes, size_t bytes, void **block)
{
	size_t guard = os_page_bytes(), reserved = reserved_bytes(bytes);
	void *start;
	int error = os_show(old - guard, guard);

	if (error)
		return error;
	error = os_remap(old - guard, guard + old_bytes, guard + reserved + guard, &start);
	if (error) {
		if (os_hide(old - guard, guard))
			warn_of_guard(old - guard);
		return error;
	}
	*block = (char *)start + guard;
	if (os_hide(start, guard))
		warn_of_guard(start);
	if (os_hide((char *)*block + bytes, reserved - bytes + guard))
		warn_of_guard((char *)*block + bytes);
	leave_behind(old, old_bytes);
	return 0;
}

/*
 * Makes the end of a block room, which has no content. It remains a part of the mapping that was
 * made there, or moved there: so the block is one mapping again if it grows.
 */
static int make_room(void *start, size_t bytes)
{
	int error = os_hide(start, bytes);

	return !error && os_discard(start, bytes) ? os_withdraw(start, bytes) : error;
}

/*
 * Shrinks the block in place. A part of what is cut off becomes room and guard; the rest, if any,
 * goes to the quarantine.
 */
static int shrink(char *block, size_t old_bytes, size_t bytes)
{
	size_t guard = os_page_bytes(), old_end = reserved_bytes(old_bytes);
	size_t end = reserved_bytes(bytes), rest = old_end - end;
	int error = make_room(block + bytes, old_bytes - bytes);

	if (error)
		return error;
	/* The rest lies between the guard behind the block and a guard of its own. */
	if (rest > 2 * guard && old_bytes - min(end, old_bytes) <= QUARANTINE_BLOCK_BYTES)
		wait_or_unmap(block + end + 2 * guard, rest - 2 * guard);
	else if (rest)
		os_unmap(block + end + guard, rest);
	return 0;
}

/* Takes a part of the room behind the block. */
static int grow_in_room(char *block, size_t old_bytes, size_t bytes)
{
	return bytes <= reserved_bytes(old_bytes) ? os_show(block + old_bytes, bytes - old_bytes) :
						    -ENOMEM;
}

int mapped_hardened_resize(void *old, size_t old_bytes, size_t bytes, bool may_move, void **block)
{
	int error = 0;

	*block = old;
	if (bytes < old_bytes)
		return shrink(old, old_bytes, bytes);
	if (bytes > old_bytes)
		error = grow_in_room(old, old_bytes, bytes);
	return error && may_move ? move(old, old_bytes, bytes, block) : error;
}

often_called size_t mapped_hardened_trim(void)
{
	size_t bytes, all = 0;
	void *block;

	for (; (block = mapped_reuse_withdraw(&bytes)); all += bytes)
		hide_and_wait(block, bytes);
	atomic_store_relaxed(&most_waiting_bytes, 0UL);
	bytes = waiting_bytes();
	if (bytes && bytes > most_waiting())
		unmap_waiting();
	return all;
}

/*
 * May the request fit once the waiting blocks are unmapped? They make room for their own bytes, so
 * the rest of the request has to fit without them. But if not even one byte can be mapped, the
 * number of mappings may be the limit, and unmapping helps.
 */
static bool may_make_room(size_t bytes)
{
	size_t most = waiting_bytes() + mapped_reuse_bytes();

	return most && (bytes <= most || os_can_map(bytes - most) || !os_can_map(1));
}

bool mapped_hardened_give_way(size_t bytes)
{
	if (!may_make_room(bytes))
		return false;
	mapped_hardened_trim();		/* they wait, too, and go with the others */
	return unmap_waiting();
}

static slow_path __attribute__((__noreturn__)) void
report_freed(const char *function, const void *pointer, const void *start, size_t bytes,
	     const void *caller)
{
	slab_report_fatal(caller, "%s(%p): invalid pointer: %lu bytes inside a mapping of %zu "
			  "bytes at %p, which is already free: double free", function, pointer,
			  (unsigned long)pointer - (unsigned long)start, bytes, start);
}

void mapped_hardened_report_freed(const char *function, const void *pointer, const void *caller)
{
	size_t bytes;
	const void *kept = mapped_reuse_find(pointer, &bytes);

	if (kept)
		report_freed(function, pointer, kept, bytes, caller);
	for (unsigned int i = 0; i < QUARANTINE_BLOCKS; i++) {
		unsigned long word = atomic_load_relaxed(&waiting[i]);
		unsigned long start = (unsigned long)mapping_word_start(word);

		if (word && (unsigned long)pointer - start < mapping_word_bytes(word))
			report_freed(function, pointer, mapping_word_start(word),
				     mapping_word_bytes(word), caller);
	}
}

often_called bool mapped_hardened_fits(size_t nr_blocks)
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

/* Is the fence whole? It may have nearly a page, so this reads 16 bytes at a time. */
static bool fence_is_whole(const unsigned char *start, const unsigned char *end)
{
	const unsigned long word = ~0UL / 0xff * fence_byte();
	const word_pair fence = { word, word }, *pair = (const void *)end;
	size_t nr_pairs = (size_t)(end - start) / sizeof(fence);
	word_pair damage = { 0 };

	for (size_t i = 0; i < nr_pairs; i++)
		damage |= *--pair ^ fence;
	for (; start < (const unsigned char *)pair; start++)
		damage[0] |= *start ^ fence_byte();
	return !slab_pair_bits(damage);
}

void mapped_hardened_check(const char *function, const void *block, size_t asked, size_t bytes,
			 const void *caller)
{
	const unsigned char *first = (const unsigned char *)block + asked;
	const unsigned char *end = (const unsigned char *)block + bytes;

	if (likely(fence_is_whole(first, end)))
		return;
	while (first < end - 1 && *first == fence_byte())
		first++;
	slab_report_fatal(caller, "%s(%p): heap overflow: byte %zu behind the %zu bytes of the "
			  "block was overwritten with 0x%02x (first one, at %p; a mapping)",
			  function, block, (size_t)(first - (const unsigned char *)block) - asked,
			  asked, (unsigned int)*first, (const void *)first);
}
