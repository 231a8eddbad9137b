/* SPDX-License-Identifier: MIT */
/* Mapping blocks: the table of them, their charge to the budget, and how they change size. */
#include "malloc/mapped/mapped.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/atomic.h"
#include "base/options.h"
#include "base/upward_hooks.h"
#include "malloc/hardened/hardened.h"
#include "malloc/mapped/handler_pages.h"
#include "malloc/mapped/mapped_cache.h"
#include "malloc/mapped/mapped_hardened.h"
#include "malloc/mapped/mapped_reuse.h"
#include "mm/huge.h"
#include "os/os.h"
#include "page/budget.h"
#include "page/mappings.h"
#include "page/reclaim/limits.h"
#include "page/zone.h"
#include "percpu/fork.h"
#include "slab/debug/report.h"
#include "slab/kmalloc/kvmalloc.h"

/* The period and the limit of mapped_churn_is_high(). */
#define CHURN_MS 1000
#define CHURN_BYTES (16 * MIB)
/*
 * Up to this size a kept mapping serves calloc(). Clearing it takes a seventh of the time of as
 * many page faults, but a program may use few pages of a larger block.
 */
#define CLEARED_BYTES_MAX (32 * MIB)

/*
 * An entry's bytes are those of the mapping, with its witness; with hardened=1, those that were
 * asked for.
 */
struct mappings mapped_blocks;

struct mapped_counts mapped_counts;

/*
 * When the period of mapped_churn_is_high() began, and mapped_counts.freed_bytes then. Sync: atomic
 * relaxed; a race makes one period shorter or longer.
 */
static uint64_t churn_began;
static size_t churn_freed_before;

/*
 * How far a request may go. ALL: it may make other layers give up memory. SPARE: it may not.
 * IN_PLACE: it may not, and the block stays at its address.
 */
enum effort { IN_PLACE, SPARE, ALL };

/* Adds to the counts. Either number may be negative, as an unsigned number that wraps round. */
static void count_change(size_t blocks, size_t bytes)
{
	atomic_raise_relaxed(&mapped_counts.most_blocks,
			     atomic_add_relaxed(&mapped_counts.blocks, blocks) + blocks);
	atomic_raise_relaxed(&mapped_counts.most_bytes,
			     atomic_add_relaxed(&mapped_counts.bytes, bytes) + bytes);
}

/* The size that the table of mappings gets: with hardened=1 what was asked for. */
static size_t known_bytes(size_t asked, size_t bytes)
{
	return hardened_is_on() ? asked : bytes;
}

/*
 * Is a mapping of this size one that handler_pages.h keeps? A kept page stays charged. With
 * hardened=1 freed mappings go to a quarantine instead.
 */
static bool is_handler_page(size_t bytes)
{
	return bytes == os_page_bytes() && !hardened_is_on();
}

/*
 * The bytes of a mapping's witness: its last page, which no block has. Programs change the pages of
 * their blocks (mprotect(2), madvise(2), mbind(2), userfaultfd(2) and so on). After that they are
 * no longer one mapping with the witness, which tells whether the next block may have them
 * (os_make_plain()). Mappings that are too short for the cache have none.
 */
static size_t witness_bytes(size_t bytes)
{
	return hardened_is_on() || bytes < MAPPED_CACHE_BYTES_MIN ? 0 : os_page_bytes();
}

/* The bytes of a mapping for a block; 0 if they are too many. */
static size_t bytes_for(size_t asked)
{
	size_t bytes = mapping_bytes(asked), page_bytes = os_page_bytes();

	if (hardened_is_on() || bytes + page_bytes < MAPPED_CACHE_BYTES_MIN)
		return bytes;
	return bytes ? bytes + page_bytes : 0;
}

/* The bytes of a mapping that are the program's. */
static size_t block_part(size_t bytes)
{
	return bytes - witness_bytes(bytes);
}

/*
 * The kernel aligns a mapping to a huge page only if its size is a multiple of one, and the witness
 * adds a page. So this maps the rest of a huge page as well, and cuts it off again. Without room
 * for that the mapping is not aligned.
 */
static int map_plain(size_t bytes, size_t align, void **block)
{
	size_t part = block_part(bytes), more = MM_HUGE_BYTES - (bytes - part);

	if (part % MM_HUGE_BYTES || os_map(bytes + more, align, block))
		return os_map(bytes, align, block);
	os_unmap((char *)*block + bytes, more);
	return 0;
}

static int map_new(size_t bytes, size_t align, void **block)
{
	int error;

	if (hardened_is_on())
		return mapped_hardened_map(bytes, align, block);
	error = map_plain(bytes, align, block);
	if (!error)
		mm_huge_mapped(*block, bytes);
	return error;
}

