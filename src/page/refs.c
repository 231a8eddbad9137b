/* SPDX-License-Identifier: MIT */
#include "page/refs.h"

#include "base/atomic.h"
#include "base/check.h"
#include "os/os.h"
#include "page/debug/bad_page.h"
#include "percpu/remote.h"

/* In microseconds: longer than a thread is usually preempted between two instructions. */
#define GRACE_US 100000

/* No thread stores to a count without a locked operation any more. Sync: atomic acquire/release */
static bool all_atomic __read_mostly;

/*
 * Relaxed: this runs before the first page is handed out. Whoever has a page sees these stores, by
 * once_run() of page_init() or by the hand-over of the page.
 */
often_called void page_refs_init(void)
{
	if (percpu_has_sequences() && percpu_can_restart())
		atomic_store_relaxed(&percpu.sole_count, 1);
	else
		atomic_store_relaxed(&all_atomic, true);
}

/* From here on every put is a locked operation. */
static slow_path void end_sole_owners(void)
{
	int error;

	atomic_store_relaxed(&percpu.sole_count, PERCPU_SOLE_NEVER);
	error = percpu_restart_all();
	if (error) {	/* it worked when the layer came up; since then a sandbox has begun */
		report_warning("membarrier(2) fails now (error %d), so it restarts no sequences",
			       -error);
		os_sleep_us(GRACE_US);
	}
	/*
	 * pairs with page_ref_add_unless() of other threads: a thread that sees this need not
	 * restart anything
	 */
	atomic_store_release(&all_atomic, true);
}

enum page_drop page_drop_slow(struct page *page, const char *what)
{
	int32_t count = atomic_load_relaxed(&page->_refcount);

	do {
		if (unlikely(count <= 0)) {
			page_report_unowned(page, what);
			return PAGE_DROP_NOTHING;
		}
		/*
		 * pairs with itself, page_ref_add_unless(), drop_bias() (api/page_frag.c) and
		 * rseq_push_last() (percpu/rseq): what earlier owners wrote to the page
		 */
	} while (!atomic_cas_acq_rel(&page->_refcount, &count, count - 1));
	return count == 1 ? PAGE_DROP_LAST : PAGE_DROP_SHARED;
}

bool page_ref_add_unless(struct page *page, int nr, int unless)
{
	int32_t count;

	/* pairs with end_sole_owners() of another thread: no sequence is under way any more */
	if (unlikely(!atomic_load_acquire(&all_atomic)))
		end_sole_owners();
	count = atomic_load_relaxed(&page->_refcount);
	do {
		if (count == unless)
			return false;
		/* pairs with page_drop_slow(): what former owners wrote */
	} while (!atomic_cas_acq_rel(&page->_refcount, &count, count + nr));
	return true;
}

bool get_page_unless_zero(struct page *page)
{
	return page_ref_add_unless(page, 1, 0);
}
