// SPDX-License-Identifier: MIT
/*
 * Reads the next section while one is worked off. A thread of its own waits for the system to copy
 * memory, and the other one looks at the words that are there already.
 *
 * The thread knows nothing of the heap: it gets a list of pieces, and reads them into memory of its
 * own. That memory changes places with the section's when the section is entered. What cannot be
 * read, or was not asked for, load_section() reads later.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "reach.h"

/* The fewest sections for which reading ahead makes sense: with one there is no next one. */
#define SECTIONS_MIN 2

struct ahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Sync: lock. */
	enum { AHEAD_IDLE, AHEAD_READS, AHEAD_DONE, AHEAD_ENDS } state;
	/* Sync: the thread's while it reads, else the other one's. */
	struct target *target;
	uint64_t section;
	char *bytes;
	uint8_t *byte_marks, *loaded;
	struct piece *pieces;		/* the marks first, then runs of pages */
	size_t nr_pieces;
};

static void *read_sections(void *argument)
{
	struct ahead *ahead = argument;

	pthread_mutex_lock(&ahead->lock);
	while (ahead->state != AHEAD_ENDS) {
		if (ahead->state != AHEAD_READS) {
			pthread_cond_wait(&ahead->changed, &ahead->lock);
			continue;
		}
		pthread_mutex_unlock(&ahead->lock);
		ahead->target->ops->read_beside(ahead->target, ahead->pieces, ahead->nr_pieces);
		pthread_mutex_lock(&ahead->lock);
		ahead->state = AHEAD_DONE;
		pthread_cond_signal(&ahead->changed);
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/* The state once nothing is being read. */
static unsigned int wait_for(struct ahead *ahead)
{
	unsigned int state;

	pthread_mutex_lock(&ahead->lock);
	while (ahead->state == AHEAD_READS)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	state = ahead->state;
	pthread_mutex_unlock(&ahead->lock);
	return state;
}

static void set_state(struct ahead *ahead, unsigned int state)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->state = state;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
}

/* --- Begin and end ----------------------------------------------------------------- */

static void free_ahead(const struct reach *reach, struct ahead *ahead)
{
	reach_table_free(ahead->bytes, 1UL << reach->section_shift);
	free(ahead->byte_marks);
	free(ahead->loaded);
	free(ahead->pieces);
	free(ahead);
}

/* This thread blocks all signals: the other one waits for some. */
static bool start(struct ahead *ahead)
{
	sigset_t all, before;
	bool good;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	good = !pthread_create(&ahead->thread, NULL, read_sections, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return good;
}

void ahead_begin(struct reach *reach)
{
	uint64_t pages = 1UL << (reach->section_shift - reach->page_shift);
	struct ahead *ahead;

	if (reach->ahead || reach->nr_sections < SECTIONS_MIN)
		return;
	ahead = calloc(1, sizeof(*ahead));
	if (!ahead)
		return;
	*ahead = (struct ahead){
		.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
		.target = reach->heap->target, .bytes = reach_table(1UL << reach->section_shift),
		.byte_marks = malloc(1UL << (reach->section_shift - reach->mark_shift)),
		.loaded = malloc(pages), .pieces = calloc(pages / 2 + 2, sizeof(struct piece)),
	};
	if (ahead->bytes && ahead->byte_marks && ahead->loaded && ahead->pieces && start(ahead))
		reach->ahead = ahead;
	else
		free_ahead(reach, ahead);	/* everything works without it */
}

void ahead_end(struct reach *reach)
{
	struct ahead *ahead = reach->ahead;

	if (!ahead)
		return;
	wait_for(ahead);
	set_state(ahead, AHEAD_ENDS);
	pthread_join(ahead->thread, NULL);
	free_ahead(reach, ahead);
	reach->ahead = NULL;
}

/* --- Sections ---------------------------------------------------------------------- */

/* Will this page be wanted? Those of slabs have memory, since each of their objects is marked. */
static bool is_wanted(const struct reach *reach, uint64_t pfn)
{
	unsigned int words = 1u << (reach->page_shift - GRANULE_SHIFT - 6);
	uint64_t pending = 0;

	if (pfn >= reach->pages.nr || reach->pages.info[pfn].kind != PAGE_SLAB)
		return false;
	for (unsigned int i = 0; i < words; i++)
		pending |= reach->bits[pfn * words + i].pending;
	return pending;
}

static void list_pieces(const struct reach *reach, struct ahead *ahead)
{
	const struct heap *heap = reach->heap;
	uint64_t pages = 1UL << (reach->section_shift - reach->page_shift);
	uint64_t first_pfn = ahead->section * pages;
	uint64_t start = heap->base + (ahead->section << reach->section_shift);

	ahead->pieces[0] = (struct piece){
		.address = heap_byte_mark(heap, start), .to = ahead->byte_marks,
		.bytes = 1UL << (reach->section_shift - reach->mark_shift),
	};
	ahead->nr_pieces = 1;
	for (uint64_t page = 0, end; page < pages; page = end + 1) {
		for (end = page; end < pages && is_wanted(reach, first_pfn + end);)
			end++;
		if (end > page)
			ahead->pieces[ahead->nr_pieces++] = (struct piece){
				.address = start + (page << reach->page_shift),
				.to = ahead->bytes + (page << reach->page_shift),
				.bytes = (end - page) << reach->page_shift,
			};
	}
}

void ahead_want_next(struct reach *reach, uint64_t section)
{
	struct ahead *ahead = reach->ahead;

	/* Pages that were read ahead for a later section stay. */
	if (!ahead || (wait_for(ahead) == AHEAD_DONE && ahead->section > section))
		return;
	do
		section++;
	while (section < reach->nr_sections && !reach->pending_of[section]);
	if (section >= reach->nr_sections)
		return;
	ahead->section = section;
	list_pieces(reach, ahead);
	set_state(ahead, AHEAD_READS);
}

bool ahead_take(struct reach *reach, uint64_t section)
{
	struct ahead *ahead = reach->ahead;
	char *bytes = reach->bytes;
	uint8_t *byte_marks = reach->byte_marks, *loaded = reach->loaded;

	if (!ahead || wait_for(ahead) != AHEAD_DONE || ahead->section != section ||
	    ahead->pieces[0].failed)
		return false;
	memset(ahead->loaded, 0, 1UL << (reach->section_shift - reach->page_shift));
	for (size_t i = 1; i < ahead->nr_pieces; i++)
		if (!ahead->pieces[i].failed)
			memset(ahead->loaded + (((char *)ahead->pieces[i].to - ahead->bytes) >>
						reach->page_shift),
			       1, ahead->pieces[i].bytes >> reach->page_shift);
	reach->bytes = ahead->bytes;
	reach->byte_marks = ahead->byte_marks;
	reach->loaded = ahead->loaded;
	ahead->bytes = bytes;
	ahead->byte_marks = byte_marks;
	ahead->loaded = loaded;
	set_state(ahead, AHEAD_IDLE);
	return true;
}