/*
 * New bytes are like those before them. So a block whose pages the program has changed does not
 * resize: the new witness would be changed, too. Nor does a block without a witness become one with
 * a witness. The caller copies such blocks.
 */
static bool keeps_its_witness(void *block, size_t old_bytes, size_t bytes)
{
	if (!witness_bytes(bytes))
		return true;
	return witness_bytes(old_bytes) &&
	       (bytes > old_bytes || os_is_one_mapping(block, old_bytes));
}

static int grow_in_place(void *block, size_t old_bytes, size_t bytes)
{
	if (hardened_is_on())
		return mapped_hardened_resize(block, old_bytes, bytes, false, &block);
	return keeps_its_witness(block, old_bytes, bytes) ?
		       os_remap_in_place(block, old_bytes, bytes) : -EFAULT;
}

static int resize_plain(void *old, size_t old_bytes, size_t bytes, void **block)
{
	return keeps_its_witness(old, old_bytes, bytes) ? os_remap(old, old_bytes, bytes, block) :
							  -EFAULT;
}

/*
 * Maps a new *block, or resizes the mapping old if it is not NULL. When the system refuses, kept
 * mappings go back to it; with ALL also quarantined mappings, and free sections of the window.
 */
static int map_block(void *old, size_t old_bytes, size_t bytes, size_t align,
		     enum effort effort, void **block)
{
	size_t more = bytes - min(bytes, old_bytes);
	bool gave_back = false;
	int error;

	if (effort == IN_PLACE && more) {
		*block = old;
		return grow_in_place(old, old_bytes, bytes);
	}
	do {
		if (!old)
			error = map_new(bytes, align, block);
		else if (hardened_is_on())
			error = mapped_hardened_resize(old, old_bytes, bytes, true, block);
		else
			error = resize_plain(old, old_bytes, bytes, block);
	} while (error == -ENOMEM &&
		 ((!gave_back && (gave_back = mapped_cache_give_back(SIZE_MAX))) ||
		  (effort == ALL &&
		   (mapped_hardened_give_way(more) || page_make_address_space(bytes)))));
	if (!error)
		mapped_cache_make_way(more);
	return error;
}

static void unmap_block(void *block, size_t bytes)
{
	if (hardened_is_on())
		mapped_hardened_release(block, bytes);
	else
		os_unmap_or_discard(block, bytes);
}

static void uncharge(size_t bytes)
{
	if (options.limit)
		budget_uncharge(bytes / PAGE_SIZE);
}

/* Unmaps the pages that are kept for handlers. Returns the bytes. */
static size_t give_back_handler_pages(void)
{
	size_t bytes = 0;
	void *page;

	for (; (page = handler_page_withdraw()); bytes += os_page_bytes())
		unmap_block(page, os_page_bytes());
	uncharge(bytes);
	return bytes;
}

/* With limit=, mappings count against the budget. Without it, only the kernel limits them. */
static bool charge(size_t bytes, enum effort effort)
{
	unsigned long pages = bytes / PAGE_SIZE;

	if (!options.limit)
		return true;
	if (effort != ALL)
		return budget_charge_spare(pages);
	return budget_charge(pages) || (give_back_handler_pages() && budget_charge(pages));
}

bool mapped_may_be_mapped(void)
{
	return mapped_hardened_fits(atomic_load_relaxed(&mapped_counts.blocks));
}

bool mapped_churn_is_high(void)
{
	size_t freed = atomic_load_relaxed(&mapped_counts.freed_bytes);
	uint64_t now = os_time_ms();

	if (now - atomic_load_relaxed(&churn_began) > CHURN_MS) {
		atomic_store_relaxed(&churn_began, now);
		atomic_store_relaxed(&churn_freed_before, freed);
	}
	return freed - atomic_load_relaxed(&churn_freed_before) > CHURN_BYTES;
}

/*
 * A mapping of the cache, or NULL: always with limit=, so nothing is charged. It may be larger than
 * *bytes, which then says so.
 */
static void *kept_mapping(size_t *bytes, size_t align, bool *zeroed)
{
	bool want_zeros = zeroed;
	size_t more;
	void *block;

	if (want_zeros && *bytes > CLEARED_BYTES_MAX)
		return NULL;
	block = mapped_cache_take(bytes, align);
	if (block && want_zeros)
		*zeroed = false;
	if (block || want_zeros || align > os_page_bytes())
		return block;
	block = mapped_cache_grow(*bytes, &more);
	if (block)
		mapped_cache_make_way(more);
	return block;
}

