// SPDX-License-Identifier: MIT
/*
 * Replays a recorded compile on page tables, and compares them with a model. The model knows the
 * pages of each address space by trace.h's description of the records; the walker reads the tables.
 */
#include <unistd.h>

#include "support/kernel.h"
#include "support/threads.h"
#include "loads/replay.h"
#include "pgtable/walker.h"

/* Seen from the folder of this program. */
#define TRACE_FILE "../../compile.mmtrace"
#define STEPS TEST_STEPS(400000)	/* events; all there are, where it is quick */
#define CHECK_EVERY 5000
#define PATH_BYTES 4096

/* --- The model: 2 MiB at a time, an array of pages. -------------------------- */

#define CHUNK_PAGES 512

/* frame << 8 | rights; 0: the page is not there. */
#define WRITABLE 1
#define NEEDS_FAULT 2			/* not writable, and so again when it is touched */
#define NOT_EXECUTABLE 4

struct chunk {
	u64 number;			/* address / 2 MiB */
	u64 pages[CHUNK_PAGES];
};

struct space {
	struct chunk *chunks;
	size_t nr, room;
};

static struct {
	struct space spaces[TRACE_MAX_SPACES];
	bool live[TRACE_MAX_SPACES];
	u64 next_frame;
} model;

static struct chunk *find_chunk(struct space *space, u64 number)
{
	for (size_t i = 0; i < space->nr; i++)
		if (space->chunks[i].number == number)
			return &space->chunks[i];
	return NULL;
}

static struct chunk *make_chunk(struct kunit *test, struct space *space, u64 number)
{
	struct chunk *chunk = find_chunk(space, number);

	if (chunk)
		return chunk;
	if (space->nr == space->room) {
		space->room = space->room ? 2 * space->room : 16;
		space->chunks = realloc(space->chunks, space->room * sizeof(*chunk));
		KUNIT_ASSERT_NOT_NULL(test, space->chunks);
	}
	chunk = &space->chunks[space->nr++];
	memset(chunk, 0, sizeof(*chunk));
	chunk->number = number;
	return chunk;
}

/* Calls change() for each page of the range that is mapped. */
static void for_each_page(struct space *space, u64 address, u64 bytes,
			  void (*change)(u64 *page, const struct trace_event *event),
			  const struct trace_event *event)
{
	u64 first = address >> 12, end = (address + bytes) >> 12;

	for (size_t i = 0; i < space->nr; i++) {
		struct chunk *chunk = &space->chunks[i];

		for (unsigned int j = 0; j < CHUNK_PAGES; j++) {
			u64 page = chunk->number * CHUNK_PAGES + j;

			if (chunk->pages[j] && page >= first && page < end)
				change(&chunk->pages[j], event);
		}
	}
}

static void remove_page(u64 *page, const struct trace_event *event)
{
	(void)event;
	*page = 0;
}

static void change_rights(u64 *page, const struct trace_event *event)
{
	*page &= ~(u64)(WRITABLE | NOT_EXECUTABLE);
	if (event->prot & TRACE_PROT_WRITE)
		*page |= NEEDS_FAULT;
	if (!(event->prot & TRACE_PROT_EXEC))
		*page |= NOT_EXECUTABLE;
}

static void share_page(u64 *page, const struct trace_event *event)
{
	(void)event;
	if (*page & WRITABLE)
		*page = (*page & ~(u64)WRITABLE) | NEEDS_FAULT;
}

static void model_touch(struct kunit *test, struct space *space, const struct trace_event *event)
{
	u64 first = event->address >> 12, end = first + (event->bytes >> 12);

	for (u64 page = first; page < end; page++) {
		struct chunk *chunk = make_chunk(test, space, page / CHUNK_PAGES);
		u64 *entry = &chunk->pages[page % CHUNK_PAGES];

		if (!*entry || *entry & NEEDS_FAULT)
			*entry = model.next_frame++ << 8 | (*entry & NOT_EXECUTABLE) | WRITABLE;
	}
}

static void model_copy(struct kunit *test, unsigned int child, struct space *space)
{
	struct space *copy = &model.spaces[child];

	for_each_page(space, 0, PGTABLE_USER_END, share_page, NULL);
	copy->nr = 0;
	for (size_t i = 0; i < space->nr; i++)
		*make_chunk(test, copy, space->chunks[i].number) = space->chunks[i];
	model.live[child] = true;
}

