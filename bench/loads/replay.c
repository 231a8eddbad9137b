// SPDX-License-Identifier: MIT
#include "loads/replay.h"

#include <errno.h>

/* Frees the tables that unmap and exit have taken out: nobody walks them any more. */
static void flush(struct replay *replay, struct pgtable *mm)
{
	pgtable_flush(mm);
	if (replay->trim)
		pgtable_trim();
}

static int touch_page(struct replay *replay, struct pgtable *mm, uint64_t address)
{
	uint64_t physical = replay->next_frame << PAGE_SHIFT;
	int error = pgtable_map(mm, address, physical, PAGE_SIZE, PGTABLE_RW | PGTABLE_USER,
				false, GFP_KERNEL);

	if (error == -EEXIST) {
		error = pgtable_break_cow(mm, address, physical, GFP_KERNEL);
		if (error == -ENOENT)
			return 0;
	}
	if (error)
		return error;
	replay->next_frame++;
	if (replay->used)
		replay->used();
	return 0;
}

static int touch(struct replay *replay, struct pgtable *mm, const struct trace_event *event)
{
	int error = 0;

	for (uint64_t done = 0; done < event->bytes && !error; done += PAGE_SIZE)
		error = touch_page(replay, mm, event->address + done);
	return error;
}

static int unmap(struct replay *replay, struct pgtable *mm, uint64_t address, uint64_t bytes)
{
	int error = pgtable_unmap(mm, address, bytes, GFP_KERNEL);

	flush(replay, mm);
	return error;
}

static int protect(struct pgtable *mm, const struct trace_event *event)
{
	uint64_t set = 0, clear = PGTABLE_RW;

	if (event->prot & TRACE_PROT_WRITE)
		set |= PGTABLE_COW;
	if (event->prot & TRACE_PROT_EXEC)
		clear |= PGTABLE_NX;
	else
		set |= PGTABLE_NX;
	return pgtable_protect(mm, event->address, event->bytes, set, clear, GFP_KERNEL);
}

/* First unmaps the destination, as MREMAP_FIXED does. */
static int move(struct replay *replay, struct pgtable *mm, const struct trace_event *event)
{
	int error = pgtable_unmap(mm, event->to, event->bytes, GFP_KERNEL);

	for (uint64_t done = 0; done < event->bytes && !error; done += PAGE_SIZE) {
		struct pgtable_leaf leaf;

		if (!pgtable_lookup(mm, event->address + done, &leaf))
			continue;
		error = pgtable_unmap(mm, event->address + done, PAGE_SIZE, GFP_KERNEL);
		if (!error)
			error = pgtable_map(mm, event->to + done, leaf.physical, PAGE_SIZE,
					    leaf.flags & PGTABLE_FLAGS, false, GFP_KERNEL);
	}
	flush(replay, mm);
	return error;
}

static void end(struct replay *replay, struct pgtable *mm)
{
	pgtable_exit(mm);
	if (replay->trim)
		pgtable_trim();
}

int replay_event(struct replay *replay, const struct trace_event *event)
{
	struct pgtable *mm = &replay->spaces[event->space];

	switch (event->kind) {
	case TRACE_NEW:
		return pgtable_init(mm, replay->pages, GFP_KERNEL);
	case TRACE_COPY:
		return pgtable_copy(&replay->spaces[event->child], mm, GFP_KERNEL);
	case TRACE_EXIT:
		end(replay, mm);
		return 0;
	case TRACE_TOUCH:
		return touch(replay, mm, event);
	case TRACE_UNMAP:
		return unmap(replay, mm, event->address, event->bytes);
	case TRACE_PROTECT:
		return protect(mm, event);
	case TRACE_MOVE:
		return move(replay, mm, event);
	default:
		return -EINVAL;
	}
}

void replay_end(struct replay *replay)
{
	for (unsigned int i = 0; i < TRACE_MAX_SPACES; i++)
		if (replay->spaces[i].pgd)
			end(replay, &replay->spaces[i]);
}
