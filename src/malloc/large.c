/* SPDX-License-Identifier: MIT */
/*
 * The table of mappings: levels of hash tables, each four times as large as the
 * one before and made when a block finds no room in those before.
 *
 * A block may stand in each level in WINDOW consecutive entries from the one that
 * its address names. Who looks for a block looks at all of them, so taking an
 * entry out leaves no hole that a search could stop at. Nobody waits: an entry is
 * claimed by one compare-and-swap, filled or read, and published or given up by
 * one store.
 *
 *	start	ENTRY_FREE	nobody's
 *		ENTRY_CLAIMED	of the thread that claimed it: being filled, or on
 *				its way out
 *		an address	of the block's owner: whoever may free the block
 *
 * So of two threads that free the same block one claims the entry, and the other
 * finds nothing and reports it. A thread that is missing in a fork child leaves an
 * entry claimed there, which then is no block's any more.
 *
 * A thread may hold an entry for long: while its mapping moves, and while what others keep
 * free is taken back for it (budget_charge()), which takes locks. No cycle can come of that,
 * since nobody waits for an entry: who looks for another block passes it by, and the locks'
 * holders, who look for no entry at all, come through.
 */
#include "malloc/large.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/atomic.h"
#include "base/options.h"
#include "malloc/handler_pages.h"
#include "malloc/hardened.h"
#include "malloc/large_guarded.h"
#include "malloc/large_kept.h"
#include "mm/huge.h"
#include "os/os.h"
#include "page/budget.h"
#include "page/zone.h"
#include "percpu/fork.h"

#define FIRST_LEVEL_BITS 8
#define LEVEL_BITS_STEP 2
#define NR_LEVELS 9
#define WINDOW 16UL

/* See large_are_freed_in_turns(). */
#define TURN_MS 1000
#define TURN_BYTES (16 * MIB)

#define ENTRY_FREE 0UL
#define ENTRY_CLAIMED 1UL

struct large_block {
	unsigned long start;	/* Sync: see above */
	size_t bytes;		/* Sync: start's owner; hardened: those that were asked for */
};

/* Sync: each set once, lowest first, by compare-and-swap. Mappings of their own. */
static struct large_block *levels[NR_LEVELS];
/* Blocks that moved and found no entry that their new address names. Sync: atomic relaxed */
static unsigned long nr_displaced;

struct large_counts large_counts;

/*
 * When the turn began and what had been freed by then. Sync: atomic relaxed; a race makes
 * a turn shorter or longer, once.
 */
static uint64_t turn_began;
static size_t freed_before;

static unsigned int level_bits(unsigned int level)
{
	return FIRST_LEVEL_BITS + level * LEVEL_BITS_STEP;
}

static struct large_block *level_entries(unsigned int level)
{
	/* pairs with make_level(): the entries are zero */
	return atomic_load_acquire(&levels[level]);
}

/* Entry i of the window of an address. */
static struct large_block *window_entry(struct large_block *entries, unsigned int level,
					unsigned long start, unsigned long i)
{
	/* D. Knuth's multiplicative hashing, with 2^64 over the golden ratio. */
	unsigned long hash = start / PAGE_SIZE * 0x9e3779b97f4a7c15UL;
	unsigned int bits = level_bits(level);

	return &entries[((hash >> (64 - bits)) + i) & ((1UL << bits) - 1)];
}

static struct large_block *make_level(unsigned int level)
{
	size_t bytes = sizeof(struct large_block) << level_bits(level);
	struct large_block *winner = NULL;
	void *entries;

	if (os_map_lazily(ALIGN(bytes, os_page_bytes()), os_page_bytes(), &entries))
		return NULL;
	/* pairs with level_entries(), also in case another thread was faster */
	if (atomic_cas_release(&levels[level], &winner, (struct large_block *)entries))
		return entries;
	os_unmap(entries, ALIGN(bytes, os_page_bytes()));
	return level_entries(level);
}

