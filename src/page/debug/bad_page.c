/* SPDX-License-Identifier: MIT */
#include "page/debug/bad_page.h"

#include "base/atomic.h"
#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "mm/page_flags.h"
#include "os/os.h"
#include "page/debug/flag_names.h"
#include "page/debug/hooks.h"
#include "page/debug/page_report.h"
#include "page/pageblock.h"

#define REASON_BYTES 200

/* With bad_page=auto, go on after a report, as Linux does? Sync: written before there are pages */
static bool as_in_kernel;

void page_bad_as_in_kernel(void)
{
	as_in_kernel = true;
}

bool page_bad_is_fatal(void)
{
	if (options.bad_page == OPTION_BAD_PAGE_AUTO)
		return !as_in_kernel;
	return options.bad_page == OPTION_BAD_PAGE_ABORT;
}

/* cf. Linux mm/debug.c: dump_page() */
void page_report_state(const struct page *page, const char *reason)
{
	const unsigned long *raw = (const unsigned long *)page;
	const struct zone *z = page_zone(page);
	char names[FLAG_NAMES_BYTES];

	report_line("page: refcount:%d mapcount:0 mapping:%p index:%#lx pfn:%#lx",
		    atomic_load_relaxed(&page->_refcount), (const void *)page->mapping,
		    page->index, page_to_pfn(page));
	if (page_flags(page) & PG_head)
		report_line("head: order:%u", (unsigned int)page->order);
	page_flag_names(page_flags(page), (int)z->node, (int)z->index, names, sizeof(names));
	report_line("flags: %s", names);
	for (unsigned int i = 0; i < sizeof(*page) / sizeof(*raw); i += 4)
		report_line("raw: %016lx %016lx %016lx %016lx", raw[i], raw[i + 1], raw[i + 2],
			    raw[i + 3]);
	report_line("page dumped because: %s", reason);
	page_owner_dump(page);
}

void page_report_bad(const struct page *page, const char *reason)
{
	static struct report_limit limit = {
		.interval_ms = 60000, .burst = 60, .name = "BUG: Bad page state",
	};
	char name[OS_NAME_BYTES];

	if (page_bad_is_fatal())
		report_fatal("bad page %p: %s", page_address(page), reason);
	if (!report_limit_pass(&limit))
		return;
	os_thread_name(name);
	report_line("BUG: Bad page state in process %s  pfn:%05lx", name, page_to_pfn(page));
	page_report_state(page, reason);
	report_stack();
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

FOR_KERNEL(page_bad_as_in_kernel);
