/* SPDX-License-Identifier: MIT */
/*
 * Poison: every byte of a free page is PAGE_POISON, and is checked when the page is allocated. The
 * struct page says whether the page was poisoned: memory that is fresh from the system, or went
 * back to it meanwhile, was not. cf. Linux mm/page_poison.c, post_alloc_hook(). With poison,
 * init_on_alloc and init_on_free do nothing; __GFP_ZERO always clears.
 */
#include "page/debug/hooks.h"

#include <string.h>

#include "base/check.h"
#include "base/linux_version.h"
#include "base/options.h"
#include "mm/page_flags.h"
#include "page/debug/bad_page.h"
#include "page/debug/page_report.h"
#include "page/pcp/pcp.h"
#include "usermm/fault.h"

#define PAGE_POISON 0xaa

unsigned int page_hooks_active;

void page_hooks_add(unsigned int hooks)
{
	unsigned int before = page_hooks();

	while ((before & hooks) != hooks &&
	       !atomic_cas_relaxed(&page_hooks_active, &before, before | hooks))
		;
	if (page_is_up())
		pcp_hide_lists();
}

often_called void page_hooks_init(void)
{
	if (fail_page_alloc_init())
		page_hooks_add(HOOK_FAULTS);
	if (options.page_poison)
		page_hooks_add(HOOK_POISON);
	if (options.init_on_alloc && !options.page_poison)
		page_hooks_add(HOOK_INIT_ALLOC);
	if (options.init_on_free && !options.page_poison)
		page_hooks_add(HOOK_INIT_FREE);
	if (pagealloc_debug_init())
		page_hooks_add(HOOK_PAGEALLOC);
	if (options.page_owner && !page_owner_init())
		page_hooks_add(HOOK_OWNER);
	if (page_hooks())
		pcp_hide_lists();
}

bool page_hooks_may_alloc_slow(gfp_t gfp, unsigned int order)
{
	return !(page_hooks() & HOOK_FAULTS) || !should_fail_alloc_page(gfp, order);
}

/* --- Poison --------------------------------------------------------------------- */

static const unsigned char *first_changed(const unsigned char *at, const unsigned char *end)
{
	while (at < end && *at == PAGE_POISON)
		at++;
	return at < end ? at : NULL;
}

static void check_poison(struct page *page)
{
	static struct report_limit limit = {
		.interval_ms = 5000, .burst = 10, .name = "pagealloc",
	};
	const unsigned char *start = page_address(page), *end = start + PAGE_SIZE;
	const unsigned char *changed = first_changed(start, end);
	const unsigned char *last = end - 1;

	if (!changed || !report_limit_pass(&limit))
		return;
	while (*last == PAGE_POISON)
		last--;
	if (changed == last && is_power_of_2(*changed ^ PAGE_POISON))
		report_line("pagealloc: single bit error");
	else
		report_line("pagealloc: memory corruption");
	report_bytes(changed, last + 1);
	report_stack();
	page_report_state(page, "pagealloc: corrupted page details");
}

static void poison(struct page *page)
{
	memset(page_address(page), PAGE_POISON, PAGE_SIZE);
	atomic_store_relaxed(&page->debugged,
			     (uint8_t)(page->debugged | DEBUGGED_POISONED));
}

static void unpoison(struct page *page, bool zeroed)
{
	if (page->debugged & DEBUGGED_POISONED && !zeroed)
		check_poison(page);
	atomic_store_relaxed(&page->debugged, 0);
}

/* --- Every block ------------------------------------------------------------------ */

void page_hooks_alloc(struct page *page, gfp_t gfp, unsigned int order, bool zeroed)
{
	unsigned int hooks = page_hooks();
	bool clear = gfp & __GFP_ZERO ||
		     (hooks & HOOK_INIT_ALLOC && !(gfp & __GFP_SKIP_ZERO));

	if (hooks & HOOK_PAGEALLOC)
		pagealloc_debug_show(page, 1UL << order);
	if (hooks & HOOK_POISON)
		for (unsigned long i = 0; i < 1UL << order; i++)
			unpoison(page + i, zeroed);
	if (clear && !zeroed)
		memset(page_address(page), 0, PAGE_SIZE << order);
	if (hooks & HOOK_OWNER)
		page_owner_set(page, gfp, order);
}

/*
 * Is this page in a state that no free page may have, because its owner has not tidied it up? Fast
 * paths never check this. The pages behind the first have neither count nor flags. cf. Linux
 * free_page_is_bad(), free_tail_page_prepare()
 */
static bool is_bad(const struct page *page, bool is_first)
{
	const char *reason = NULL;

	if (!is_first && page->private && linux_since(7, 3))
		reason = "nonzero private";
	if (page->mapping)
		reason = is_first ? "non-NULL mapping" : "corrupted mapping in tail page";
	if (atomic_load_relaxed(&page->_refcount))
		reason = "nonzero _refcount";
	if (page_flags(page) & (is_first ? PG_buddy | PAGE_FLAGS_CHECK_AT_FREE : ~0UL))
		reason = "PAGE_FLAGS_CHECK_AT_FREE flag(s) set";
	if (reason)
		page_report_bad(page, reason);
	return reason;
}

bool page_hooks_free(struct page *page, unsigned long nr_pages)
{
	unsigned int hooks = page_hooks();
	bool bad = false;

	if (hooks & HOOKS_CHECKING)
		for (unsigned long i = 0; i < nr_pages; i++)
			bad |= is_bad(page + i, !i);
	if (bad)
		return false;
	/* The owner may leave a value. In a later block's tail it would look like a mistake. */
	if (hooks & HOOKS_CHECKING)
		page->private = 0;
	if (hooks & HOOK_INIT_FREE)
		memset(page_address(page), 0, nr_pages * PAGE_SIZE);
	if (hooks & HOOK_POISON)
		for (unsigned long i = 0; i < nr_pages; i++)
			poison(page + i);
	if (hooks & HOOK_OWNER)
		page_owner_clear(page, nr_pages);
	if (hooks & HOOK_PAGEALLOC)
		pagealloc_debug_hide(page, nr_pages);
	return true;
}