static struct large_block *claim_free(struct large_block *entries, unsigned int level,
				      unsigned long start)
{
	for (unsigned long i = 0; i < WINDOW; i++) {
		struct large_block *entry = window_entry(entries, level, start, i);
		unsigned long free_entry = ENTRY_FREE;

		if (atomic_load_relaxed(&entry->start) == ENTRY_FREE &&
		    atomic_cas_acquire(&entry->start, &free_entry, ENTRY_CLAIMED))
			return entry;
	}
	return NULL;
}

/* The claimed entry becomes this block's. */
static void publish(struct large_block *entry, const void *block, size_t bytes)
{
	atomic_store_relaxed(&entry->bytes, bytes);
	/* pairs with find(): bytes */
	atomic_store_release(&entry->start, (unsigned long)block);
}

/* Whoever claims it next has nothing yet: see charged_bytes(). */
static void give_up(struct large_block *entry)
{
	atomic_store_relaxed(&entry->bytes, 0UL);
	atomic_store_release(&entry->start, ENTRY_FREE);
}

static bool insert(const void *block, size_t bytes)
{
	struct large_block *entries, *entry;

	for (unsigned int level = 0; level < NR_LEVELS; level++) {
		entries = level_entries(level);
		if (!entries)
			entries = make_level(level);
		if (!entries)
			return false;
		entry = claim_free(entries, level, (unsigned long)block);
		if (entry) {
			publish(entry, block, bytes);
			return true;
		}
	}
	return false;
}

/* The bytes of a mapping for so many; 0 if that is more than there are numbers for. */
static size_t mapping_bytes(size_t bytes)
{
	if (__builtin_add_overflow(max(bytes, 1UL), os_page_bytes() - 1, &bytes))
		return 0;
	return ALIGN_DOWN(bytes, os_page_bytes());
}

/*
 * An entry found by looking at all of them: of the block at this address, or of the
 * block that holds it.
 */
static struct large_block *look_everywhere(unsigned long address, bool inside)
{
	struct large_block *entries;

	for (unsigned int level = 0; level < NR_LEVELS && (entries = level_entries(level)); level++)
		for (unsigned long i = 0; i < 1UL << level_bits(level); i++) {
			/* pairs with publish() */
			unsigned long start = atomic_load_acquire(&entries[i].start);

			if (start <= ENTRY_CLAIMED)
				continue;
			if (start == address ||
			    (inside && address - start <
				       mapping_bytes(atomic_load_relaxed(&entries[i].bytes))))
				return &entries[i];
		}
	return NULL;
}

static struct large_block *find(const void *block)
{
	unsigned long start = (unsigned long)block;
	struct large_block *entries, *entry;

	if (start <= ENTRY_CLAIMED)
		return NULL;
	for (unsigned int level = 0; level < NR_LEVELS && (entries = level_entries(level)); level++)
		for (unsigned long i = 0; i < WINDOW; i++) {
			entry = window_entry(entries, level, start, i);
			/* pairs with publish() */
			if (atomic_load_acquire(&entry->start) == start)
				return entry;
		}
	return likely(!atomic_load_relaxed(&nr_displaced)) ? NULL : look_everywhere(start, false);
}

/* The block's entry, which now is the caller's; NULL if there is no such block. */
static struct large_block *claim(const void *block)
{
	struct large_block *entry = find(block);
	unsigned long start = (unsigned long)block;

	/* pairs with publish() */
	if (!entry || !atomic_cas_acquire(&entry->start, &start, ENTRY_CLAIMED))
		return NULL;
	return entry;
}

/* How much is done for a request: a wish is granted of what nobody has to give back. */
enum effort { SPARE, ALL };

/* Either may be less than nothing. */
static void count_change(size_t blocks, size_t bytes)
{
	atomic_raise_relaxed(&large_counts.most_blocks,
			     atomic_add_relaxed(&large_counts.blocks, blocks) + blocks);
	atomic_raise_relaxed(&large_counts.most_bytes,
			     atomic_add_relaxed(&large_counts.bytes, bytes) + bytes);
}

