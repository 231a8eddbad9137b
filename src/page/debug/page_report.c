/* SPDX-License-Identifier: MIT */
#include "page/debug/page_report.h"

#include "base/atomic.h"
#include "base/check.h"
#include "base/fmt.h"
#include "os/os.h"
#include "page/debug/flag_names.h"
#include "page/reclaim/reclaim.h"
#include "page/zone.h"

#define WHERE_BYTES 256
#define STACK_FRAMES_MAX 32
#define BYTES_A_LINE 16
#define STALL_BYTES 64

bool report_limit_pass(struct report_limit *limit)
{
	uint64_t now = os_time_ms(), since = atomic_load_relaxed(&limit->since);

	if (!since || now - since >= limit->interval_ms) {
		unsigned long missed = atomic_load_relaxed(&limit->missed);

		atomic_store_relaxed(&limit->since, now);
		atomic_store_relaxed(&limit->shown, 0);
		atomic_store_relaxed(&limit->missed, 0);
		if (missed)
			report_line("%s: %lu messages suppressed", limit->name, missed);
	}
	if (atomic_add_relaxed(&limit->shown, 1) < limit->burst)
		return true;
	atomic_add_relaxed(&limit->missed, 1);
	return false;
}

void report_frames(const void *const *frames, unsigned int nr)
{
	struct os_files files = { 0 };
	char where[WHERE_BYTES];

	for (unsigned int i = 0; i < nr; i++) {
		os_describe_in_files(&files, frames[i], where, sizeof(where));
		report_line(" %s", where);
	}
}

noinline void report_stack(void)
{
	const void *frames[STACK_FRAMES_MAX];

	report_frames(frames, os_stack_save(frames, STACK_FRAMES_MAX, 1));
}

void report_bytes(const unsigned char *start, const unsigned char *end)
{
	for (; start < end; start += BYTES_A_LINE) {
		unsigned int nr = (unsigned int)min((long)(end - start), (long)BYTES_A_LINE);
		char text[BYTES_A_LINE + 1], hex[3 * BYTES_A_LINE + 1] = "";

		for (unsigned int i = 0; i < nr; i++) {
			fmt_format(hex + 3 * i, sizeof(hex) - 3 * i, "%02x ", start[i]);
			text[i] = start[i] >= ' ' && start[i] < 0x7f ? (char)start[i] : '.';
		}
		text[nr] = '\0';
		report_line("%p: %-48s %s", start, hex, text);
	}
}

#define NODE_NAMES_BYTES 64

/* Writes the nodes as Linux's %*pbl does: runs of numbers. */
static void node_names(const unsigned long *nodes, char *text, size_t size)
{
	size_t used = 0;

	fmt_format(text, size, "%s", nodes ? "" : "(null)");
	for (unsigned int node = 0; nodes && node < MAX_NUMNODES && used < size; node++) {
		unsigned int first = node;

		if (!(*nodes >> node & 1))
			continue;
		while (node + 1 < MAX_NUMNODES && (*nodes >> (node + 1) & 1))
			node++;
		used += fmt_format(text + used, size - used, node > first ? "%s%u-%u" : "%s%u",
				   used ? "," : "", first, node);
	}
}

void page_report_memory(gfp_t gfp, unsigned int order, const unsigned long *nodes,
			const char *what)
{
	char name[OS_NAME_BYTES], names[FLAG_NAMES_BYTES], mask[NODE_NAMES_BYTES];

	os_thread_name(name);
	gfp_names(gfp, names, sizeof(names));
	node_names(nodes, mask, sizeof(mask));
	report_line("%s: %s: order:%u, mode:%#x(%s), nodemask=%s", name, what, order, gfp, names,
		    mask);
	report_stack();
	reclaim_show_zones();
}

/* cf. Linux warn_alloc(). A request for DMA memory on a machine without any is not reported. */
void page_report_failure(gfp_t gfp, unsigned int order, const unsigned long *nodes)
{
	static struct report_limit limit = {
		.interval_ms = 10000, .burst = 1, .name = "page allocation failure",
	};

	atomic_add_relaxed(&page_failures, 1);
	if ((gfp & __GFP_NOWARN) || ((gfp & __GFP_DMA) && !page_has_zone(ZONE_DMA)))
		return;
	if (report_limit_pass(&limit))
		page_report_memory(gfp, order, nodes, "page allocation failure");
}

unsigned int page_stall_ms = 10000;

/* cf. Linux check_alloc_stall_warn() */
void page_report_stall(gfp_t gfp, unsigned int order, const unsigned long *nodes,
		       uint64_t since_ms)
{
	static uint64_t last_ms;	/* Sync: atomic; the thread that sets it reports */
	uint64_t now = os_time_ms(), last = atomic_load_relaxed(&last_ms);
	char what[STALL_BYTES];

	if (now - since_ms < page_stall_ms || (gfp & __GFP_NOWARN))
		return;
	if ((last && now - last < page_stall_ms) || !atomic_cas_relaxed(&last_ms, &last, now))
		return;
	fmt_format(what, sizeof(what), "page allocation stall for %lu secs",
		   (unsigned long)(now - since_ms) / 1000);
	page_report_memory(gfp, order, nodes, what);
}