/* A kept or a new mapping, charged in either case. */
static void *charged_mapping(size_t *bytes, size_t align, enum effort effort, bool *zeroed)
{
	void *block;

	if (zeroed)
		*zeroed = true;
	if (is_handler_page(*bytes) && align <= *bytes)
		block = handler_page_take();
	else
		block = kept_mapping(bytes, align, zeroed);
	if (block || !charge(*bytes, effort))
		return block;
	if (!map_block(NULL, 0, *bytes, max(align, os_page_bytes()), effort, &block))
		return block;
	uncharge(*bytes);
	return NULL;
}

static void *alloc_charged(size_t asked, size_t align, enum effort effort, bool *zeroed)
{
	size_t bytes = bytes_for(asked);
	void *block = bytes ? charged_mapping(&bytes, align, effort, zeroed) : NULL;

	if (!block)
		return NULL;
	if (hardened_is_on())
		mapped_hardened_fence(block, asked, bytes);
	if (!mappings_insert(&mapped_blocks, block, known_bytes(asked, bytes))) {
		unmap_block(block, bytes);
		uncharge(bytes);
		return NULL;
	}
	count_change(1, bytes);
	atomic_add_relaxed(&mapped_counts.allocations, 1);
	return block;
}

static void *alloc(size_t asked, size_t align, enum effort effort, bool *zeroed)
{
	void *block;

	/*
	 * Nothing is added to the process's memory while the kept mappings have as many bytes: one
	 * of them serves the request, or make_way() unmaps as much.
	 */
	if (effort == ALL && asked > mapped_cache_bytes())
		limits_before_mapping(asked);
	percpu_fork_change_begin();
	block = alloc_charged(asked, align, effort, zeroed);
	percpu_fork_change_end();
	return block;
}

void *mapped_alloc(size_t asked, size_t align, bool *zeroed)
{
	return alloc(asked, align, ALL, zeroed);
}

void *mapped_alloc_spare(size_t asked, size_t align)
{
	return alloc(asked, align, SPARE, NULL);
}

size_t mapped_bytes(const void *block)
{
	const struct mapping *entry = hardened_is_on() ? NULL :
							 mappings_find(&mapped_blocks, block);

	return entry ? block_part(atomic_load_relaxed(&entry->bytes)) : 0;
}

bool mapped_asked(const void *block, size_t *asked)
{
	const struct mapping *entry = hardened_is_on() ? mappings_find(&mapped_blocks, block) :
							 NULL;

	if (entry)
		*asked = atomic_load_relaxed(&entry->bytes);
	return entry;
}

void mapped_report_inside(const char *function, const void *pointer, const void *caller)
{
	const struct mapping *entry = mappings_find_around(&mapped_blocks, pointer);
	struct mapping around;

	if (!entry) {
		mapped_hardened_report_freed(function, pointer, caller);
		return;
	}
	/* If another thread frees the block meanwhile, the text is wrong, which does no harm. */
	around.start = atomic_load_relaxed(&entry->start);
	around.bytes = atomic_load_relaxed(&entry->bytes);
	slab_report_fatal(caller, "%s(%p): invalid pointer: %lu bytes inside a mapping of %zu "
			  "bytes at %p; free the address that was returned", function, pointer,
			  (unsigned long)pointer - around.start,
			  block_part(mapping_bytes(around.bytes)),
			  (void *)around.start);
}

static void free_claimed(struct mapping *entry, void *block, const void *caller)
{
	size_t bytes = mapping_bytes(entry->bytes);

	if (hardened_is_on())
		mapped_hardened_check("free", block, entry->bytes, bytes, caller);
	/* Before another block can have the address. */
	mapping_give_up(entry);
	count_change(-1UL, -bytes);
	if (is_handler_page(bytes) && handler_page_keep(block))
		return;
	if (mapped_cache_put(block, bytes))	/* false with limit=, so nothing is charged */
		return;
	atomic_add_relaxed(&mapped_counts.freed_bytes, bytes);
	unmap_block(block, bytes);
	uncharge(bytes);
}

size_t mapped_trim(void)
{
	size_t bytes;

	percpu_fork_change_begin();
	bytes = give_back_handler_pages() + mapped_cache_give_back(SIZE_MAX) +
		mapped_hardened_trim();
	percpu_fork_change_end();
	return bytes;
}

void mapped_limits_changed(void)
{
	mapped_cache_forbid();
	percpu_fork_change_begin();
	mapped_hardened_trim();
	percpu_fork_change_end();
}

bool mapped_free(void *block, const void *caller)
{
	struct mapping *entry;

	percpu_fork_change_begin();
	entry = mappings_claim(&mapped_blocks, block);
	if (entry)
		free_claimed(entry, block, caller);
	percpu_fork_change_end();
	return entry;
}

/* A program may have made its pages inaccessible. */
static void check_at_exit(void *block, size_t asked)
{
	size_t page_bytes = os_page_bytes(), bytes = mapping_bytes(asked);

	if (os_is_readable((char *)block + bytes - page_bytes, page_bytes))
		mapped_hardened_check("exit", block, asked, bytes, NULL);
}