/* What the table has of a block. */
static size_t known_bytes(size_t asked, size_t bytes)
{
	return hardened_is_on() ? asked : bytes;
}

static int map_new(size_t bytes, size_t align, void **block)
{
	int error;

	if (hardened_is_on())
		return large_guarded_map(bytes, align, block);
	error = os_map(bytes, align, block);
	if (!error)
		mm_huge_mapped(*block, bytes);
	return error;
}

/*
 * A mapping for *block, or if old is one, that in its place. What the window has to spare
 * goes before a block that is needed does not fit into the address space.
 */
static int map_block(void *old, size_t old_bytes, size_t bytes, size_t align,
		     enum effort effort, void **block)
{
	size_t more = bytes - min(bytes, old_bytes);
	bool gave_back = false;
	int error;

	do {
		if (!old)
			error = map_new(bytes, align, block);
		else if (hardened_is_on())
			error = large_guarded_resize(old, old_bytes, bytes, block);
		else
			error = os_remap(old, old_bytes, bytes, block);
	} while (error == -ENOMEM &&
		 ((!gave_back && (gave_back = large_kept_give_back(SIZE_MAX))) ||
		  (effort == ALL &&
		   (large_guarded_give_way(more) || page_make_address_space(bytes)))));
	if (!error)
		large_kept_give_back(more);
	return error;
}

static void unmap_block(void *block, size_t bytes)
{
	if (hardened_is_on())
		large_guarded_release(block, bytes);
	else
		os_unmap_or_discard(block, bytes);
}

static void uncharge(size_t bytes)
{
	if (options.limit)
		budget_uncharge(bytes / PAGE_SIZE);
}

/* What is kept for handlers; the bytes. */
static size_t give_back_handler_pages(void)
{
	size_t bytes = 0;
	void *page;

	for (; (page = handler_page_withdraw()); bytes += os_page_bytes())
		unmap_block(page, os_page_bytes());
	uncharge(bytes);
	return bytes;
}

/* With limit= set large blocks count as well; without it the kernel decides. */
static bool charge(size_t bytes, enum effort effort)
{
	unsigned long pages = bytes / PAGE_SIZE;

	if (!options.limit)
		return true;
	if (effort == SPARE)
		return budget_charge_spare(pages);
	return budget_charge(pages) || (give_back_handler_pages() && budget_charge(pages));
}

size_t large_charged_bytes(void)
{
	if (!options.limit)
		return 0;
	return atomic_load_relaxed(&large_counts.bytes) + handler_pages_bytes();
}

bool large_may_be_mapped(void)
{
	return large_guarded_fits(atomic_load_relaxed(&large_counts.blocks));
}

bool large_are_freed_in_turns(void)
{
	size_t freed = atomic_load_relaxed(&large_counts.freed_bytes);
	uint64_t now = os_time_ms();

	if (now - atomic_load_relaxed(&turn_began) > TURN_MS) {
		atomic_store_relaxed(&turn_began, now);
		atomic_store_relaxed(&freed_before, freed);
	}
	return freed - atomic_load_relaxed(&freed_before) > TURN_BYTES;
}

/* See handler_pages.h. It stays charged; guarded blocks wait as such when they are freed. */
static bool is_handler_page(size_t bytes)
{
	return bytes == os_page_bytes() && !hardened_is_on();
}

/*
 * One that is kept, for handlers or, unless it has to be zero, as it is (then *bytes may be more);
 * or a new one. It is charged in any case.
 */
static void *charged_mapping(size_t *bytes, size_t align, enum effort effort, bool zero)
{
	void *block = NULL;

	if (is_handler_page(*bytes) && align <= *bytes)
		block = handler_page_take();
	else if (!zero)
		block = large_kept_take(bytes, align);	/* with limit= there is none */
	if (block || !charge(*bytes, effort))
		return block;
	if (!map_block(NULL, 0, *bytes, max(align, os_page_bytes()), effort, &block))
		return block;
	uncharge(*bytes);
	return NULL;
}