static void model_move(struct kunit *test, struct space *space, const struct trace_event *event)
{
	for_each_page(space, event->to, event->bytes, remove_page, NULL);
	for (u64 i = 0; i < event->bytes >> 12; i++) {
		u64 from = (event->address >> 12) + i, to = (event->to >> 12) + i;
		struct chunk *source = find_chunk(space, from / CHUNK_PAGES);
		u64 entry = source ? source->pages[from % CHUNK_PAGES] : 0;

		if (!entry)
			continue;
		source->pages[from % CHUNK_PAGES] = 0;
		make_chunk(test, space, to / CHUNK_PAGES)->pages[to % CHUNK_PAGES] = entry;
	}
}

static void model_event(struct kunit *test, const struct trace_event *event)
{
	struct space *space = &model.spaces[event->space];

	switch (event->kind) {
	case TRACE_NEW:
		space->nr = 0;
		model.live[event->space] = true;
		break;
	case TRACE_EXIT:
		model.live[event->space] = false;
		break;
	case TRACE_COPY:
		model_copy(test, event->child, space);
		break;
	case TRACE_TOUCH:
		model_touch(test, space, event);
		break;
	case TRACE_UNMAP:
		for_each_page(space, event->address, event->bytes, remove_page, NULL);
		break;
	case TRACE_PROTECT:
		for_each_page(space, event->address, event->bytes, change_rights, event);
		break;
	case TRACE_MOVE:
		model_move(test, space, event);
		break;
	default:
		KUNIT_FAIL(test, "kind %d", event->kind);
	}
}

static void free_model(void)
{
	for (unsigned int i = 0; i < TRACE_MAX_SPACES; i++)
		free(model.spaces[i].chunks);
	memset(&model, 0, sizeof(model));
}

/* --- Tables are counted. ------------------------------------------------------ */

static const struct pgtable_pages *counted_from;
static long nr_out;

static void *counted_alloc(enum pgtable_level level, gfp_t gfp)
{
	void *table = counted_from->alloc(level, gfp);

	nr_out += !!table;
	return table;
}

static void counted_free(enum pgtable_level level, void *table)
{
	nr_out--;
	counted_from->free(level, table);
}

static const struct pgtable_pages counted_pages = { counted_alloc, counted_free };

/* --- Comparison. --------------------------------------------------------------- */

static struct replay replay;
static struct trace trace;
static unsigned long nr_compared;	/* pages */

static void compare_page(struct kunit *test, const struct pgtable *mm, u64 page, u64 entry)
{
	struct walker_result walked = { 0 };
	bool found = walker_translate(mm->pgd, page << 12, &walked);

	KUNIT_ASSERT_EQ_MSG(test, found, entry != 0, "page %#lx", (unsigned long)page);
	if (!found)
		return;
	KUNIT_ASSERT_EQ_MSG(test, walked.physical >> 12, entry >> 8, "page %#lx",
			    (unsigned long)page);
	KUNIT_ASSERT_EQ(test, walked.writable, !!(entry & WRITABLE));
	KUNIT_ASSERT_EQ(test, walked.executable, !(entry & NOT_EXECUTABLE));
	nr_compared++;
}

/* Is this the first chunk that is not empty in its 2 MiB, 1 GiB or 512 GiB? */
static bool is_first(const struct space *space, const bool *empty, size_t i, unsigned int shift)
{
	for (size_t j = 0; j < i; j++)
		if (!empty[j] &&
		    space->chunks[j].number >> shift == space->chunks[i].number >> shift)
			return false;
	return true;
}

/* The page tables have exactly the translations of the model, and no empty table. */
static void compare_space(struct kunit *test, unsigned int nr)
{
	const struct pgtable *mm = &replay.spaces[nr];
	const struct space *space = &model.spaces[nr];
	unsigned long mapped = 0, tables[3] = { 0 };
	bool empty[4096];

	KUNIT_ASSERT_NOT_NULL(test, mm->pgd);
	KUNIT_ASSERT_LE(test, space->nr, ARRAY_SIZE(empty));
	for (size_t i = 0; i < space->nr; i++) {
		unsigned long before = mapped;

		for (unsigned int j = 0; j < CHUNK_PAGES; j++) {
			u64 entry = space->chunks[i].pages[j];

			compare_page(test, mm, space->chunks[i].number * CHUNK_PAGES + j, entry);
			mapped += entry != 0;
		}
		empty[i] = mapped == before;
		for (unsigned int level = 0; level < 3 && !empty[i]; level++)
			tables[level] += is_first(space, empty, i, 9 * level);
	}
	KUNIT_ASSERT_EQ(test, mm->mapped_bytes, mapped << 12);
	for (unsigned int level = 0; level < 3; level++)
		KUNIT_ASSERT_EQ_MSG(test, mm->nr_tables[level], tables[level], "level %u", level);
	KUNIT_ASSERT_EQ(test, mm->nr_unflushed, 0);
}

