/* SPDX-License-Identifier: MIT */
#include "page/bad_page.h"

#include "base/atomic.h"
#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "mm/page_flags.h"
#include "os/os.h"
#include "page/page_report.h"

#define REASON_BYTES 200

static bool as_in_kernel;	/* Sync: written before there are pages */

void page_bad_as_in_kernel(void)
{
	as_in_kernel = true;
}

static bool is_fatal(void)
{
	if (options.bad_page == OPTION_BAD_PAGE_AUTO)
		return !as_in_kernel;
	return options.bad_page == OPTION_BAD_PAGE_ABORT;
}

void page_report_bad(const struct page *page, const char *reason)
{
	static struct report_limit limit = { .interval_ms = 60000, .burst = 60 };
	char name[OS_NAME_BYTES];

	if (is_fatal())
		report_fatal("bad page %p: %s", page_address(page), reason);
	if (!report_limit_pass(&limit))
		return;
	os_thread_name(name);
	report_line("BUG: Bad page state in process %s  pfn:%05lx", name, page_to_pfn(page));
	report_line("page:%p refcount:%d flags:%#lx order:%u", page_address(page),
		    atomic_load_relaxed(&page->_refcount), page_flags(page),
		    (unsigned int)page->order);
	report_line("page dumped because: %s", reason);
}

void page_report_unowned(const struct page *page, const char *what)
{
	bool is_free = page_flags(page) & PG_buddy;
	char reason[REASON_BYTES];

	fmt_format(reason, sizeof(reason), "%s of page %p, which is %s (count %d, pfn %lu)", what,
		   page_address(page),
		   is_free ? "already free" : "not allocated or already freed",
		   atomic_load_relaxed(&page->_refcount), page_to_pfn(page));
	page_report_bad(page, reason);
}

void page_report_wrong_order(const struct page *page, unsigned int order)
{
	char reason[REASON_BYTES];

	if (page_flags(page) & PG_head)
		fmt_format(reason, sizeof(reason), "free of page %p with order %u, but it is a "
			   "compound page of order %u", page_address(page), order,
			   (unsigned int)page->order);
	else
		fmt_format(reason, sizeof(reason), "free of page %p with order %u, more than %d",
			   page_address(page), order, MAX_PAGE_ORDER);
	page_report_bad(page, reason);
}
