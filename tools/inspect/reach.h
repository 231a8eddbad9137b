/* SPDX-License-Identifier: MIT */
/*
 * Which blocks does the program still reach?
 *
 * 1. Purpose. From the roots (registers, stacks, data, other mappings) along every word of a block
 *    to all blocks that are in use. A word that points inside a block counts, and so does the
 *    address of a page block's struct page.
 *
 * 2. Memory. Two bits for each 16 bytes of the window: "reached", and "pending" for a reached block
 *    whose words were not looked at yet. That is 1.6 % of the heap. Nothing else grows with it, but
 *    four bytes for each page (pages.h).
 *
 * 3. Order. A section (4 MiB) with pending blocks is read once, in large parts, and worked off
 *    until none is pending in it (section.c). If few blocks are pending in all, they are followed
 *    one by one (reach_few.c): so a long list across the heap does not read whole sections again
 *    and again.
 *
 *    While one section is worked off, another thread reads the next one (read_ahead.c).
 *
 * 4. A block counts as reached even if it is free: only when its words are looked at does its mark
 *    tell, and the words of a free object are ignored. When a page is read anyway, its free objects
 *    become reached: then reach_unreached() need not read it again.
 *
 * 5. Speed. Words lead anywhere, so the bits of the next block are never in the processor's caches.
 *    The addresses wait in a short queue until their bits have come.
 */
#ifndef INSPECT_REACH_H
#define INSPECT_REACH_H

#include "blocks.h"

#define GRANULE_SHIFT 4
#define REACH_QUEUE 32u		/* a power of two */
/* The views of reach_few.c are a cache with so many ways: each set has this many views. */
#define REACH_WAYS 4u

/* The bits of 64 granules side by side, so that one cache line has both. */
struct reach_bits {
	uint64_t reached, pending;
};

struct reach {
	struct heap *heap;
	/*
	 * Ranges of the heap. Every word is first compared with the range from `low` on, which
	 * contains the three others and what lies between them.
	 */
	uint64_t low, span, base, online, structs, struct_bytes, outside_low, outside_span;
	unsigned int page_shift, section_shift, mark_shift;
	struct pages pages;
	struct outside_blocks outside;
	struct reach_bits *bits;	/* of all granules of the window */
	uint64_t nr_bits;
	uint32_t *pending_of;		/* how many are pending in each section */
	uint64_t nr_sections, nr_pending, nr_outside_pending;

	/* Addresses in the window that are not looked at yet, as offsets. */
	uint64_t queue[REACH_QUEUE];
	unsigned int queue_first, queue_nr;

	struct ahead *ahead;		/* NULL: nothing is read ahead */

	/* The section that is in memory; UINT64_MAX: none */
	uint64_t section;
	char *bytes;
	uint8_t *byte_marks;
	uint8_t *loaded;		/* a byte for each page of the section */
	uint32_t *stack;		/* pending granules of the section, the last first */
	uint32_t nr_stack;
	uint64_t load_first, load_end;	/* pages of the section that were read last */
	unsigned int nr_loads;		/* how often in a row pages side by side were read */
	struct slab slab;		/* the last one whose object was looked at */
	struct free_map map;		/* of the slab at map_slab */
	uint64_t map_slab;

	/* The few pending granules outside of a section: see reach_few.c. */
	uint64_t *few;
	uint32_t nr_few;
	bool few_are_all;
	struct view *views;		/* kept in the section's place: reach_few.c */
	uint32_t views_round;
	bool has_debugged;		/* some cache has debugging flags */
	char *chunk;			/* for roots and blocks outside of the window */
};

#define REACH_CHUNK_BYTES (1UL << 20)

enum inspect_status reach_begin(struct heap *heap, struct reach *reach);
void reach_end(struct reach *reach);

/* Takes every word as a root. */
void reach_words(struct reach *reach, const uint64_t *words, size_t nr);
/* Takes the words of a range of the target as roots. */
enum inspect_status reach_range(struct reach *reach, uint64_t start, uint64_t end);
/* From the roots on to all that they reach. */
enum inspect_status reach_all(struct reach *reach);

/* roots.c: pauses the target, and takes all roots. */
enum inspect_status reach_roots(struct reach *reach);

/*
 * Calls fn for each block in use that was not reached. only: a bit for each granule of the window;
 * other blocks of the window are left out, and not even read. NULL: all.
 */
typedef void unreached_fn(struct reach *reach, const struct block *block,
			  const struct bytes *bytes, void *arg);
enum inspect_status reach_unreached(struct reach *reach, const uint64_t *only, unreached_fn *fn,
				    void *arg);

/*
 * Memory for large tables. It is zero, what is not written to takes no memory, and all goes back
 * at once.
 */
void *reach_table(uint64_t bytes);
void reach_table_free(void *table, uint64_t bytes);

/* --- For the files that reach.h names ---------------------------------------------- */

#define NO_SECTION UINT64_MAX

static inline uint64_t section_of(const struct reach *reach, uint64_t granule)
{
	return granule >> (reach->section_shift - GRANULE_SHIFT);
}

static inline bool is_pending(const struct reach *reach, uint64_t granule)
{
	return reach->bits[granule / 64].pending >> granule % 64 & 1;
}

static inline void clear_pending(struct reach *reach, uint64_t granule)
{
	reach->bits[granule / 64].pending &= ~(1UL << granule % 64);
	reach->pending_of[section_of(reach, granule)]--;
	reach->nr_pending--;
}

/* Looks at all addresses that wait in the queue. */
void reach_queue_end(struct reach *reach);
/* Takes the words of a block: those from `start` on, of which `bytes` has some. */
void reach_bytes(struct reach *reach, const struct bytes *bytes, uint64_t start, uint64_t nr);

/* section.c. The section becomes the one in memory; nothing of it is read yet. */
enum inspect_status enter_section(struct reach *reach, uint64_t section);
/* Makes sure that these bytes of the section are in memory. */
enum inspect_status load_section(struct reach *reach, uint64_t offset, uint64_t bytes);
struct bytes section_bytes(const struct reach *reach);
/* The state of an object, or a mixed block, whose bytes are in memory. */
enum object_state section_object_state(struct reach *reach, const struct slab *slab,
				       unsigned int index);
enum object_state section_mixed_state(const struct reach *reach, const struct block *block);
/* The first pending granule of the section from number `from` on; UINT32_MAX if there is none. */
uint32_t next_pending(const struct reach *reach, uint64_t section, uint32_t from);
enum inspect_status work_off_section(struct reach *reach, uint64_t section);

/*
 * read_ahead.c. ahead_want_next() begins to read the next section after this one that has pending
 * blocks. ahead_take() makes the section that was read the section in memory; false if nothing, or
 * another section, was read. Without ahead_begin() both do nothing.
 */
struct ahead;
void ahead_begin(struct reach *reach);
void ahead_end(struct reach *reach);
void ahead_want_next(struct reach *reach, uint64_t section);
bool ahead_take(struct reach *reach, uint64_t section);

/* reach_few.c */
#define FEW_MAX 256u
#define FEW_ROOM 4096u
struct view *views_make(const struct reach *reach);
/* Lists all pending blocks, if they are few. */
void collect_few(struct reach *reach);
/* Follows the few blocks. None of them may belong to a cache with debugging flags. */
enum inspect_status work_off_few(struct reach *reach);

#endif