static void compare_all(struct kunit *test)
{
	for (unsigned int i = 0; i < TRACE_MAX_SPACES; i++) {
		KUNIT_ASSERT_EQ(test, replay.spaces[i].pgd != NULL, model.live[i]);
		if (model.live[i])
			compare_space(test, i);
	}
}

static void do_event(struct kunit *test, const struct trace_event *event)
{
	if (event->kind == TRACE_EXIT)
		compare_space(test, event->space);
	KUNIT_ASSERT_EQ(test, replay_event(&replay, event), 0);
	model_event(test, event);
	if (event->kind == TRACE_COPY) {
		compare_space(test, event->space);
		compare_space(test, event->child);
	}
}

static void start(struct kunit *test, bool by_quicklist)
{
	test_pin(0);
	counted_from = by_quicklist ? &pgtable_quicklist_pages : &pgtable_plain_pages;
	replay.pages = &counted_pages;
	replay.trim = by_quicklist;
	replay.next_frame = model.next_frame = 1;
	nr_compared = 0;
	KUNIT_ASSERT_EQ(test, nr_out, 0);
}

static void finish(struct kunit *test)
{
	replay_end(&replay);
	KUNIT_EXPECT_EQ(test, nr_out, 0);
	free_model();
}

static void open_trace(struct kunit *test)
{
	char path[PATH_BYTES];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(TRACE_FILE));

	KUNIT_ASSERT_GT(test, length, 0);
	while (length && path[length - 1] != '/')
		length--;
	strcpy(path + length, TRACE_FILE);
	/* Only the tests are taken to a machine that is emulated. */
	if (TRACE_MAY_BE_ABSENT && access(path, R_OK))
		kunit_skip(test, "no %s", path);
	KUNIT_ASSERT_TRUE_MSG(test, trace_open_file(&trace, path), "%s: %s", path, trace.error);
}

static void replay_compile(struct kunit *test, bool by_quicklist)
{
	struct trace_event event;
	unsigned long nr = 0;

	open_trace(test);
	start(test, by_quicklist);
	while (nr < STEPS && trace_next(&trace, &event)) {
		do_event(test, &event);
		if (++nr % CHECK_EVERY == 0)
			compare_all(test);
	}
	KUNIT_EXPECT_NULL_MSG(test, trace.error, "%s", trace.error);
	KUNIT_EXPECT_GT(test, nr_compared, nr);
	compare_all(test);
	finish(test);
}

static void test_compile_by_quicklists(struct kunit *test)
{
	replay_compile(test, true);
}

static void test_compile_by_plain_pages(struct kunit *test)
{
	replay_compile(test, false);
}

/* Tests kinds of events that are rare or missing in the recorded compiler run. */
static void test_each_kind(struct kunit *test)
{
	const u64 mib = 1 << 20, page = 4096;
	const struct trace_event events[] = {
		{ .kind = TRACE_NEW },
		{ .kind = TRACE_TOUCH, .address = mib, .bytes = 2 * mib },
		{ .kind = TRACE_PROTECT, .address = mib, .bytes = page, .prot = 1 },
		{ .kind = TRACE_TOUCH, .address = mib, .bytes = page },		/* no effect */
		{ .kind = TRACE_PROTECT, .address = mib, .bytes = page, .prot = 7 },
		{ .kind = TRACE_COPY, .child = 1000 },
		{ .kind = TRACE_TOUCH, .address = mib, .bytes = 2 * page },
		{ .kind = TRACE_TOUCH, .space = 1000, .address = mib, .bytes = page },
		{ .kind = TRACE_EXIT },
		/* Moves over mapped pages, to an address without tables, and half of a table. */
		{ .kind = TRACE_MOVE, .space = 1000, .address = mib, .bytes = 4 * page,
		  .to = 2 * mib },
		{ .kind = TRACE_MOVE, .space = 1000, .address = 2 * mib, .bytes = mib,
		  .to = PGTABLE_USER_END - mib },
		{ .kind = TRACE_TOUCH, .space = 1000, .address = mib, .bytes = page },
		{ .kind = TRACE_UNMAP, .space = 1000, .address = 0,
		  .bytes = PGTABLE_USER_END / 2 },
		{ .kind = TRACE_UNMAP, .space = 1000, .address = 0,
		  .bytes = PGTABLE_USER_END },
		{ .kind = TRACE_TOUCH, .space = 1000, .address = 0, .bytes = page },
	};

	start(test, true);
	for (unsigned int i = 0; i < ARRAY_SIZE(events); i++) {
		do_event(test, &events[i]);
		compare_all(test);
	}
	finish(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_compile_by_quicklists),
	KUNIT_CASE(test_compile_by_plain_pages),
	KUNIT_CASE(test_each_kind),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "mm_replay",
	.test_cases = cases,
};

kunit_test_suite(suite);
