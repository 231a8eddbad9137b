/* SPDX-License-Identifier: MIT */
#ifndef PAGE_RECLAIM_OOM_H
#define PAGE_RECLAIM_OOM_H

#include "base/compiler.h"
#include "usermm/page.h"

/*
 * May this request end in asking the program's notifiers or victims for memory? For callers that
 * have not made the request yet; the answer may be true too often.
 */
bool oom_could_ask(gfp_t gfp, unsigned int order);

/*
 * For a request that may wait and for which reclaim found nothing. Returns a block if others freed
 * much meanwhile. Else *progress says whether it is worth trying again.
 */
struct alloc_context;
struct page *oom_take_block(gfp_t gfp, unsigned int order, const struct alloc_context *ac,
			    bool *progress);

#endif
