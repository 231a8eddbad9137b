/* SPDX-License-Identifier: MIT */
#include "page/page_report.h"

#include "base/atomic.h"
#include "base/check.h"
#include "os/os.h"
#include "page/flag_names.h"
#include "page/reclaim.h"

bool report_limit_pass(struct report_limit *limit)
{
	uint64_t now = os_time_ms(), since = atomic_load_relaxed(&limit->since);

	if (!since || now - since >= limit->interval_ms) {
		unsigned long missed = atomic_load_relaxed(&limit->missed);

		atomic_store_relaxed(&limit->since, now);
		atomic_store_relaxed(&limit->shown, 0);
		atomic_store_relaxed(&limit->missed, 0);
		if (missed)
			report_line("%lu messages suppressed", missed);
	}
	if (atomic_add_relaxed(&limit->shown, 1) < limit->burst)
		return true;
	atomic_add_relaxed(&limit->missed, 1);
	return false;
}

void page_report_memory(gfp_t gfp, unsigned int order, const char *what)
{
	char name[OS_NAME_BYTES], names[FLAG_NAMES_BYTES];

	os_thread_name(name);
	gfp_names(gfp, names, sizeof(names));
	report_line("%s: %s: order:%u, mode:%#x(%s), nodemask=(null)", name, what, order, gfp,
		    names);
	reclaim_show_zones();
}

void page_report_failure(gfp_t gfp, unsigned int order)
{
	static struct report_limit limit = { .interval_ms = 10000, .burst = 1 };

	reclaim_count_failure();
	if (!(gfp & __GFP_NOWARN) && report_limit_pass(&limit))
		page_report_memory(gfp, order, "page allocation failure");
}
