/* SPDX-License-Identifier: MIT */
/* The option fail_page_alloc=: which requests for pages fail. cf. Linux mm/fail_page_alloc.c */
#include "base/options.h"
#include "page/debug/fault_inject.h"
#include "page/debug/hooks.h"

struct usermm_fail_page_alloc usermm_fail_page_alloc = {
	.attr = { USERMM_FAULT_ATTR_INITIALIZER, .dname = "fail_page_alloc" },
	.ignore_gfp_highmem = true,
	.ignore_gfp_reclaim = true,
	.min_order = 1,
};

bool fail_page_alloc_init(void)
{
	struct usermm_fail_page_alloc *fail = &usermm_fail_page_alloc;
	const struct fault_setting settings[] = {
		{ "ignore-gfp-wait", &fail->ignore_gfp_reclaim, NULL },
		{ "ignore-gfp-highmem", &fail->ignore_gfp_highmem, NULL },
		{ "min-order", NULL, &fail->min_order },
		{ NULL, NULL, NULL },
	};
	const char *text = option_text(options.fail_page_alloc);

	return text && fault_configure(text, &fail->attr, settings);
}

bool should_fail_alloc_page(gfp_t gfp, unsigned int order)
{
	struct usermm_fail_page_alloc *fail = &usermm_fail_page_alloc;

	if (order < fail->min_order || gfp & __GFP_NOFAIL ||
	    (fail->ignore_gfp_highmem && gfp & __GFP_HIGHMEM) ||
	    (fail->ignore_gfp_reclaim && gfp & __GFP_DIRECT_RECLAIM))
		return false;
	return usermm_fault_should_fail(&fail->attr, 1L << order,
					gfp & __GFP_NOWARN ? USERMM_FAULT_NOWARN : 0);
}