static void *alloc_charged(size_t asked, size_t align, enum effort effort, bool zero)
{
	size_t bytes = mapping_bytes(asked);
	void *block = bytes ? charged_mapping(&bytes, align, effort, zero) : NULL;

	if (!block)
		return NULL;
	if (hardened_is_on())
		large_guarded_fence(block, asked, bytes);
	if (!insert(block, known_bytes(asked, bytes))) {
		unmap_block(block, bytes);
		uncharge(bytes);
		return NULL;
	}
	count_change(1, bytes);
	atomic_add_relaxed(&large_counts.allocations, 1);
	return block;
}

static void *alloc(size_t asked, size_t align, enum effort effort, bool zero)
{
	void *block;

	percpu_fork_change_begin();
	block = alloc_charged(asked, align, effort, zero);
	percpu_fork_change_end();
	return block;
}

void *large_alloc(size_t asked, size_t align, bool zero)
{
	return alloc(asked, align, ALL, zero);
}

void *large_alloc_spare(size_t asked, size_t align)
{
	return alloc(asked, align, SPARE, false);
}

size_t large_bytes(const void *block)
{
	const struct large_block *entry = hardened_is_on() ? NULL : find(block);

	return entry ? atomic_load_relaxed(&entry->bytes) : 0;
}

bool large_asked(const void *block, size_t *asked)
{
	const struct large_block *entry = hardened_is_on() ? find(block) : NULL;

	if (entry)
		*asked = atomic_load_relaxed(&entry->bytes);
	return entry;
}

void large_report_inside(const char *function, const void *pointer, const void *caller)
{
	const struct large_block *entry = look_everywhere((unsigned long)pointer, true);
	struct large_block around;

	if (!entry) {
		large_guarded_report_freed(function, pointer, caller);
		return;
	}
	/* The block may go while it is looked at: then the text is of no use, no more. */
	around.start = atomic_load_relaxed(&entry->start);
	around.bytes = atomic_load_relaxed(&entry->bytes);
	slab_report_fatal(caller, "%s(%p): invalid pointer: %lu bytes inside a mapping of %zu "
			  "bytes at %p; free the address that was returned", function, pointer,
			  (unsigned long)pointer - around.start, mapping_bytes(around.bytes),
			  (void *)around.start);
}

static void free_claimed(struct large_block *entry, void *block, const void *caller)
{
	size_t bytes = mapping_bytes(entry->bytes);

	if (hardened_is_on())
		large_guarded_check("free", block, entry->bytes, bytes, caller);
	/* Before the address can be another block's. */
	give_up(entry);
	count_change(-1UL, -bytes);
	if (is_handler_page(bytes) && handler_page_keep(block))
		return;
	if (large_kept_put(block, bytes))	/* not with limit=, so nothing is charged */
		return;
	atomic_add_relaxed(&large_counts.freed_bytes, bytes);
	unmap_block(block, bytes);
	uncharge(bytes);
}

size_t large_trim(void)
{
	size_t bytes;

	percpu_fork_change_begin();
	bytes = give_back_handler_pages() + large_kept_give_back(SIZE_MAX);
	percpu_fork_change_end();
	return bytes;
}

bool large_free(void *block, const void *caller)
{
	struct large_block *entry;

	percpu_fork_change_begin();
	entry = claim(block);
	if (entry)
		free_claimed(entry, block, caller);
	percpu_fork_change_end();
	return entry;
}

/* To an entry that the new address names; if there is no room it stays where it is. */
static void move_entry(struct large_block *entry, const void *block, size_t bytes)
{
	if (insert(block, bytes)) {
		give_up(entry);
		return;
	}
	atomic_add_relaxed(&nr_displaced, 1);
	publish(entry, block, bytes);
}

