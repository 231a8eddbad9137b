/* SPDX-License-Identifier: MIT */
/*
 * Reference counts.
 *
 * A block is allocated with count 0 (frozen), and the refcounted entry points set the count to 1.
 * A thread that holds a reference and reads a count of 1 is the only owner, provided nobody takes
 * references without holding one. So the last put needs no locked operation: it compares and
 * stores in the restartable sequence that pushes the page on its list.
 *
 * get_page_unless_zero() and page_ref_add_unless() take references speculatively. The first use of
 * one of them in a process sets percpu.sole_count to a number that no count can be, and restarts
 * all sequences. From then on no thread is between the comparison and the store, none will be, and
 * every put is a locked operation. Where there are no sequences, or they cannot be restarted, every
 * put is one from the start.
 */
#ifndef PAGE_REFS_H
#define PAGE_REFS_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "percpu/percpu.h"
#include "usermm/page.h"

_Static_assert(offsetof(struct page, flags) == PERCPU_ITEM_FLAGS &&
	       offsetof(struct page, _refcount) == PERCPU_ITEM_COUNT,
	       "what the sequences look at");

/* Decides, while the layer comes up, whether puts may do without locked operations. */
void page_refs_init(void);

/* Sets the first reference to a block, and clears what the last owner left. */
static inline void page_start_references(struct page *page)
{
	atomic_store_relaxed(&page->_refcount, 1);
	page->private = 0;
}

enum page_drop {
	PAGE_DROP_LAST,		/* the caller has to free the block */
	PAGE_DROP_SHARED,	/* others still have references */
	PAGE_DROP_NOTHING,	/* there was no reference; that was reported */
};

enum page_drop page_drop_slow(struct page *page, const char *what);

/*
 * Drops one reference. `interrupted`: the thread was interrupted when it gave the page up
 * (percpu_push_last_fast()), so a count of 0 was set by this thread.
 */
static inline enum page_drop page_drop_reference(struct page *page, bool interrupted,
						 const char *what)
{
	if (interrupted && !atomic_load_relaxed(&page->_refcount))
		return PAGE_DROP_LAST;
	return page_drop_slow(page, what);
}

/* Frees a block whose last reference the caller has dropped, unless something is wrong with it. */
void page_free_dropped(struct page *page, unsigned int order);

#endif