void mapped_check_all(void)
{
	mappings_each(&mapped_blocks, check_at_exit);
}

/* Clears the old fence where the program's bytes are now, and writes one behind the new end. */
static void move_fence(void *block, size_t old_asked, size_t old_bytes, size_t asked, size_t bytes)
{
	size_t kept = min(asked, old_bytes);

	if (kept > old_asked)
		memset((char *)block + old_asked, 0, kept - old_asked);
	mapped_hardened_fence(block, asked, bytes);
}

/* Extends the block in place if the mapping cache has the addresses behind it. */
static bool extend_claimed(struct mapping *entry, char *block, size_t old_bytes, size_t bytes)
{
	size_t more = mapped_cache_take_at(block + old_bytes, bytes - old_bytes);

	if (!more)
		return false;
	mapping_publish(entry, block, old_bytes + more);
	count_change(0, more);
	return true;
}

/*
 * The entry is claimed while the mapping moves. So the table has no block at the old address, which
 * another mapping may get at once.
 */
static void *resize_claimed(struct mapping *entry, void *block, size_t asked, size_t bytes,
			    enum effort effort, const void *caller)
{
	size_t old_asked = entry->bytes, old_bytes = mapping_bytes(old_asked);
	void *moved;

	if (hardened_is_on())
		mapped_hardened_check("realloc", block, old_asked, old_bytes, caller);
	if (bytes > old_bytes && extend_claimed(entry, block, old_bytes, bytes))
		return block;
	if (bytes > old_bytes && !charge(bytes - old_bytes, effort))
		goto keep;
	if (map_block(block, old_bytes, bytes, os_page_bytes(), effort, &moved))
		goto uncharge;
	if (hardened_is_on())
		move_fence(moved, old_asked, old_bytes, asked, bytes);
	if (moved == block)
		mapping_publish(entry, block, known_bytes(asked, bytes));
	else
		mappings_move(&mapped_blocks, entry, moved, known_bytes(asked, bytes));
	count_change(0, bytes - old_bytes);
	if (bytes < old_bytes)
		uncharge(old_bytes - bytes);
	return moved;
uncharge:
	if (bytes > old_bytes)
		uncharge(bytes - old_bytes);
keep:
	mapping_publish(entry, block, old_asked);
	return NULL;
}

static void *resize(void *block, size_t asked, enum effort effort, const void *caller)
{
	size_t bytes = bytes_for(asked);
	struct mapping *entry;
	void *resized = NULL;

	if (effort == ALL && asked > mapped_bytes(block))
		limits_before_mapping(asked - mapped_bytes(block));
	percpu_fork_change_begin();
	entry = bytes ? mappings_claim(&mapped_blocks, block) : NULL;
	if (entry)
		resized = resize_claimed(entry, block, asked, bytes, effort, caller);
	percpu_fork_change_end();
	return resized;
}

void *mapped_resize(void *block, size_t asked, const void *caller)
{
	return resize(block, asked, ALL, caller);
}

void *mapped_resize_spare(void *block, size_t asked, const void *caller)
{
	return resize(block, asked, SPARE, caller);
}

bool mapped_resize_in_place(void *block, size_t asked, const void *caller)
{
	return resize(block, asked, IN_PLACE, caller);
}

/* --- Fork children ------------------------------------------------------------------ */

/*
 * Charges the budget for exactly what is mapped in the child. Other threads of the parent may have
 * been between a charge and its mapping.
 */
static void mend_budget(void)
{
	size_t bytes = handler_pages_bytes() + mappings_fork_child_bytes(&mapped_blocks) +
		       kv_fork_child_bytes();

	budget_fork_child(bytes / PAGE_SIZE);
}

static void mend_child(void)
{
	mapped_cache_fork_child();
	mapped_reuse_fork_child();
	if (options.limit)
		mend_budget();
	else
		budget_fork_child_limit();
}

/* With hardened=1 the mapping cache is empty, and these are few: all of them go. */
static void give_back_some(size_t bytes)
{
	percpu_fork_change_begin();
	if (mapped_cache_give_back(bytes) < bytes)
		mapped_hardened_trim();
	percpu_fork_change_end();
}

static size_t give_back_idle(void)
{
	size_t kept;

	percpu_fork_change_begin();
	if (mapped_reuse_is_idle())
		mapped_hardened_trim();
	kept = mapped_cache_decay() + mapped_reuse_bytes();
	percpu_fork_change_end();
	return kept;
}

void mapped_init(void)
{
	percpu_set_fork_child(mend_child);
	release_set_mappings(give_back_some, give_back_idle);
}