/* What was the old end's fence is as good as new, and there is a fence behind the new end. */
static void move_fence(void *block, size_t old_asked, size_t old_bytes, size_t asked, size_t bytes)
{
	size_t kept = min(asked, old_bytes);

	if (kept > old_asked)
		memset((char *)block + old_asked, 0, kept - old_asked);
	large_guarded_fence(block, asked, bytes);
}

/* By what lies behind it, if that is kept. */
static bool extend_claimed(struct large_block *entry, char *block, size_t old_bytes, size_t bytes)
{
	size_t more = large_kept_take_at(block + old_bytes, bytes - old_bytes);

	if (!more)
		return false;
	publish(entry, block, old_bytes + more);
	count_change(0, more);
	return true;
}

/*
 * The entry is claimed while the mapping moves, so the old address, which somebody
 * may get at once, is nobody's in the table.
 */
static void *resize_claimed(struct large_block *entry, void *block, size_t asked, size_t bytes,
			    enum effort effort, const void *caller)
{
	size_t old_asked = entry->bytes, old_bytes = mapping_bytes(old_asked);
	void *moved;

	if (hardened_is_on())
		large_guarded_check("realloc", block, old_asked, old_bytes, caller);
	if (bytes > old_bytes && extend_claimed(entry, block, old_bytes, bytes))
		return block;
	if (bytes > old_bytes && !charge(bytes - old_bytes, effort))
		goto keep;
	if (map_block(block, old_bytes, bytes, os_page_bytes(), effort, &moved))
		goto uncharge;
	if (hardened_is_on())
		move_fence(moved, old_asked, old_bytes, asked, bytes);
	if (moved == block)
		publish(entry, block, known_bytes(asked, bytes));
	else
		move_entry(entry, moved, known_bytes(asked, bytes));
	count_change(0, bytes - old_bytes);
	if (bytes < old_bytes)
		uncharge(old_bytes - bytes);
	return moved;
uncharge:
	if (bytes > old_bytes)
		uncharge(bytes - old_bytes);
keep:
	publish(entry, block, old_asked);
	return NULL;
}

static void *resize(void *block, size_t asked, enum effort effort, const void *caller)
{
	size_t bytes = asked <= PTRDIFF_MAX ? mapping_bytes(asked) : 0;
	struct large_block *entry;
	void *resized = NULL;

	percpu_fork_change_begin();
	entry = bytes ? claim(block) : NULL;
	if (entry)
		resized = resize_claimed(entry, block, asked, bytes, effort, caller);
	percpu_fork_change_end();
	return resized;
}

void *large_resize(void *block, size_t asked, const void *caller)
{
	return resize(block, asked, ALL, caller);
}

void *large_resize_spare(void *block, size_t asked, const void *caller)
{
	return resize(block, asked, SPARE, caller);
}

/* --- Fork children ------------------------------------------------------------------ */

/* What a thread that is not there has claimed is no block's, but memory as before. */
static size_t charged_bytes(const struct large_block *entry)
{
	size_t bytes = atomic_load_relaxed(&entry->bytes);

	switch (atomic_load_relaxed(&entry->start)) {
	case ENTRY_FREE:
		return 0;
	case ENTRY_CLAIMED:
		return bytes ? mapping_bytes(bytes) : 0;
	default:
		return mapping_bytes(bytes);
	}
}

static void mend_budget(void)
{
	size_t bytes = handler_pages_bytes();
	struct large_block *entries;

	for (unsigned int level = 0; level < NR_LEVELS && (entries = level_entries(level)); level++)
		for (unsigned long i = 0; i < 1UL << level_bits(level); i++)
			bytes += charged_bytes(&entries[i]);
	budget_fork_child(bytes / PAGE_SIZE);
}

static void mend_child(void)
{
	large_kept_fork_child();
	if (options.limit)
		mend_budget();
}

void large_init(void)
{
	percpu_set_fork_child(mend_child);
	large_kept_init();
}
