/* SPDX-License-Identifier: MIT */
/*
 * Poison: every byte of a free page is PAGE_POISON, and is looked at when the page is
 * allocated. A page's struct says whether it was poisoned: memory that came from the
 * system, or that went back to it meanwhile, was not. cf. Linux mm/page_poison.c,
 * post_alloc_hook(). Poison takes the place of clearing; __GFP_ZERO is heeded always.
 */
#include "page/hooks.h"

#include <string.h>

#include "base/check.h"
#include "base/options.h"
#include "page/bad_page.h"
#include "page/page_report.h"
#include "page/pcp.h"
#include "usermm/fault.h"

#define PAGE_POISON 0xaa
/* Bytes that are shown of what was written over. */
#define SHOWN_MAX 64

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

void page_hooks_init(void)
{
	if (fail_page_alloc_init())
		page_hooks_add(HOOK_FAULTS);
	if (options.page_poison)
		page_hooks_add(HOOK_POISON);
	if (options.init_on_alloc && !options.page_poison)
		page_hooks_add(HOOK_INIT_ALLOC);
	if (options.init_on_free && !options.page_poison)
		page_hooks_add(HOOK_INIT_FREE);
	if (options.page_owner && !page_owner_init())
		page_hooks_add(HOOK_OWNER);
	if (page_hooks())
		pcp_hide_lists();
}

bool page_hooks_may_alloc(gfp_t gfp, unsigned int order)
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

static void show_bytes(const unsigned char *at, const unsigned char *end)
{
	for (; at < end; at += 8)
		report_line("%p: %02x %02x %02x %02x %02x %02x %02x %02x", at, at[0], at[1], at[2],
			    at[3], at[4], at[5], at[6], at[7]);
}

static void check_poison(struct page *page)
{
	static struct report_limit limit = { .interval_ms = 5000, .burst = 10 };
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
		report_line("pagealloc: memory corruption: bytes %p to %p were written to while "
			    "the page was free", changed, last);
	changed = (const unsigned char *)((unsigned long)changed & ~7UL);
	show_bytes(changed, min(last + 1, changed + SHOWN_MAX));
	report_line("page:%p pfn:%#lx: pagealloc: corrupted page details", start,
		    page_to_pfn(page));
}

static void poison(struct page *page)
{
	memset(page_address(page), PAGE_POISON, PAGE_SIZE);
	page->poisoned = 1;
}

static void unpoison(struct page *page, bool zeroed)
{
	if (page->poisoned && !zeroed)
		check_poison(page);
	page->poisoned = 0;
}

/* --- Every block ------------------------------------------------------------------ */

void page_hooks_alloc(struct page *page, gfp_t gfp, unsigned int order, bool zeroed)
{
	unsigned int hooks = page_hooks();
	bool clear = gfp & __GFP_ZERO ||
		     (hooks & HOOK_INIT_ALLOC && !(gfp & __GFP_SKIP_ZERO));

	if (hooks & HOOK_POISON)
		for (unsigned long i = 0; i < 1UL << order; i++)
			unpoison(page + i, zeroed);
	if (clear && !zeroed)
		memset(page_address(page), 0, PAGE_SIZE << order);
	if (hooks & HOOK_OWNER)
		page_owner_set(page, gfp, order);
}

void page_hooks_free(struct page *page, unsigned long nr_pages)
{
	unsigned int hooks = page_hooks();

	if (hooks & HOOK_INIT_FREE)
		memset(page_address(page), 0, nr_pages * PAGE_SIZE);
	if (hooks & HOOK_POISON)
		for (unsigned long i = 0; i < nr_pages; i++)
			poison(page + i);
	if (hooks & HOOK_OWNER)
		page_owner_clear(page, nr_pages);
}
